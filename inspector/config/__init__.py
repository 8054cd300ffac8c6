"""Settings: where they are kept, what they may say, and their defaults.

Not here: state of a run, secrets, and anything that is written beside a watched database.
"""
