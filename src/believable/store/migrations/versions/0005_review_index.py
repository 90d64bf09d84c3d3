"""The index of the review queue holds all that a view counts and sorts by."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

COLUMNS = ["study", "pool", "n_kinds", "number", "position", "ordinal", "decision", "kinds", "session"]


def upgrade() -> None:
    op.drop_index("ix_review_answers_queue", table_name="review_answers")
    op.create_index("ix_review_answers_queue", "review_answers", COLUMNS)
