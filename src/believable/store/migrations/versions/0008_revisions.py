"""Why a study was changed while participants took part. Definitions of older databases stay
versions without a stated reason.
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "revisions",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column(
            "study",
            sa.String(64),
            sa.ForeignKey("studies.id", name="fk_revisions_study"),
            nullable=False,
        ),
        sa.Column(
            "definition",
            sa.String(64),
            sa.ForeignKey("definitions.hash", name="fk_revisions_definition"),
            nullable=False,
        ),
        sa.Column("previous", sa.String(64), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("user", sa.String(64), nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_revisions_study", "revisions", ["study"])
