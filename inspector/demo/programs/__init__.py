"""The programs that the demonstration plays, one module for each way of being interesting."""
