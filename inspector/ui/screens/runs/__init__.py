"""The list of all runs: what needs someone, what runs, what is over.

Not here: grouping and filtering, which are pure (`inspector.derive`).
"""
