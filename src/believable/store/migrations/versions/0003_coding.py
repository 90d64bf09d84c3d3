"""Coded texts, and wider names of roles."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("users", "role", type_=sa.String(length=12))
    op.create_table(
        "coding_projects",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("study", sa.String(length=64), nullable=True),
        sa.Column("pool", sa.String(length=10), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("sources", sa.Text(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("suggestions", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("rule", sa.String(length=12), server_default="none", nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["study"], ["studies.id"], name=op.f("fk_coding_projects_study")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_coding_projects")),
    )
    op.create_table(
        "coding_books",
        sa.Column("project", sa.String(length=64), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("policies", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("user", sa.String(length=64), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["project"], ["coding_projects.id"], name=op.f("fk_coding_books_project")),
        sa.PrimaryKeyConstraint("project", "version", name=op.f("pk_coding_books")),
    )
    op.create_table(
        "coding_logs",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("project", sa.String(length=64), nullable=False),
        sa.Column("coder", sa.String(length=64), nullable=False),
        sa.Column("epoch", sa.Integer(), server_default="0", nullable=False),
        sa.Column("head_seq", sa.Integer(), server_default="0", nullable=False),
        sa.Column("head_hash", sa.String(length=64), nullable=False),
        sa.Column("top_seq", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["project"], ["coding_projects.id"], name=op.f("fk_coding_logs_project")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_coding_logs")),
        sa.UniqueConstraint("project", "coder", name=op.f("uq_coding_logs_project_coder")),
    )
    op.create_table(
        "coding_marks",
        sa.Column("project", sa.String(length=64), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("coder", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("session", sa.String(length=32), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("done", sa.Boolean(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("suggested", sa.Boolean(), nullable=False),
        sa.Column("review", sa.Boolean(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["project"], ["coding_projects.id"], name=op.f("fk_coding_marks_project")),
        sa.PrimaryKeyConstraint("project", "round", "coder", "number", name=op.f("pk_coding_marks")),
    )
    op.create_index(op.f("ix_coding_marks_session"), "coding_marks", ["session"], unique=False)
    op.create_table(
        "coding_outcomes",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project", sa.String(length=64), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("session", sa.String(length=32), nullable=True),
        sa.Column("how", sa.String(length=12), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("user", sa.String(length=64), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["project"], ["coding_projects.id"], name=op.f("fk_coding_outcomes_project")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_coding_outcomes")),
    )
    op.create_index(
        "ix_coding_outcomes_project", "coding_outcomes", ["project", "round", "number"], unique=False
    )
    op.create_index(op.f("ix_coding_outcomes_session"), "coding_outcomes", ["session"], unique=False)
    op.create_table(
        "coding_rounds",
        sa.Column("project", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("plan", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("user", sa.String(length=64), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["project"], ["coding_projects.id"], name=op.f("fk_coding_rounds_project")),
        sa.PrimaryKeyConstraint("project", "number", name=op.f("pk_coding_rounds")),
    )
    op.create_table(
        "coding_tasks",
        sa.Column("project", sa.String(length=64), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("coder", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("shared", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["project"], ["coding_projects.id"], name=op.f("fk_coding_tasks_project")),
        sa.PrimaryKeyConstraint("project", "round", "coder", "number", name=op.f("pk_coding_tasks")),
    )
    op.create_index("ix_coding_tasks_coder", "coding_tasks", ["coder", "project"], unique=False)
    op.create_table(
        "coding_texts",
        sa.Column("project", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("session", sa.String(length=32), nullable=True),
        sa.Column("place", sa.String(length=64), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["project"], ["coding_projects.id"], name=op.f("fk_coding_texts_project")),
        sa.PrimaryKeyConstraint("project", "number", name=op.f("pk_coding_texts")),
        sa.UniqueConstraint("project", "place", name=op.f("uq_coding_texts_project_place")),
    )
    op.create_index(op.f("ix_coding_texts_session"), "coding_texts", ["session"], unique=False)
    op.create_table(
        "coding_operations",
        sa.Column("log", sa.String(length=32), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("session", sa.String(length=32), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("received_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["log"], ["coding_logs.id"], name=op.f("fk_coding_operations_log")),
        sa.PrimaryKeyConstraint("log", "seq", name=op.f("pk_coding_operations")),
    )
    op.create_index(op.f("ix_coding_operations_session"), "coding_operations", ["session"], unique=False)
    op.create_table(
        "coding_strays",
        sa.Column("log", sa.String(length=32), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("session", sa.String(length=32), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("received_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["log"], ["coding_logs.id"], name=op.f("fk_coding_strays_log")),
        sa.PrimaryKeyConstraint("log", "epoch", "seq", name=op.f("pk_coding_strays")),
    )
    op.create_index(op.f("ix_coding_strays_session"), "coding_strays", ["session"], unique=False)
