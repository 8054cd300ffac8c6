"""The screen, and the only room with Textual.

Not here: reading databases, starting programs, and deciding what a run means.
"""
