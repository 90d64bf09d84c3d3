"""believable: find out whether people believe an agent."""

__version__ = "0.1.0"
