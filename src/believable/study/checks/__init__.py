"""What can be wrong with a study beyond the form of its records: one module per part of the
file.
"""
