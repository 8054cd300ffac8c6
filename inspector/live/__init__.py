"""Reader threads, coalescing and the snapshots that the screen and the commands share.

Not here: drawing, SQL, and rules of a runtime.
"""
