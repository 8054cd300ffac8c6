"""A workspace that runs by itself, so that everything can be tried without a run of one's own.

Not here: anything that writes outside the folder that was made for it.
"""
