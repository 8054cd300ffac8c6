"""Tabs of a spell's run: what it kept and went by, and how it crossed from chain to chain."""
