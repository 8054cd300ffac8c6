"""Being told: when a run ends, fails or waits for someone.

Not here: SQL, the screen, and starting programs (`inspector.process` does).
"""
