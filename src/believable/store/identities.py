"""The identities of users at a provider of log-ins. Only people with an account are admitted."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select

from believable.core.errors import Refused
from believable.core.shell import quote_command
from believable.store.tables.accounts import identities, users


def user_of(conn: Connection, issuer: str, subject: str, email: str, *, now_ms: int) -> str:
    """The account of this person: the one they came to before, or the one named by the address the
    provider has verified.

    From the first log-in on the subject counts, not the address: an address may pass to another
    person.
    """
    name = conn.execute(
        select(identities.c.user).where(
            identities.c.issuer == issuer, identities.c.subject == subject
        )
    ).scalar()
    if name is None:
        name = _accept_invitation(conn, issuer, email)
        conn.execute(
            insert(identities).values(issuer=issuer, subject=subject, user=name, at_ms=now_ms)
        )
    if conn.execute(select(users.c.disabled).where(users.c.name == name)).scalar():
        raise Refused(f"user {name!r} is disabled. Ask an administrator.")
    return str(name)


def _accept_invitation(conn: Connection, issuer: str, email: str) -> str:
    if "@" not in email:
        raise Refused(
            "The provider has not verified an e-mail address of yours, by which you could be known"
            " here."
        )
    name = conn.execute(select(users.c.name).where(users.c.name == email)).scalar()
    if name is None:
        raise Refused(
            f"There is no account {email[:100]!r} here. Ask an administrator to add one of this"
            f" name: {quote_command('believable user add', email[:64])}"
        )
    if conn.execute(
        select(identities.c.subject).where(identities.c.user == name, identities.c.issuer == issuer)
    ).first():
        raise Refused(
            f"The account {name!r} belongs to another person at this provider. Ask an"
            " administrator."
        )
    return str(name)


def forget_identities(conn: Connection, user: str) -> None:
    """So that the account can be taken by whom its address belongs to now."""
    conn.execute(delete(identities).where(identities.c.user == user))
