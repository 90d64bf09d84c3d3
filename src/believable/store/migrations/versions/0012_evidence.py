"""Shares that the stopping rule `sequential` weighs, and the answers that evidence has given. Older
databases have neither.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_table(
        "judge_shares",
        sa.Column("session", sa.String(32), nullable=False),
        sa.Column("agent", sa.String(160), nullable=False),
        sa.Column("study", sa.String(64), nullable=False),
        sa.Column("pool", sa.String(10), nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("numerator", sa.Integer, nullable=False),
        sa.Column("denominator", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("session", "agent", name="pk_judge_shares"),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"], name="fk_judge_shares_session"),
        sa.ForeignKeyConstraint(["study"], ["studies.id"], name="fk_judge_shares_study"),
    )
    op.create_index("ix_judge_shares_study", "judge_shares", ["study", "pool"])
    op.create_table(
        "agent_draws",
        sa.Column("session", sa.String(32), nullable=False),
        sa.Column("agent", sa.String(160), nullable=False),
        sa.Column("probability", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("session", name="pk_agent_draws"),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"], name="fk_agent_draws_session"),
    )
    op.create_table(
        "evidence_verdicts",
        sa.Column("study", sa.String(64), nullable=False),
        sa.Column("pool", sa.String(10), nullable=False),
        sa.Column("agent", sa.String(160), nullable=False),
        sa.Column("verdict", sa.String(12), nullable=False),
        sa.Column("n", sa.Integer, nullable=False),
        sa.Column("judges", sa.Integer, nullable=False),
        sa.Column("log_evidence", sa.Float, nullable=False),
        sa.Column("definition", sa.String(64), nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("study", "pool", "agent", "verdict", name="pk_evidence_verdicts"),
        sa.ForeignKeyConstraint(["study"], ["studies.id"], name="fk_evidence_verdicts_study"),
    )
