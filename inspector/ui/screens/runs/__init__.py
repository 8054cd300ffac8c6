"""The start screen: the list of all runs, its counts and filter, and a preview of one run.

Grouping and filtering are pure and live in `inspector.derive`.
"""
