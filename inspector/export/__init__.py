"""What leaves the program as data: the JSON documents of the command line.

Not here: reading databases and any network.
"""
