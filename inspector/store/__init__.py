"""Discovers, reads and watches databases and logs on disk, without a trace for their writers.

Watched databases are opened nowhere else.
"""
