"""The only door to other programs: argument lists, never a shell string.

Not here: deciding what to run, and any program started without being asked.
"""
