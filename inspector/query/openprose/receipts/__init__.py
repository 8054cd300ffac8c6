"""Receipts: what was committed, chained by content address. Tamper-evident, never signed.

Pure but for reading the rows; what a chain proves and what it cannot is said by the verdict.
"""
