"""The queue of answers to review, and sessions that are approved or left out by a decision."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("sessions", sa.Column("approved", sa.Boolean(), server_default="0", nullable=False))
    op.add_column("sessions", sa.Column("excluded", sa.Boolean(), server_default="0", nullable=False))
    op.create_table(
        "review_answers",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("study", sa.String(length=64), nullable=False),
        sa.Column("pool", sa.String(length=10), nullable=False),
        sa.Column("session", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("trial_key", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("took_ms", sa.BigInteger(), nullable=True),
        sa.Column("session_ms", sa.BigInteger(), nullable=True),
        sa.Column("pasted", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=32), nullable=False),
        sa.Column("alike", sa.Text(), nullable=False),
        sa.Column("kinds", sa.String(length=40), nullable=False),
        sa.Column("n_kinds", sa.Integer(), nullable=False),
        sa.Column("decision", sa.String(length=12), nullable=True),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"], name=op.f("fk_review_answers_session")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_review_answers")),
        sa.UniqueConstraint("session", "position", "ordinal", name=op.f("uq_review_answers_session_position_ordinal")),
    )
    op.create_index(
        "ix_review_answers_queue", "review_answers", ["study", "pool", "n_kinds", "number", "position", "ordinal"]
    )
    op.create_index("ix_review_answers_digest", "review_answers", ["study", "pool", "digest"])
    op.create_table(
        "review_keys",
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("answer", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["answer"], ["review_answers.id"], name=op.f("fk_review_keys_answer")),
        sa.PrimaryKeyConstraint("key", "answer", name=op.f("pk_review_keys")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_review_keys_answer"), "review_keys", ["answer"])
    op.create_table(
        "review_sessions",
        sa.Column("session", sa.String(length=32), nullable=False),
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("closed", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"], name=op.f("fk_review_sessions_session")),
        sa.PrimaryKeyConstraint("session", name=op.f("pk_review_sessions")),
    )
    op.create_table(
        "review_states",
        sa.Column("study", sa.String(length=64), nullable=False),
        sa.Column("pool", sa.String(length=10), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("medians", sa.Text(), nullable=False),
        sa.Column("n_answers", sa.Integer(), nullable=False),
        sa.Column("withdrawn", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["study"], ["studies.id"], name=op.f("fk_review_states_study")),
        sa.PrimaryKeyConstraint("study", "pool", name=op.f("pk_review_states")),
    )
