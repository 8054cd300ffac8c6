"""Frozen dataclasses of recorded runs, steps, values and plans."""
