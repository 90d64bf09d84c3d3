"""The second factor of an account: a secret for one-time codes, codes for the day the device is
lost, and whether all must.

Secrets are in the database under the server's key: a copy of the database alone makes no codes.
Recovery codes are kept as keyed hashes. A used code is refused.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select, update

from believable.core import ids
from believable.core.errors import InvalidInput, Refused
from believable.core.one_time_codes import SECRET_BYTES, matching_step
from believable.store import accounts, log_ins
from believable.store.tables.accounts import recovery_codes, second_factors, server_rules

N_RECOVERY_CODES = 10
#: Wrong codes in a quarter of an hour. They count only after the right password: strangers cannot
#: use this up.
WRONG_CODES = 8
_RULE = "second factor"


@dataclass(frozen=True, slots=True)
class SecondFactor:
    """`on` once a first code was right; `n_recovery` codes for emergencies are left."""

    on: bool
    n_recovery: int


def second_factor(conn: Connection, user: str) -> SecondFactor:
    confirmed = conn.execute(
        select(second_factors.c.confirmed_ms).where(second_factors.c.user == user)
    ).scalar()
    left = conn.execute(select(func.count()).where(recovery_codes.c.user == user)).scalar_one()
    return SecondFactor(confirmed is not None, int(left))


def propose(conn: Connection, key: bytes, user: str) -> bytes:
    """A secret that counts once a code made with it was typed. One that is in use must be taken off
    first.
    """
    if second_factor(conn, user).on:
        raise Refused("a second factor is in use already. Take it off first, with a code of it.")
    conn.execute(delete(second_factors).where(second_factors.c.user == user))
    secret, nonce = secrets.token_bytes(SECRET_BYTES), ids.new_token()
    hidden = _under_key(key, user, nonce, secret).hex()
    conn.execute(insert(second_factors).values(user=user, nonce=nonce, secret=hidden, step=0))
    return secret


def proposed_secret(conn: Connection, key: bytes, user: str) -> bytes | None:
    """The secret that was proposed and not confirmed yet."""
    row = conn.execute(select(second_factors).where(second_factors.c.user == user)).one_or_none()
    if row is None or row.confirmed_ms is not None:
        return None
    return _under_key(key, user, row.nonce, bytes.fromhex(row.secret))


def confirm(conn: Connection, key: bytes, user: str, code: str, *, now_ms: int) -> tuple[str, ...]:
    """From here on a code is asked for. Gives the recovery codes, which are not kept readable."""
    secret = proposed_secret(conn, key, user)
    if secret is None:
        raise Refused("there is no new secret to confirm. Begin again.")
    step = matching_step(secret, code, now_ms=now_ms, after=0)
    if step is None:
        raise InvalidInput(
            "code: that is not the code of this moment. Type the six digits that the app shows now."
        )
    conn.execute(
        update(second_factors)
        .where(second_factors.c.user == user)
        .values(confirmed_ms=now_ms, step=step)
    )
    codes = tuple(_recovery_code() for _ in range(N_RECOVERY_CODES))
    _put_recovery(conn, key, user, codes)
    return codes


def check_code(conn: Connection, key: bytes, user: str, code: str, *, now_ms: int) -> bool:
    """Whether this code of the moment, or recovery code, lets the user in. Either works once. Wrong
    ones are counted.
    """
    who = ids.keyed_hash(key, "second factor", user)
    window_ms = log_ins.LIMIT_WINDOW_MS
    accounts.check_tries(
        conn, what="second", who=who, limit=WRONG_CODES, window_ms=window_ms, now_ms=now_ms
    )
    if _spend_step(conn, key, user, code, now_ms=now_ms) or _spend_recovery(conn, key, user, code):
        return True
    accounts.note_failed_try(conn, what="second", who=who, now_ms=now_ms)
    return False


def take_off(conn: Connection, user: str) -> None:
    for table in (second_factors, recovery_codes):
        conn.execute(delete(table).where(table.c.user == user))


def _spend_step(conn: Connection, key: bytes, user: str, code: str, *, now_ms: int) -> bool:
    row = conn.execute(select(second_factors).where(second_factors.c.user == user)).one_or_none()
    if row is None or row.confirmed_ms is None:
        return False
    step = matching_step(
        _under_key(key, user, row.nonce, bytes.fromhex(row.secret)),
        code,
        now_ms=now_ms,
        after=row.step,
    )
    if step is None:
        return False
    mine = (second_factors.c.user == user) & (second_factors.c.step < step)
    return conn.execute(update(second_factors).where(mine).values(step=step)).rowcount == 1


def _spend_recovery(conn: Connection, key: bytes, user: str, code: str) -> bool:
    mine = (recovery_codes.c.user == user) & (
        recovery_codes.c.code_hash == _recovery_hash(key, user, code)
    )
    return conn.execute(delete(recovery_codes).where(mine)).rowcount == 1


def _recovery_code() -> str:
    """50 bits, without letters that look alike."""
    text = "".join(secrets.choice("abcdefghjkmnpqrstuvwxyz23456789") for _ in range(10))
    return f"{text[:5]}-{text[5:]}"


def _recovery_hash(key: bytes, user: str, code: str) -> str:
    typed = "".join(character for character in code.lower() if character.isalnum())
    return ids.keyed_hash(key, "recovery code", user, typed)


def _put_recovery(conn: Connection, key: bytes, user: str, codes: Sequence[str]) -> None:
    conn.execute(delete(recovery_codes).where(recovery_codes.c.user == user))
    rows = [{"user": user, "code_hash": _recovery_hash(key, user, code)} for code in codes]
    conn.execute(insert(recovery_codes), rows)


def _under_key(key: bytes, user: str, nonce: str, secret: bytes) -> bytes:
    """Hides and shows alike: the secret against a pad that only the key makes, once per nonce."""
    pad = bytes.fromhex(ids.keyed_hash(key, "second factor's secret", user, nonce))
    return bytes(left ^ right for left, right in zip(secret, pad, strict=False))


# ---------------------------------------------------------------------------------------------- the
# rule for all


def is_required(conn: Connection) -> bool:
    """Whether administrators have decided that all users need one."""
    return (
        conn.execute(select(server_rules.c.value).where(server_rules.c.name == _RULE)).scalar()
        == "required"
    )


def require(conn: Connection, wanted: bool) -> None:
    conn.execute(delete(server_rules).where(server_rules.c.name == _RULE))
    if wanted:
        conn.execute(insert(server_rules).values(name=_RULE, value="required"))
