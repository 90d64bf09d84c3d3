"""Names that are drawn by their views when a session begins."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "clip_draws",
        sa.Column("session", sa.String(32), nullable=False),
        sa.Column("place", sa.String(400), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("probability", sa.Float, nullable=True),
        sa.PrimaryKeyConstraint("session", "place", "number", name="pk_clip_draws"),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"], name="fk_clip_draws_session"),
    )
