"""The read-only query module: the workspace, the backend protocol, one backend per runtime.

Not here: opening a watched file (`inspector.store` does), drawing, and any write.
"""
