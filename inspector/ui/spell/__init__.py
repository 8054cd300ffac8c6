"""Tabs of a spell's run: comparisons of state and provenance, and cross-chain records."""
