"""The dialog that says what resuming a run would do, and launches it when it is told so twice.

Not here: what is resumable, commands, locks and verdicts (`inspector.resume` and the backends).
"""
