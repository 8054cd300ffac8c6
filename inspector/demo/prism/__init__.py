"""Prism in the demonstration: agents at work, one that waits for a decision, and workflows."""
