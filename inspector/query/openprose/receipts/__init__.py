"""Receipts, chained by content address: tamper-evident, never signed."""
