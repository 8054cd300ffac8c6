"""The command line, one module per command: arguments in, text or JSON out.

Not here: Textual (only `inspector.ui` may import it), SQL, and answers that the screen lacks.
"""
