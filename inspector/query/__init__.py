"""The read-only query module: workspace, selection, typed results, and one package per runtime.

Not here: opening watched files (`inspector.store` does), drawing, and any write.
"""
