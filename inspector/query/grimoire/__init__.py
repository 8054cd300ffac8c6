"""Grimoire: its tables as rows, events, steps and values.

Not here: the other runtimes; and no database in `events`, `fold` and `position`, which are pure.
"""

NAME = "grimoire"
STATE_FOLDER = ".grimoire"
"""The folder of a project that holds its database."""
