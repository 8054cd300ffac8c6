"""The screen, the only package with Textual.

Not here: reading databases, starting programs, and deciding what a run means.
"""
