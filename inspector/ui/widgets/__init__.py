"""Widgets that draw themselves line by line."""
