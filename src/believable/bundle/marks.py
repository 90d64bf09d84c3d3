"""Traces and flags, and the actions and plans in recordings that they are about, as rows.

Browsers know actions under other ids; here they get their own back. Traces of practice stay in the
raw events.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from believable.bundle.tables import BY_NAME, Row, declare_table
from believable.core.errors import InvalidInput
from believable.core.object_storage import medium_file
from believable.instruments.tracing import HOLD, MARK, SAMPLE, repeats
from believable.recordings import actions, file
from believable.recordings.actions import ActionLog, log_of
from believable.study.definition import Definition, Medium

#: Event → the key of its data that holds the value.
TRACE_VALUES = {SAMPLE.kind: "value", MARK.kind: "sign", HOLD.kind: "sign"}

#: How a flag was set, as the table has it.
HOW = next(field.one_of for field in BY_NAME["flags"].fields if field.name == "how")
CHOICE = "choice"

#: An hour at ten a second; no browser of ours holds a key for longer.
MOST_REPEATS = 36_000

PLANS = declare_table("plans")


class Happening(NamedTuple):
    """An event, read. `position` is that of its page, None if it belongs to none."""

    seq: int
    kind: str
    position: int | None
    at_ms: int | None
    mono_ms: float | None
    data: Mapping[str, Any]


class Logs:
    """The action logs of a study's media, read once each. `media_dir` is where the copies are that
    sessions were shown.
    """

    def __init__(self, media_dir: Path | None) -> None:
        self._media_dir = media_dir
        self._known: dict[str, ActionLog] = {}

    def of(self, medium: Medium | None) -> ActionLog | None:
        """The log of a medium; None if it has none."""
        digest = None if medium is None else medium.log_digest
        if medium is None or digest is None:
            return None
        if digest not in self._known:
            path = self._path(digest)
            self._known[digest] = (
                log_of(file.read(path)) if medium.is_replay else actions.read_actions(path)
            )
        return self._known[digest]

    def each(self, definitions: Sequence[Definition]) -> Iterator[tuple[str, str, ActionLog]]:
        """Stimulus, digest and log, once per version of a stimulus's file."""
        done: set[tuple[str, str]] = set()
        for definition in definitions:
            for stimulus, medium in definition.media.items():
                digest, log = medium.log_digest, self.of(medium)
                if log is None or digest is None or (stimulus, digest) in done:
                    continue
                done.add((stimulus, digest))
                yield stimulus, digest, log

    def _path(self, digest: str) -> Path:
        path = None if self._media_dir is None else medium_file(self._media_dir, digest)
        if path is None or not path.is_file():
            where = (
                "no media folder was given"
                if self._media_dir is None
                else f"it is not in {self._media_dir}"
            )
            raise InvalidInput(
                f"the log of actions {digest[:12]} is needed to name what was marked, and {where}."
                " Export from the data folder that the study ran with."
            )
        return path


def action_rows(stimulus: str, digest: str, log: ActionLog) -> Iterator[Row]:
    """Every logged action of a stimulus."""
    for action in log.actions:
        yield {
            "stimulus": stimulus,
            "log": digest,
            "action": action.id,
            "actor": action.actor,
            "from_ms": action.t0_ms,
            "to_ms": action.t1_ms,
            "verb": action.verb,
            "object": action.object,
            "place": action.place,
            "text": action.text,
            "activity": action.activity,
            "violations": action.violations,
        }


def plan_rows(stimulus: str, digest: str, log: ActionLog) -> Iterator[Row]:
    """Every step of every plan of a stimulus."""
    for step in log.plans:
        yield {
            "stimulus": stimulus,
            "log": digest,
            "step": step.id,
            "actor": step.actor,
            "parent": step.parent,
            "level": step.level,
            "from_ms": step.t0_ms,
            "to_ms": step.t1_ms,
            "text": step.text,
            "fulfilled": step.fulfilled,
        }


@dataclass(slots=True)
class _KeyPress:
    """A key press with the actions that it offered, under the ids that the browser knows, and how
    long the choice took.
    """

    offered: tuple[str, ...]
    delay_ms: float | None = None
    choice_ms: float | None = None


@dataclass(slots=True, kw_only=True)
class _FlagState:
    """A flag on its way through the events."""

    seq: int
    position: int
    media_ms: float
    shown_action: str | None
    reason: str
    how: str | None = None
    press: _KeyPress | None = None
    edits: int = 0
    undone: bool = False


def flag_rows(
    events: Iterator[Happening],
    shown: Callable[[int], tuple[str | None, ActionLog | None]],
    session: str,
) -> Iterator[Row]:
    """One row per flag in its final state, also those that were taken back. `shown` returns
    stimulus and log of a position.
    """
    for number, flag in _flags(events):
        stimulus, log = shown(flag.position)
        yield {
            "session": session,
            "position": flag.position,
            "stimulus": stimulus,
            "flag": number,
            "seq": flag.seq,
            "media_ms": flag.media_ms,
            "action": _action_id(flag, log),
            "how": flag.how,
            "offered": _offered_ids(flag.press, log),
            "delay_ms": None if flag.press is None else flag.press.delay_ms,
            "choice_ms": None if flag.press is None else flag.press.choice_ms,
            "reason": flag.reason or None,
            "edits": flag.edits,
            "undone": flag.undone,
        }


def _flags(events: Iterator[Happening]) -> list[tuple[str, _FlagState]]:
    """In the order they were set. A repeated number (the session began again) is another flag."""
    flags: list[tuple[str, _FlagState]] = []
    open_ones: dict[tuple[int, str], _FlagState] = {}
    presses: dict[int, _KeyPress] = {}
    for event in events:
        if event.position is not None and event.kind in ("flag.press", "flag.choice"):
            _note_press(presses, event.position, event)
        name = event.data.get("flag")
        if not isinstance(name, str) or event.position is None:
            continue
        known = open_ones.get((event.position, name))
        if event.kind == "flag.add":
            media_ms, action = event.data.get("media_ms"), event.data.get("action")
            if not isinstance(media_ms, int | float) or isinstance(media_ms, bool):
                continue
            how = event.data.get("how")
            flag = _FlagState(
                seq=event.seq,
                position=event.position,
                media_ms=media_ms,
                shown_action=action if isinstance(action, str) else None,
                reason=_text(event.data),
                how=how if how in HOW else None,
                press=presses.get(event.position) if how == CHOICE else None,
            )
            open_ones[event.position, name] = flag
            flags.append((name, flag))
        elif event.kind == "flag.edit" and known is not None:
            known.reason, known.edits = _text(event.data), known.edits + 1
        elif event.kind == "flag.remove" and known is not None:
            known.undone = True
    return flags


def _note_press(presses: dict[int, _KeyPress], position: int, event: Happening) -> None:
    """Keep the last press of a page. Its choice precedes the flag to which it leads."""
    if event.kind == "flag.press":
        offered = event.data.get("offered")
        names = offered if isinstance(offered, list) else ()
        presses[position] = _KeyPress(tuple(name for name in names if isinstance(name, str)))
    elif position in presses:
        presses[position].delay_ms = _finite(event.data.get("delay_ms"))
        presses[position].choice_ms = _finite(event.data.get("choice_ms"))


def _offered_ids(press: _KeyPress | None, log: ActionLog | None) -> str | None:
    """Authored ids of the offered actions, in the order of the offer."""
    if press is None or log is None:
        return None
    return (
        " ".join(known for name in press.offered if (known := log.authored_id(name)) is not None)
        or None
    )


def reaction_rows(events: Iterable[Happening], session: str) -> Iterator[Row]:
    """One row per trial of a practice that measures reactions. An event without numbers was made by
    no browser of ours.
    """
    for event in events:
        data = event.data
        attempt, number, early = (_finite(data.get(name)) for name in ("try", "trial", "early"))
        if event.position is None or attempt is None or number is None:
            continue
        yield {
            "session": session,
            "position": event.position,
            "seq": event.seq,
            "try": int(attempt),
            "number": int(number),
            "delay_ms": _finite(data.get("delay_ms")),
            "early": int(early or 0),
        }


def _text(data: Mapping[str, Any]) -> str:
    reason = data.get("reason")
    return reason if isinstance(reason, str) else ""


def _action_id(flag: _FlagState, log: ActionLog | None) -> str | None:
    """The authored id. A flag on a moment belongs to the action in progress, if there was exactly
    one.
    """
    if log is None:
        return None
    if flag.shown_action is not None:
        return log.authored_id(flag.shown_action)
    going = log.during(flag.media_ms)
    return going[0].id if len(going) == 1 else None


def trace_rows(
    events: Iterable[Happening], about: Callable[[Happening], Row | None]
) -> Iterator[Row]:
    """One row per sample or mark, and per repetition of a mark that was held. `about` gives the
    columns of its trial; None if nothing is to be annotated there. An event that lacks its value or
    its time was made by no browser of ours: it stays in the raw file and gives no row.
    """
    for event in events:
        columns = about(event)
        value, media_ms = (
            _finite(event.data.get(TRACE_VALUES[event.kind])),
            _finite(event.data.get("media_ms")),
        )
        if columns is None or value is None or media_ms is None or event.at_ms is None:
            continue
        how = event.data.get("input")
        columns = {
            **columns,
            "seq": event.seq,
            "value": value,
            "input": how if isinstance(how, str) else None,
        }
        if event.kind == HOLD.kind:
            yield from _repetitions(event, columns, media_ms, event.at_ms)
            continue
        frame = event.data.get("frame")
        yield {
            **columns,
            "at_ms": event.at_ms,
            "mono_ms": event.mono_ms,
            "media_ms": media_ms,
            "frame": frame if isinstance(frame, int) and not isinstance(frame, bool) else None,
        }


def _repetitions(event: Happening, columns: Row, to_ms: float, at_ms: int) -> Iterator[Row]:
    """The repetitions of a held mark. Their clocks are reckoned back from when the key was let go;
    their picture is not known.
    """
    from_ms, repeat_ms = _finite(event.data.get("from_ms")), _finite(event.data.get("repeat_ms"))
    if from_ms is None or repeat_ms is None or not 0 <= to_ms - from_ms <= MOST_REPEATS * repeat_ms:
        return
    for media_ms in repeats(from_ms, to_ms, repeat_ms):
        ago_ms = to_ms - media_ms
        mono_ms = None if event.mono_ms is None else event.mono_ms - ago_ms
        yield {
            **columns,
            "at_ms": round(at_ms - ago_ms),
            "mono_ms": mono_ms,
            "media_ms": media_ms,
            "frame": None,
        }


def _finite(value: Any) -> int | float | None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if number and math.isfinite(value) else None
