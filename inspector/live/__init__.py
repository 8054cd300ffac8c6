"""What moves: reader threads, coalescing, checkpoints and the snapshots that everyone shares.

Not here: drawing, SQL, and rules of one runtime.
"""
