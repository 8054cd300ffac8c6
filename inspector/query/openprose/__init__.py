"""OpenProse: runs kept in `state.db`, one database per run."""

NAME = "openprose"
