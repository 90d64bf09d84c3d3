"""Users of the console, their passwords and one-time links, and the count of failed tries.

Passwords are hashed with argon2 outside any transaction (`Passwords`), because a hash takes tens of
milliseconds and the writer is shared. Tokens are kept as hashes; names and peers that failed to log
in as keyed hashes, for an hour.
"""

from __future__ import annotations

import re
import secrets
from base64 import b64encode
from dataclasses import dataclass

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import ARGON2_VERSION
from sqlalchemy import Connection, Row, delete, func, insert, select, update

from believable.core import ids
from believable.core.errors import Conflict, InvalidInput, NotFound, Refused, TooManyTries
from believable.core.registry import did_you_mean
from believable.store.tables.accounts import attempts, logins, one_time_links, users

# ----------------------------------------------------------------------------------------------
# tries


MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
TRY_LIFE_MS = HOUR_MS


def check_tries(
    conn: Connection, *, what: str, who: str, limit: int, window_ms: int, now_ms: int
) -> None:
    """Refuses when there were `limit` failed tries in the window."""
    if count_tries(conn, what=what, who=who, since_ms=now_ms - window_ms) >= limit:
        minutes = window_ms // MINUTE_MS
        raise TooManyTries(
            f"{limit} failed tries within {minutes} minutes. Wait a few minutes, then try again."
        )


def note_failed_try(conn: Connection, *, what: str, who: str, now_ms: int) -> None:
    """Note a failed try, and forget old ones."""
    conn.execute(
        delete(attempts).where(attempts.c.what == what, attempts.c.at_ms <= now_ms - TRY_LIFE_MS)
    )
    conn.execute(insert(attempts).values(what=what, who=who, at_ms=now_ms))


def count_tries(conn: Connection, *, what: str, who: str, since_ms: int) -> int:
    mine = (attempts.c.what == what, attempts.c.who == who, attempts.c.at_ms > since_ms)
    return conn.execute(select(func.count()).select_from(attempts).where(*mine)).scalar_one()


# ----------------------------------------------------------------------------------------------
# passwords and log-ins


#: The account that the first one-time link belongs to.
FIRST_OWNER = "owner"

LINK_LIFE_MS = 24 * HOUR_MS


PASSWORD_MIN = 10
PASSWORD_MAX = 1024
_NAME = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """`administrator`: of the server, with every study and account. What others may do, their roles
    say (`rights`).
    """

    name: str
    administrator: bool
    disabled: bool
    has_password: bool
    created_ms: int


class Passwords:
    """Hashing and checking, in constant time whether or not the user exists."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._nobody = _matches_nothing(self._hasher)

    def hash(self, password: str) -> str:
        check_password(password)
        return self._hasher.hash(password)

    def verify(self, stored: str | None, password: str) -> bool:
        """Costs the same for an unknown user, for one without a password, and for a wrong
        password.
        """
        attempt = password[:PASSWORD_MAX]
        try:
            self._hasher.verify(stored or self._nobody, attempt)
        except (VerificationError, InvalidHashError):
            return False
        return stored is not None


def _matches_nothing(hasher: PasswordHasher) -> str:
    """Costs as much to verify as a password's hash, and nothing to make: a server starts without
    hashing.
    """
    salt, digest = (
        b64encode(secrets.token_bytes(size)).decode().rstrip("=")
        for size in (hasher.salt_len, hasher.hash_len)
    )
    costs = f"m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}"
    return f"$argon2id$v={ARGON2_VERSION}${costs}${salt}${digest}"


def check_password(password: str) -> None:
    if len(password) < PASSWORD_MIN:
        raise InvalidInput(
            f"password: expected at least {PASSWORD_MIN} characters, got {len(password)}. A few"
            " unrelated words make a good one."
        )
    if len(password) > PASSWORD_MAX:
        raise InvalidInput(
            f"password: expected at most {PASSWORD_MAX} characters, got {len(password)}."
            " Shorten it."
        )


# ----------------------------------------------------------------------------------------------
# users


def check_name(name: str) -> str:
    """The name as stored (lower case), or an error with the form of a name."""
    lowered = name.strip().lower()
    if not _NAME.fullmatch(lowered):
        raise InvalidInput(
            "user name: expected 1 to 64 letters a–z, digits or . _ @ + -, starting with a letter"
            f" or digit, got {name[:80]!r}. Choose another name."
        )
    return lowered


def user_of(row: Row[str, str | None, bool, int, bool]) -> User:
    return User(
        name=row.name,
        administrator=bool(row.administrator),
        disabled=bool(row.disabled),
        has_password=row.password_hash is not None,
        created_ms=row.created_ms,
    )


def everyone(conn: Connection) -> tuple[User, ...]:
    rows = conn.execute(select(users).order_by(users.c.created_ms, users.c.name))
    return tuple(user_of(row) for row in rows)


def find(conn: Connection, name: str) -> User:
    row = conn.execute(select(users).where(users.c.name == name.strip().lower())).one_or_none()
    if row is None:
        known = conn.execute(select(users.c.name)).scalars()
        raise NotFound(f"unknown user {name!r}. {did_you_mean(name, known)}")
    return user_of(row)


def add(conn: Connection, name: str, *, now_ms: int, administrator: bool = False) -> User:
    """A user without a password; a one-time link lets them choose one."""
    stored = check_name(name)
    if conn.execute(select(users.c.name).where(users.c.name == stored)).one_or_none():
        raise Conflict(
            f"user {stored!r} exists already. Choose another name, or reset that user's password."
        )
    conn.execute(
        insert(users).values(
            name=stored, administrator=administrator, created_ms=now_ms, disabled=False
        )
    )
    return User(
        name=stored,
        administrator=administrator,
        disabled=False,
        has_password=False,
        created_ms=now_ms,
    )


def set_administrator(conn: Connection, name: str, administrator: bool) -> User:
    if not administrator:
        _keep_an_administrator(conn, find(conn, name), "take that from this user")
    return _get_changed(conn, name, administrator=administrator)


def _get_changed(conn: Connection, name: str, **values: object) -> User:
    user = find(conn, name)
    conn.execute(update(users).where(users.c.name == user.name).values(values))
    return find(conn, user.name)


def disable(conn: Connection, name: str) -> User:
    """Ends all log-ins and open one-time links of the user. The account stays, because decisions
    bear its name.
    """
    _keep_an_administrator(conn, find(conn, name), "disable that user")
    user = _get_changed(conn, name, disabled=True)
    log_out_everywhere(conn, user.name)
    _drop_links(conn, user.name)
    return user


def enable(conn: Connection, name: str) -> User:
    return _get_changed(conn, name, disabled=False)


def reset(conn: Connection, name: str) -> User:
    """Takes the password away and ends all log-ins; a new one-time link must follow."""
    return set_password(conn, name, None)


def has_password(conn: Connection, name: str) -> bool:
    """Whether there is one: who logs in elsewhere may have none."""
    return (
        conn.execute(select(users.c.password_hash).where(users.c.name == name)).scalar() is not None
    )


def set_password(conn: Connection, name: str, password_hash: str | None) -> User:
    """Sets the password and ends every log-in made with the old one."""
    user = _get_changed(conn, name, password_hash=password_hash)
    log_out_everywhere(conn, user.name)
    return user


def _keep_an_administrator(conn: Connection, user: User, deed: str) -> None:
    if not user.administrator or user.disabled:
        return
    others = select(func.count()).where(
        users.c.administrator.is_(True), users.c.disabled.is_(False), users.c.name != user.name
    )
    if not conn.execute(others).scalar_one():
        raise Refused(
            f"{user.name!r} is the last administrator. Make another user one first, then {deed}."
        )


# ----------------------------------------------------------------------------------------------
# one-time links


def new_link(conn: Connection, name: str, *, now_ms: int, life_ms: int = LINK_LIFE_MS) -> str:
    """A token with which the user may set a password, once. Earlier ones of that user stop
    working.
    """
    user = find(conn, name)
    if user.disabled:
        raise Refused(f"user {user.name!r} is disabled. Enable the user first.")
    _drop_links(conn, user.name)
    token = ids.new_token()
    row = {"token_hash": ids.token_hash(token), "user": user.name, "expires_ms": now_ms + life_ms}
    conn.execute(insert(one_time_links).values(row))
    return token


def open_link(conn: Connection, token: str, *, now_ms: int) -> User:
    """The user a link belongs to, as long as it can be used."""
    row = conn.execute(
        select(one_time_links).where(one_time_links.c.token_hash == ids.token_hash(token))
    ).one_or_none()
    if row is None or row.used_ms is not None or row.expires_ms <= now_ms:
        raise Refused(
            "This one-time link was used already or is too old. "
            "Ask an administrator for a new one, or run: believable user reset NAME"
        )
    user = find(conn, row.user)
    if user.disabled:
        raise Refused(f"user {user.name!r} is disabled. Ask an administrator.")
    return user


def use_link(conn: Connection, token: str, password_hash: str, *, now_ms: int) -> User:
    """Sets the password and spends the link. Of two at the same moment only one succeeds."""
    user = open_link(conn, token, now_ms=now_ms)
    spent = conn.execute(
        update(one_time_links)
        .where(
            one_time_links.c.token_hash == ids.token_hash(token), one_time_links.c.used_ms.is_(None)
        )
        .values(used_ms=now_ms)
    )
    if spent.rowcount != 1:
        raise Refused(
            "This one-time link was used a moment ago. Log in with the password chosen there."
        )
    return set_password(conn, user.name, password_hash)


def invite(conn: Connection, name: str, *, now_ms: int, administrator: bool = False) -> str:
    """A new user and the token of the link with which they choose a password."""
    return new_link(
        conn, add(conn, name, now_ms=now_ms, administrator=administrator).name, now_ms=now_ms
    )


def reset_by_link(conn: Connection, name: str, *, now_ms: int) -> str:
    """Takes the password away and gives the token of a link to choose another."""
    return new_link(conn, reset(conn, name).name, now_ms=now_ms)


def first_link(conn: Connection, *, now_ms: int) -> str | None:
    """A token for the first administrator, or None once one can log in. Each call makes the earlier
    link useless.
    """
    owner = first_owner(conn, now_ms=now_ms)
    return None if owner is None else new_link(conn, owner.name, now_ms=now_ms)


def first_owner(conn: Connection, *, now_ms: int) -> User | None:
    """The administrator who has yet to choose a password, created if there are no users; None once
    one can log in.
    """
    administrators = [user for user in everyone(conn) if user.administrator and not user.disabled]
    if any(user.has_password for user in administrators):
        return None
    return (
        administrators[0]
        if administrators
        else add(conn, FIRST_OWNER, now_ms=now_ms, administrator=True)
    )


def _drop_links(conn: Connection, name: str) -> None:
    conn.execute(
        delete(one_time_links).where(
            one_time_links.c.user == name, one_time_links.c.used_ms.is_(None)
        )
    )


# An attempt to log in that may proceed to the password. `stored` is None for users who cannot log
# in.


def log_out_everywhere(conn: Connection, name: str) -> int:
    """Ends all log-ins of a user and says how many there were."""
    return conn.execute(delete(logins).where(logins.c.user == name)).rowcount
