"""Bytes sent, views that could have been seen, characters stored per session, and an audit log that
refuses more.
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

_AUDIT = {
    "sqlite": (
        "DROP TRIGGER audit_unchanged",
        (
            "CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit WHEN NOT (OLD.session IS NOT"
            " NULL AND NEW.session IS NULL AND NEW.id IS OLD.id AND NEW.user IS OLD.user AND"
            " NEW.study IS OLD.study AND NEW.at_ms IS OLD.at_ms AND NEW.kind IS OLD.kind AND"
            " NEW.what IS 'about a session that was withdrawn later') BEGIN SELECT RAISE(ABORT,"
            " 'the audit log is only added to'); END"
        ),
        (
            "CREATE TRIGGER audit_new BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE"
            " id = NEW.id) BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END"
        ),
    ),
    "postgresql": (
        "DROP TRIGGER audit_unchanged ON audit",
        (
            "CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit FOR EACH ROW WHEN (NOT"
            ' (OLD.session IS NOT NULL AND NEW.session IS NULL AND NEW.id = OLD.id AND NEW."user" ='
            ' OLD."user" AND NEW.study IS NOT DISTINCT FROM OLD.study AND NEW.at_ms = OLD.at_ms AND'
            " NEW.kind = OLD.kind AND NEW.what = 'about a session that was withdrawn later'))"
            " EXECUTE FUNCTION audit_refuse()"
        ),
        "CREATE TRIGGER audit_not_emptied BEFORE TRUNCATE ON audit EXECUTE FUNCTION audit_refuse()",
    ),
}


def upgrade() -> None:
    for name in ("stored_chars", "minute_ms", "minute_chars"):
        op.add_column(
            "sessions", sa.Column(name, sa.BigInteger, nullable=False, server_default="0")
        )
    op.create_table(
        "media_sent",
        sa.Column("session", sa.String(32), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("session", "name", name="pk_media_sent"),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"], name="fk_media_sent_session"),
    )
    op.create_table(
        "view_checks",
        sa.Column("session", sa.String(32), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("run", sa.Integer, nullable=False),
        sa.Column("player", sa.Integer, nullable=False),
        sa.Column("length_ms", sa.BigInteger, nullable=True),
        sa.Column("media_bytes", sa.BigInteger, nullable=False),
        sa.Column("sent_bytes", sa.BigInteger, nullable=False),
        sa.Column("open_ms", sa.BigInteger, nullable=False),
        sa.Column("needed_ms", sa.BigInteger, nullable=False),
        sa.Column("possible", sa.Boolean, nullable=False),
        sa.Column("refused", sa.Integer, nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint("session", "position", "run", "player", name="pk_view_checks"),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"], name="fk_view_checks_session"),
    )
    for statement in _AUDIT[op.get_bind().dialect.name]:
        op.execute(statement)
