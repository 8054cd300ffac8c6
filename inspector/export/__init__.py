"""Files for someone else: one run as JSON, HTML, a trace, a table or a note.

Not here: databases that are watched (`inspector.store` reads them) and any network.
"""
