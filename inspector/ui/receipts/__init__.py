"""The receipts of an OpenProse run: what was committed, what woke it, what it cost.

Canonical, tamper-evident, not signed: every sentence that says a chain holds says that as well.
"""
