"""The use cases: one function for each task, with a frozen options record.

The command line, the console and the public Python names call these functions. This package knows
no front end: a use case reports progress and notices through callbacks.
"""
