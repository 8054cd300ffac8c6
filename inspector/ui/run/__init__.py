"""One run: its timeline with detail and scrubber, its values, its recorded rows.

Not here: reading (the feed does it) and what is true of a run whatever draws it (`derive`).
"""
