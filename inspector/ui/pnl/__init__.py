"""Profit and loss of a spell: what Grimoire's session counts, and what a chain confirmed."""
