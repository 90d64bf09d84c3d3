"""Tables of users, their log-ins and roles, and of the log of their actions."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, String, Table, Text

from believable.store.tables.metadata import metadata

users = Table(
    "users",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("password_hash", Text, nullable=True),  # None until the one-time link was used
    Column("disabled", Boolean, nullable=False, server_default="0"),
    Column("created_ms", BigInteger, nullable=False),
    Column(
        "administrator", Boolean, nullable=False, server_default="0"
    ),  # of the server: every study, every account
)

study_roles = Table(  # the rights of a user in one study
    "study_roles",
    metadata,
    Column("user", String(64), ForeignKey("users.name"), primary_key=True),
    Column(
        "study", String(64), primary_key=True, index=True
    ),  # may be granted before the study is first served
    Column("role", String(12), nullable=False),  # owner | researcher | coordinator | coder
    Column("at_ms", BigInteger, nullable=False),
)

second_factors = Table(  # secrets of one-time codes (TOTP)
    "second_factors",
    metadata,
    Column("user", String(64), ForeignKey("users.name"), primary_key=True),
    Column("nonce", String(32), nullable=False),
    Column("secret", String(64), nullable=False),  # under the server's key, in hexadecimal
    Column("confirmed_ms", BigInteger, nullable=True),  # None until a first code was right
    Column(
        "step", BigInteger, nullable=False, server_default="0"
    ),  # of the last code that was used: none counts twice
)

recovery_codes = Table(  # each admits a user once who has lost the device with the secret
    "recovery_codes",
    metadata,
    Column("user", String(64), ForeignKey("users.name"), primary_key=True),
    Column("code_hash", String(64), primary_key=True),  # keyed
)

identities = Table(  # the identity of a user at a provider of log-ins (OpenID Connect)
    "identities",
    metadata,
    Column("issuer", String(255), primary_key=True),
    Column("subject", String(255), primary_key=True),
    Column("user", String(64), ForeignKey("users.name"), nullable=False, index=True),
    Column("at_ms", BigInteger, nullable=False),
)

server_rules = Table(  # the decisions of administrators for all users
    "server_rules",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("value", Text, nullable=False),
)

logins = Table(
    "logins",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    Column("user", String(64), ForeignKey("users.name"), nullable=False),
    Column("csrf", String(32), nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger, nullable=False),
)

one_time_links = Table(
    "one_time_links",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    Column("user", String(64), ForeignKey("users.name"), nullable=False),
    Column("expires_ms", BigInteger, nullable=False),
    Column("used_ms", BigInteger, nullable=True),
)

# for rate limits: who is a keyed hash (of a user name, or of a network peer), gone after an hour
attempts = Table(
    "attempts",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("what", String(16), nullable=False),  # login | resume_code
    Column("who", String(64), nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Index("ix_attempts_what_who", "what", "who", "at_ms"),
)

audit = (
    Table(  # who looked at what, took what away, changed what: only ever added to, see `audit_log`
        "audit",
        metadata,
        Column("id", Integer, primary_key=True, autoincrement=True),
        Column("user", String(64), nullable=False),
        Column("what", Text, nullable=False),
        Column("study", String(64), nullable=True),
        Column("at_ms", BigInteger, nullable=False),
        Column(
            "kind", String(10), nullable=False, server_default="change"
        ),  # view | export | unblind | change | account
        Column(
            "session", String(32), nullable=True, index=True
        ),  # whom the words are about; they go when the session does
        Index("ix_audit_study", "study", "id"),
    )
)

#: The replacement of texts about a session that was withdrawn.
FORGOTTEN = "about a session that was withdrawn later"
#: What keeps the log as it is against every statement that is not a change of the tables
#: themselves. Only words about a withdrawn session may go, with its name. SQLite runs no trigger
#: for rows that INSERT OR REPLACE deletes, so a known number is refused.
APPEND_ONLY = {
    "sqlite": (
        (
            "CREATE TRIGGER audit_kept BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit"
            " log is only added to'); END"
        ),
        (
            "CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit WHEN NOT (OLD.session IS NOT"
            " NULL AND NEW.session IS NULL AND NEW.id IS OLD.id AND NEW.user IS OLD.user AND"
            " NEW.study IS OLD.study AND NEW.at_ms IS OLD.at_ms AND NEW.kind IS OLD.kind AND"
            f" NEW.what IS '{FORGOTTEN}') BEGIN SELECT RAISE(ABORT, 'the audit log is only added"
            " to'); END"
        ),
        (
            "CREATE TRIGGER audit_new BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE"
            " id = NEW.id) BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END"
        ),
    ),
    "postgresql": (
        (
            "CREATE OR REPLACE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS "
            "'BEGIN RAISE EXCEPTION ''the audit log is only added to''; END'"
        ),
        (
            "CREATE TRIGGER audit_kept BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION"
            " audit_refuse()"
        ),
        (
            "CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit FOR EACH ROW WHEN (NOT"
            ' (OLD.session IS NOT NULL AND NEW.session IS NULL AND NEW.id = OLD.id AND NEW."user"'
            ' = OLD."user" AND NEW.study IS NOT DISTINCT FROM OLD.study AND NEW.at_ms = OLD.at_ms'
            f" AND NEW.kind = OLD.kind AND NEW.what = '{FORGOTTEN}')) EXECUTE FUNCTION"
            " audit_refuse()"
        ),
        "CREATE TRIGGER audit_not_emptied BEFORE TRUNCATE ON audit EXECUTE FUNCTION audit_refuse()",
    ),
}
