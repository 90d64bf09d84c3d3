"""Where migrations begin: the tables of this revision are made from their declaration, so there is
nothing to run.
"""

revision = "0007"
down_revision = None


def upgrade() -> None:
    """A database of this revision has these tables already."""
