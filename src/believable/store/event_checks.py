"""Checks events before anything stores them: number, size, and form of each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

import orjson

from believable.core.errors import InvalidInput, TooLarge
from believable.core.ids import token_hash

#: Events in one batch at most.
MAX_EVENTS = 500
#: Characters of one event at most: an answer of a million characters, escaped, and what surrounds
#: it.
MAX_BODY_CHARS = 4_000_000
#: Characters of one batch at most.
MAX_BATCH_CHARS = 8_000_000
#: Numbers are 32-bit in the database.
MAX_SEQ = 2**31 - 1
_FIELDS = frozenset({"kind", "trial", "at_ms", "mono_ms", "data"})
_KIND = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A parsed event. `trial` is the position of the page, None before the first."""

    seq: int
    kind: str
    trial: int | None
    at_ms: float
    mono_ms: float
    data: dict[str, Any]
    received_ms: int


def check_batch(token: str, epoch: int, numbered: Iterable[tuple[int, str]]) -> EventBatch:
    """Check a batch from a browser, so that nothing malformed is ever stored."""
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
                f"a batch takes at most {MAX_EVENTS} events and {MAX_BATCH_CHARS} characters. Send"
                " several."
            )
        check_body(seq, body)
        pairs.append((seq, body))
    seen: dict[int, str] = {}
    for seq, body in pairs:
        if seen.setdefault(seq, body) != body:
            raise InvalidInput(
                f"event {seq} is twice in one batch, with different content. Number events once."
            )
    return EventBatch(token_hash(token), epoch, tuple(seen.items()))


def _pair(item: Any) -> tuple[int, str]:
    if not isinstance(item, list | tuple) or len(item) != 2:
        raise InvalidInput(
            f"events: expected pairs [seq, body], got {str(item)[:60]!r}. Send each event as such a"
            " pair."
        )
    seq, body = item
    if isinstance(seq, bool) or not isinstance(seq, int) or not 1 <= seq <= MAX_SEQ:
        raise InvalidInput(
            f"events: expected a number from 1, got {str(seq)[:40]!r}. Number the session's events"
            " from 1."
        )
    if not isinstance(body, str):
        raise InvalidInput(
            f"event {seq}: expected its JSON as text, got {type(body).__name__}. Send what was"
            " hashed."
        )
    if len(body) > MAX_BODY_CHARS:
        raise TooLarge(
            f"event {seq} has {len(body)} characters; at most {MAX_BODY_CHARS} are taken. Shorten"
            " the answer."
        )
    return seq, body


def check_body(seq: int, body: str) -> None:
    """A JSON object with exactly the declared fields."""
    value = _load(seq, body)
    if not isinstance(value, dict) or value.keys() != _FIELDS:
        got = sorted(value)[:12] if isinstance(value, dict) else type(value).__name__
        raise InvalidInput(
            f"event {seq}: expected an object with {', '.join(sorted(_FIELDS))}, got {got}. Send"
            " these fields."
        )
    kind, trial, data = value["kind"], value["trial"], value["data"]
    if not isinstance(kind, str) or len(kind) > 64 or not _KIND.fullmatch(kind):
        raise InvalidInput(
            f"event {seq}: expected a kind such as 'answer.change', got {str(kind)[:60]!r}. Name"
            " the kind."
        )
    if trial is not None and (
        isinstance(trial, bool) or not isinstance(trial, int) or not 0 <= trial <= MAX_SEQ
    ):
        raise InvalidInput(
            f"event {seq}: expected the position of the trial or null, got {str(trial)[:40]!r}."
            " Correct it."
        )
    if not isinstance(data, dict):
        raise InvalidInput(
            f"event {seq}: expected an object as data, got {type(data).__name__}. Send {{}} for"
            " none."
        )
    for name in ("at_ms", "mono_ms"):
        number = value[name]
        if (
            isinstance(number, bool)
            or not isinstance(number, int | float)
            or not abs(number) < 1e15
        ):
            raise InvalidInput(
                f"event {seq}: expected milliseconds as {name}, got {str(number)[:40]!r}. Send a"
                " number."
            )


def _load(seq: int, body: str) -> Any:
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
            f"event {seq}: expected JSON text, got {body[:60]!r} ({error}). Send the hashed text."
        ) from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def parse_event(seq: int, body: str, received_ms: int) -> Event:
    """A stored body as a record."""
    value = _load(seq, body)
    return Event(
        seq=seq,
        kind=value["kind"],
        trial=value["trial"],
        at_ms=value["at_ms"],
        mono_ms=value["mono_ms"],
        data=value["data"],
        received_ms=received_ms,
    )


@dataclass(frozen=True, slots=True)
class EventBatch:
    """Checked events of one session, from one tab (`epoch`)."""

    token_hash: str
    epoch: int
    events: tuple[tuple[int, str], ...]
