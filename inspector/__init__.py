"""Inspector watches, explains and resumes agent runs from the databases that they leave."""

__version__ = "0.1.0"
