"""Beside a definition stands what names its plan of analysis."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("definitions", sa.Column("plan", sa.String(64), nullable=True))
