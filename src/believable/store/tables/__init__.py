"""The tables of the database. A change of one needs a migration.

Every table is defined as soon as this package is imported, so `metadata` is always complete.
"""

from believable.store.tables import accounts, coding, collected, review

__all__ = ["accounts", "coding", "collected", "review"]
