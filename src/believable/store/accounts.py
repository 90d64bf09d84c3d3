"""Who may enter the console: users, one-time links, log-ins and the brake on guessing.

Passwords are hashed with argon2 outside any transaction (`Passwords`), because a hash takes tens of
milliseconds and the writer is shared. Tokens are kept as hashes; names and peers that failed to log
in as keyed hashes, for an hour.
"""

from __future__ import annotations

import hmac
import re
import secrets
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import ARGON2_VERSION
from sqlalchemy import Connection, Row, delete, func, insert, select, update

from believable.core import ids
from believable.core.errors import Conflict, InvalidInput, NotFound, Refused, TooManyTries
from believable.core.registry import did_you_mean
from believable.store.database_tables import attempts, logins, one_time_links, users
from believable.store.rights import Rights, rights_of

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """A browser that is logged in. `csrf` is the token its forms must carry."""

    user: User
    rights: Rights
    csrf: str
    token_hash: str
    created_ms: int
    expires_ms: int


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


def _user(row: Row[str, str | None, bool, int, bool]) -> User:
    return User(
        name=row.name,
        administrator=bool(row.administrator),
        disabled=bool(row.disabled),
        has_password=row.password_hash is not None,
        created_ms=row.created_ms,
    )


def everyone(conn: Connection) -> tuple[User, ...]:
    rows = conn.execute(select(users).order_by(users.c.created_ms, users.c.name))
    return tuple(_user(row) for row in rows)


def find(conn: Connection, name: str) -> User:
    row = conn.execute(select(users).where(users.c.name == name.strip().lower())).one_or_none()
    if row is None:
        known = conn.execute(select(users.c.name)).scalars()
        raise NotFound(f"unknown user {name!r}. {did_you_mean(name, known)}")
    return _user(row)


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
            f"{user.name!r} is the last administrator. Make somebody else one first, then {deed}."
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


@dataclass(frozen=True, slots=True)
class Try:
    """An attempt to log in that may go on to the password. `stored` is None for users who cannot
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
    return Try(_user(row), row.password_hash)


def forget_tries(conn: Connection, key: bytes, name: str, peer: str, device: str = "") -> None:
    """After a success: what was tried with this name counts no more. What the peer tried with other
    names still does.
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
    """For the cookie of a browser in which this person has just logged in. Nobody without the key
    can make one.
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
    """A new log-in: the token for the cookie, and what is known about it."""
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


def log_out_everywhere(conn: Connection, name: str) -> int:
    """Ends all log-ins of a user and says how many there were."""
    return conn.execute(delete(logins).where(logins.c.user == name)).rowcount


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
