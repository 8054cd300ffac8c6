"""Inspector watches, explains and resumes the runs of agent runtimes from the databases they leave."""

__version__ = "0.1.0"
