"""Resuming an interrupted run: what would run again, and the command that does it.

Not here: SQL, a launch without the pre-flight, and starting programs (`inspector.process` does).
"""
