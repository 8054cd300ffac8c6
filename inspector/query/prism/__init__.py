"""Prism: its tables as rows, events, steps and values.

Not here: the other runtimes; and no database in `events`, `fold` and `position`, which are pure.
"""

NAME = "prism"
