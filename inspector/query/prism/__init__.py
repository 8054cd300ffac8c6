"""Support for Prism databases.

`events`, `fold` and `position` are pure: no database, no files, no clock.
"""

NAME = "prism"
