"""The screen of one run."""
