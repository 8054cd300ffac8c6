"""Commands: arguments in, text or JSON out; the screen is opened lazily.

Not here: Textual (only `inspector.ui` is asked for it), SQL, and answers that the screen lacks.
"""
