"""Borders that the server keeps by itself: addresses of accounts, ways back after a log-in, the
audit log.
"""

from __future__ import annotations

import pytest
from sqlalchemy.exc import DBAPIError

from believable.core.errors import Refused
from believable.store import accounts, audit_log, identities
from believable.store.engine import Store
from believable.web.console.guard import safe_next
from believable.web.oidc_tokens import mail_address


@pytest.mark.parametrize(
    "email",
    [
        "mar\N{KELVIN SIGN}@example.org",
        "owner",
        "a@b@example.org",
        "@example.org",
        "a b@example.org",
        "",
    ],
)
def test_an_address_that_only_looks_like_one_finds_no_account(email: str) -> None:
    assert mail_address(email) == ""


def test_an_account_of_this_server_alone_is_not_linked(database_url: str) -> None:
    with Store.open(database_url) as store:
        store.write(lambda conn: accounts.add(conn, "owner", administrator=True, now_ms=0) and None)
        with pytest.raises(Refused, match="verified"):
            store.write(
                lambda conn: identities.user_of(conn, "https://id.example", "1", "owner", now_ms=0)
            )


@pytest.mark.parametrize(
    "target",
    [
        "///console",
        "//console",
        "////console/x",
        "https://evil.example/console",
        "/console/\N{SNOWMAN}",
    ],
)
def test_a_way_back_stays_in_the_console(target: str) -> None:
    assert safe_next(target) == "/console"


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM audit",
        "UPDATE audit SET what = 'nothing'",
        "UPDATE audit SET what = 'nothing', session = NULL",
        (
            "INSERT OR REPLACE INTO audit SELECT id, user, 'nothing', study, at_ms, kind, session"
            " FROM audit"
        ),
        "REPLACE INTO audit SELECT id, 'me', what, study, at_ms, kind, session FROM audit",
        "UPDATE OR REPLACE audit SET session = NULL, kind = 'view'",
    ],
)
def test_the_audit_log_is_only_added_to(database_url: str, statement: str) -> None:
    with Store.open(database_url) as store:
        store.write(
            lambda conn: audit_log.note_audit(conn, user="u", what="rejected", at_ms=1, session="s")
        )
        with pytest.raises(DBAPIError):
            store.write(lambda conn: conn.exec_driver_sql(statement) and None)
        (entry,) = store.read(audit_log.recent_audit)
        assert (entry.user, entry.what, entry.kind) == ("u", "rejected", "change")
        store.write(lambda conn: audit_log.forget_session(conn, "s"))
        assert store.read(audit_log.recent_audit)[0].what == audit_log.FORGOTTEN
