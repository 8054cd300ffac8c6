"""Databases on disk: finding, reading without touching, watching. Nobody else opens them.

Not here: what a table means, and anything that a writer of the database could notice.
"""
