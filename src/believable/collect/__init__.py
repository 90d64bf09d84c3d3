"""The life of a session, without HTTP and without SQL: join, claim, append, advance, finish,
continue later, withdraw.
"""
