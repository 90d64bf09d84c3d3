"""Studies as data: records, loading, checking, assignment and the planned timeline. Pure: no web,
no SQL.
"""
