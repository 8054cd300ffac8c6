"""Grimoire in the demonstration: spells that were cast, and a cast every minute."""
