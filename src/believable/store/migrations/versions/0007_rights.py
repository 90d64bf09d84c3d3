"""Roles in each study instead of one for the server, second factors, identities at other providers, an audit log that stays."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from believable.store.database_tables import APPEND_ONLY

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _make_tables()
    conn = op.get_bind()
    _keep_what_people_had(conn)
    op.drop_column("users", "role")
    for statement in APPEND_ONLY[conn.dialect.name]:
        conn.exec_driver_sql(statement)


def _make_tables() -> None:
    op.add_column("users", sa.Column("administrator", sa.Boolean(), server_default="0", nullable=False))
    op.add_column("audit", sa.Column("kind", sa.String(10), server_default="change", nullable=False))
    op.add_column("audit", sa.Column("session", sa.String(32), nullable=True))
    op.create_index("ix_audit_session", "audit", ["session"])
    op.create_index("ix_audit_study", "audit", ["study", "id"])
    _table(
        "study_roles",
        sa.Column("user", sa.String(64), nullable=False),
        sa.Column("study", sa.String(64), nullable=False),
        sa.Column("role", sa.String(12), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        key=("user", "study"),
    )
    op.create_index("ix_study_roles_study", "study_roles", ["study"])
    _table(
        "second_factors",
        sa.Column("user", sa.String(64), nullable=False),
        sa.Column("nonce", sa.String(32), nullable=False),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("confirmed_ms", sa.BigInteger(), nullable=True),
        sa.Column("step", sa.BigInteger(), server_default="0", nullable=False),
        key=("user",),
    )
    _table(
        "recovery_codes",
        sa.Column("user", sa.String(64), nullable=False),
        sa.Column("code_hash", sa.String(64), nullable=False),
        key=("user", "code_hash"),
    )
    _table(
        "identities",
        sa.Column("issuer", sa.String(255), nullable=False),
        sa.Column("subject", sa.String(255), nullable=False),
        sa.Column("user", sa.String(64), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        key=("issuer", "subject"),
    )
    op.create_index("ix_identities_user", "identities", ["user"])
    op.create_table(
        "server_rules",
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_server_rules"),
    )


def _table(name: str, *columns: sa.Column[object], key: tuple[str, ...]) -> None:
    """A table about users."""
    op.create_table(
        name,
        *columns,
        sa.ForeignKeyConstraint(["user"], ["users.name"], name=f"fk_{name}_user"),
        sa.PrimaryKeyConstraint(*key, name=f"pk_{name}"),
    )


def _keep_what_people_had(conn: sa.Connection) -> None:
    """Owners administer the server; everybody else keeps their role, in each study that there is. Imported texts had no
    study and were open to whoever leads coding in any; all of them now lead it in all, so that the first study will do."""
    users = sa.table("users", sa.column("name"), sa.column("role"), sa.column("administrator"), sa.column("created_ms"))
    studies = sa.table("studies", sa.column("id"), sa.column("created_ms"))
    roles = sa.table("study_roles", sa.column("user"), sa.column("study"), sa.column("role"), sa.column("at_ms"))
    projects = sa.table("coding_projects", sa.column("study"))
    conn.execute(sa.update(users).where(users.c.role == "owner").values(administrator=True))
    conn.execute(
        sa.insert(roles).from_select(
            ["user", "study", "role", "at_ms"],
            sa.select(users.c.name, studies.c.id, users.c.role, users.c.created_ms)
            .select_from(users.join(studies, sa.true()))
            .where(users.c.role != "owner"),
        )
    )
    first = conn.execute(sa.select(studies.c.id).order_by(studies.c.created_ms, studies.c.id).limit(1)).scalar()
    conn.execute(sa.update(projects).where(projects.c.study.is_(None)).values(study=first))
