"""Settings, the folders of Inspector's own files, and the log."""
