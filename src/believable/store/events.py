"""Events: immutable, numbered, kept to the letter. Checking what comes in, and reading it back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import orjson
from sqlalchemy import Connection, select

from believable.core.errors import InvalidInput, TooLarge
from believable.core.ids import token_hash
from believable.store.append import Batch
from believable.store.tables import events, strays

#: Events in one batch at most.
MAX_EVENTS = 500
#: Characters of one event at most: an answer of a million characters, escaped, and what surrounds it.
MAX_BODY_CHARS = 4_000_000
#: Characters of one batch at most.
MAX_BATCH_CHARS = 8_000_000
#: Numbers are 32-bit in the database.
MAX_SEQ = 2**31 - 1

#: Events read at once.
PAGE = 1_000

_FIELDS = frozenset({"kind", "trial", "at_ms", "mono_ms", "data"})
_KIND = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*")


@dataclass(frozen=True, slots=True)
class Event:
    """A parsed event. `trial` is the position of the page, None before the first."""

    seq: int
    kind: str
    trial: int | None
    at_ms: float
    mono_ms: float
    data: dict[str, Any]
    received_ms: int


def batch(token: str, epoch: int, numbered: Iterable[tuple[int, str]]) -> Batch:
    """Check what a browser sent, so that nothing malformed is ever stored."""
    if isinstance(epoch, bool) or not isinstance(epoch, int) or not 0 <= epoch <= MAX_SEQ:
        raise InvalidInput(
            f"epoch: expected a whole number from `claim`, got {epoch!r}. Claim the session first."
        )
    pairs: list[tuple[int, str]] = []
    n_chars = 0
    for item in numbered:
        seq, body = _pair(item)
        n_chars += len(body)
        if len(pairs) == MAX_EVENTS or n_chars > MAX_BATCH_CHARS:
            raise TooLarge(
                f"a batch takes at most {MAX_EVENTS} events and {MAX_BATCH_CHARS} characters. Send several."
            )
        check_body(seq, body)
        pairs.append((seq, body))
    seen: dict[int, str] = {}
    for seq, body in pairs:
        if seen.setdefault(seq, body) != body:
            raise InvalidInput(
                f"event {seq} stands twice in one batch, with different content. Number events once."
            )
    return Batch(token_hash(token), epoch, tuple(seen.items()))


def _pair(item: Any) -> tuple[int, str]:
    if not isinstance(item, list | tuple) or len(item) != 2:
        raise InvalidInput(
            f"events: expected pairs [seq, body], got {str(item)[:60]!r}. Send each event as such a pair."
        )
    seq, body = item
    if isinstance(seq, bool) or not isinstance(seq, int) or not 1 <= seq <= MAX_SEQ:
        raise InvalidInput(
            f"events: expected a number from 1, got {str(seq)[:40]!r}. Number the session's events from 1."
        )
    if not isinstance(body, str):
        raise InvalidInput(
            f"event {seq}: expected its JSON as text, got {type(body).__name__}. Send what was hashed."
        )
    if len(body) > MAX_BODY_CHARS:
        raise TooLarge(
            f"event {seq} has {len(body)} characters; at most {MAX_BODY_CHARS} are taken. Shorten the answer."
        )
    return seq, body


def check_body(seq: int, body: str) -> None:
    """A JSON object with exactly the declared fields."""
    value = _parse(seq, body)
    if not isinstance(value, dict) or value.keys() != _FIELDS:
        found = sorted(value)[:12] if isinstance(value, dict) else type(value).__name__
        raise InvalidInput(
            f"event {seq}: expected an object with {', '.join(sorted(_FIELDS))}, got {found}. Send these fields."
        )
    kind, trial, data = value["kind"], value["trial"], value["data"]
    if not isinstance(kind, str) or len(kind) > 64 or not _KIND.fullmatch(kind):
        raise InvalidInput(
            f"event {seq}: expected a kind such as 'answer.change', got {str(kind)[:60]!r}. Name the kind."
        )
    if trial is not None and (
        isinstance(trial, bool) or not isinstance(trial, int) or not 0 <= trial <= MAX_SEQ
    ):
        raise InvalidInput(
            f"event {seq}: expected the position of the trial or null, got {str(trial)[:40]!r}. Correct it."
        )
    if not isinstance(data, dict):
        raise InvalidInput(
            f"event {seq}: expected an object as data, got {type(data).__name__}. Send {{}} for none."
        )
    for name in ("at_ms", "mono_ms"):
        number = value[name]
        if isinstance(number, bool) or not isinstance(number, int | float) or not abs(number) < 1e15:
            raise InvalidInput(
                f"event {seq}: expected milliseconds as {name}, got {str(number)[:40]!r}. Send a number."
            )


def _parse(seq: int, body: str) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        pass
    # Half an emoji, as a browser can hold one, is legal JSON when escaped; orjson alone refuses it.
    try:
        body.encode()
        return json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            f"event {seq}: expected JSON text, got {body[:60]!r} ({error}). Send what was hashed."
        ) from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def parse(seq: int, body: str, received_ms: int) -> Event:
    """A stored body as a record."""
    value = _parse(seq, body)
    return Event(
        seq, value["kind"], value["trial"], value["at_ms"], value["mono_ms"], value["data"], received_ms
    )


def get(conn: Connection, session: str, seq: int) -> Event | None:
    query = select(events.c.body, events.c.received_ms).where(
        events.c.session == session, events.c.seq == seq
    )
    row = conn.execute(query).one_or_none()
    return None if row is None else parse(seq, row.body, row.received_ms)


def since(conn: Connection, session: str, after_seq: int, *, containing: str) -> Iterator[Event]:
    """Events above a number whose text contains `containing` (a kind, say), in order, parsed."""
    for seq, body, received_ms in bodies(conn, session, after_seq):
        if containing in body:
            yield parse(seq, body, received_ms)


def bodies(conn: Connection, session: str, after_seq: int = 0) -> Iterator[tuple[int, str, int]]:
    """(seq, body, received_ms) above a number, in order, a page at a time."""
    query = select(events.c.seq, events.c.body, events.c.received_ms).where(events.c.session == session)
    while True:
        page = conn.execute(query.where(events.c.seq > after_seq).order_by(events.c.seq).limit(PAGE)).all()
        for row in page:
            yield row.seq, row.body, row.received_ms
        if len(page) < PAGE:
            return
        after_seq = page[-1].seq


def strays_of(conn: Connection, session: str) -> tuple[tuple[int, int, str, int], ...]:
    """(epoch, seq, body, received_ms) of what came from tabs that had been taken over."""
    query = (
        select(strays.c.epoch, strays.c.seq, strays.c.body, strays.c.received_ms)
        .where(strays.c.session == session)
        .order_by(strays.c.epoch, strays.c.seq)
    )
    return tuple((row.epoch, row.seq, row.body, row.received_ms) for row in conn.execute(query))
