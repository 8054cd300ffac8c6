"""The resume dialog: what resuming a run would do, and a launch after a second confirmation.

What is resumable, commands, locks and outcomes are in `inspector.resume` and the backends.
"""
