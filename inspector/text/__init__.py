"""Untrusted text made safe: escaped, masked, clipped, measured.

Not here: markup that is trusted because of where it came from, files, and databases.
"""
