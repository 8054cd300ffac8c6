"""Resuming an interrupted run: the plan, the command, and the launch."""
