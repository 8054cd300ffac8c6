"""Starts other programs: argument lists only, never a shell string, and only on request."""
