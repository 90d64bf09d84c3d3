"""Log-ins to the console, and the brake on guessing passwords."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select, update

from believable.core import ids
from believable.core.errors import TooManyTries
from believable.store.accounts import (
    HOUR_MS,
    MINUTE_MS,
    User,
    count_tries,
    find,
    note_failed_try,
    set_password,
    user_of,
)
from believable.store.rights import Rights, rights_of
from believable.store.tables.accounts import attempts, logins, users

LOGIN_IDLE_MS = 12 * HOUR_MS
LOGIN_LIFE_MS = 7 * 24 * HOUR_MS
#: A log-in is prolonged when this much of its idle time is used up, so that reading pages writes
#: next to nothing.
SLIDE_AFTER_MS = HOUR_MS
LIMIT_WINDOW_MS = 15 * MINUTE_MS
#: Failed tries in the window before the answer is "later". A remote stranger must not be able to
#: lock a person out soon. A browser in which the person logged in before is counted separately:
#: tries from elsewhere cannot lock it out.
LIMITS: Mapping[str, int] = {"name at peer": 8, "peer": 40, "name": 80, "device": 8}


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """A browser that is logged in. `csrf` is the token its forms must carry."""

    user: User
    rights: Rights
    csrf: str
    token_hash: str
    created_ms: int
    expires_ms: int


@dataclass(frozen=True, slots=True)
class Try:
    """An attempt to log in that may proceed to the password. `stored` is None for users who cannot
    log in.
    """

    user: User | None
    stored: str | None


def begin_try(
    conn: Connection, key: bytes, name: str, peer: str, *, now_ms: int, device: str = ""
) -> Try:
    """Counts the attempt before the password is looked at, so that parallel guesses are counted
    too. `device` is what `device_mark` gave this browser.
    """
    lowered = name.strip().lower()
    who = _who(key, lowered, peer, device)
    if any(
        count_tries(conn, what="login", who=hashed, since_ms=now_ms - LIMIT_WINDOW_MS)
        >= LIMITS[what]
        for what, hashed in who.items()
    ):
        raise TooManyTries(
            f"Too many failed log-ins. Wait {LIMIT_WINDOW_MS // MINUTE_MS} minutes and try again."
        )
    for hashed in who.values():
        note_failed_try(conn, what="login", who=hashed, now_ms=now_ms)
    row = conn.execute(select(users).where(users.c.name == lowered)).one_or_none()
    if row is None or row.disabled:
        return Try(None, None)
    return Try(user_of(row), row.password_hash)


def forget_tries(conn: Connection, key: bytes, name: str, peer: str, device: str = "") -> None:
    """After a success: failures with this name count no more. The peer's failures with other
    names still do.
    """
    who = _who(key, name.strip().lower(), peer, device)
    for what in who.keys() & {"name at peer", "name", "device"}:
        conn.execute(
            delete(attempts).where(attempts.c.what == "login", attempts.c.who == who[what])
        )
    if "peer" not in who:
        return
    own = select(func.max(attempts.c.id)).where(
        attempts.c.what == "login", attempts.c.who == who["peer"]
    )
    conn.execute(delete(attempts).where(attempts.c.id == conn.execute(own).scalar()))


def device_mark(key: bytes, name: str) -> str:
    """For the cookie of a browser in which this person has just logged in. Only the key makes
    one.
    """
    nonce = ids.new_token()
    return f"{nonce}.{ids.keyed_hash(key, 'device', name, nonce)}"


def _who(key: bytes, name: str, peer: str, device: str) -> dict[str, str]:
    nonce, _, proof = device.partition(".")
    if proof and hmac.compare_digest(
        proof.encode(), ids.keyed_hash(key, "device", name, nonce).encode()
    ):
        return {"device": ids.keyed_hash(key, "login device", name, nonce)}
    return {
        "name at peer": ids.keyed_hash(key, "login name at peer", name, peer),
        "peer": ids.keyed_hash(key, "login peer", peer),
        "name": ids.keyed_hash(key, "login name", name),
    }


def log_in(conn: Connection, name: str, *, now_ms: int) -> tuple[str, Login]:
    """A new log-in: the token for the cookie, and its record."""
    user = find(conn, name)
    conn.execute(delete(logins).where(logins.c.expires_ms <= now_ms))
    token, csrf = ids.new_token(), ids.new_token()
    login = Login(
        user=user,
        rights=rights_of(conn, user.name),
        csrf=csrf,
        token_hash=ids.token_hash(token),
        created_ms=now_ms,
        expires_ms=now_ms + LOGIN_IDLE_MS,
    )
    conn.execute(
        insert(logins).values(
            token_hash=login.token_hash,
            user=user.name,
            csrf=csrf,
            created_ms=now_ms,
            expires_ms=login.expires_ms,
        )
    )
    return token, login


def who(conn: Connection, token: str, *, now_ms: int) -> Login | None:
    """The log-in behind a cookie, or None when it is unknown, expired, or its user is disabled."""
    row = conn.execute(
        select(logins, users.c.name, users.c.administrator, users.c.password_hash, users.c.disabled)
        .add_columns(users.c.created_ms.label("user_created_ms"))
        .join(users, users.c.name == logins.c.user)
        .where(logins.c.token_hash == ids.token_hash(token))
    ).one_or_none()
    if row is None or row.disabled or row.expires_ms <= now_ms:
        return None
    user = User(
        name=row.name,
        administrator=bool(row.administrator),
        disabled=False,
        has_password=row.password_hash is not None,
        created_ms=row.user_created_ms,
    )
    return Login(
        user=user,
        rights=rights_of(conn, user.name),
        csrf=row.csrf,
        token_hash=row.token_hash,
        created_ms=row.created_ms,
        expires_ms=row.expires_ms,
    )


def prolonged_until(login: Login, *, now_ms: int) -> int | None:
    """When the log-in should now expire, or None while that is not worth a write."""
    until = min(now_ms + LOGIN_IDLE_MS, login.created_ms + LOGIN_LIFE_MS)
    return until if until - login.expires_ms >= SLIDE_AFTER_MS else None


def prolong(conn: Connection, login: Login, until_ms: int) -> None:
    conn.execute(
        update(logins).where(logins.c.token_hash == login.token_hash).values(expires_ms=until_ms)
    )


def log_out(conn: Connection, login: Login) -> None:
    conn.execute(delete(logins).where(logins.c.token_hash == login.token_hash))


def log_out_elsewhere(conn: Connection, login: Login) -> int:
    """End all other log-ins of the same person and say how many there were."""
    others = (logins.c.user == login.user.name, logins.c.token_hash != login.token_hash)
    return conn.execute(delete(logins).where(*others)).rowcount


def enter(
    conn: Connection, key: bytes, name: str, peer: str, *, now_ms: int, device: str = ""
) -> tuple[str, Login]:
    """After the right password: the brake is released and the browser logged in."""
    forget_tries(conn, key, name, peer, device)
    return log_in(conn, name, now_ms=now_ms)


def change_password(
    conn: Connection,
    key: bytes,
    name: str,
    peer: str,
    password_hash: str,
    *,
    now_ms: int,
    device: str = "",
) -> tuple[str, Login]:
    """Sets another password: every browser is logged out, and this one logged in again."""
    set_password(conn, name, password_hash)
    return enter(conn, key, name, peer, now_ms=now_ms, device=device)
