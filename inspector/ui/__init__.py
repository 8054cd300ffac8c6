"""The screen; the only package that imports Textual.

It does not read databases, start programs, or decide what a run means.
"""
