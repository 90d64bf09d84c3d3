"""Flags and the actions they are about, as rows. Browsers know actions under other ids; here they get their own back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from believable.bundle.tables import Cell
from believable.core.errors import InvalidInput
from believable.replay import actions, file
from believable.replay.actions import ActionLog, log_of
from believable.study.definition import Definition, Medium

Row = Mapping[str, Cell]


class Logs:
    """The action logs of a study's media, read once each. `media_dir` is where the copies are that sessions were shown."""

    def __init__(self, media_dir: Path | None) -> None:
        self._media_dir = media_dir
        self._known: dict[str, ActionLog] = {}

    def of(self, medium: Medium | None) -> ActionLog | None:
        """The log of a medium; None where it has none."""
        digest = None if medium is None else medium.log_digest
        if medium is None or digest is None:
            return None
        if digest not in self._known:
            path = self._path(digest)
            self._known[digest] = log_of(file.read(path)) if medium.is_replay else actions.read_actions(path)
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
        if self._media_dir is None or not (self._media_dir / digest).is_file():
            where = (
                "no media folder was given" if self._media_dir is None else f"it is not in {self._media_dir}"
            )
            raise InvalidInput(
                f"the log of actions {digest[:12]} is needed to name what was marked, and {where}."
                " Export from the data folder that the study ran with."
            )
        return self._media_dir / digest


def action_rows(definitions: Sequence[Definition], logs: Logs) -> Iterator[Row]:
    """Every logged action of every stimulus, once per version of its file."""
    for stimulus, digest, log in logs.each(definitions):
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
            }


@dataclass(slots=True)
class _Flag:
    """A flag on its way through the events."""

    seq: int
    position: int
    media_ms: float
    shown_action: str | None
    reason: str
    edits: int = 0
    undone: bool = False


@dataclass(frozen=True, slots=True)
class FlagEvent:
    """One event about a flag."""

    seq: int
    kind: str
    position: int
    data: Mapping[str, Any]


def flag_rows(
    events: Iterator[FlagEvent], shown: Callable[[int], tuple[str | None, ActionLog | None]], session: str
) -> Iterator[Row]:
    """One row per flag as it stands in the end, also those that were taken back. `shown` tells stimulus and log of a position."""
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
            "reason": flag.reason or None,
            "edits": flag.edits,
            "undone": flag.undone,
        }


def _flags(events: Iterator[FlagEvent]) -> list[tuple[str, _Flag]]:
    """In the order they were set. A number that comes again (the session began again) is another flag."""
    found: list[tuple[str, _Flag]] = []
    open_ones: dict[tuple[int, str], _Flag] = {}
    for event in events:
        name = event.data.get("flag")
        if not isinstance(name, str):
            continue
        known = open_ones.get((event.position, name))
        if event.kind == "flag.add":
            media_ms, action = event.data.get("media_ms"), event.data.get("action")
            if not isinstance(media_ms, int | float) or isinstance(media_ms, bool):
                continue
            flag = _Flag(
                event.seq,
                event.position,
                media_ms,
                action if isinstance(action, str) else None,
                _text(event.data),
            )
            open_ones[event.position, name] = flag
            found.append((name, flag))
        elif event.kind == "flag.edit" and known is not None:
            known.reason, known.edits = _text(event.data), known.edits + 1
        elif event.kind == "flag.remove" and known is not None:
            known.undone = True
    return found


def _text(data: Mapping[str, Any]) -> str:
    reason = data.get("reason")
    return reason if isinstance(reason, str) else ""


def _action_id(flag: _Flag, log: ActionLog | None) -> str | None:
    """The authored id. A flag on a moment belongs to the action that was going on, if there was exactly one."""
    if log is None:
        return None
    if flag.shown_action is not None:
        return log.authored_id(flag.shown_action)
    going = log.during(flag.media_ms)
    return going[0].id if len(going) == 1 else None
