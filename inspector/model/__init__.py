"""Frozen descriptions of what was recorded; no reading, no drawing, no clock of its own."""
