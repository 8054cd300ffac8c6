"""Tally, a runtime that exists only to show how Inspector is extended.

A database has a row in `tally_jobs` for each run and a row in `tally_marks` for each event.
"""

NAME = "tally"
