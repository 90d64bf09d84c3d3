"""Events: the content of each kind, and the hash chain over a session's events.

The head of the chain is the proof that all of them are stored, in order, to the letter.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class EventKind:
    """One kind of event that the browser records: its name, its data, and its meaning.

    `data` names the keys of the event's data, in the order they are written. `is_input`: whether a
    page counts it as an input of the participant (`min_inputs`). `table` is the shared table of a
    bundle that it goes into (`traces`, `flags`, `reactions`). Without one an event of an instrument
    gets a table named after it, with a column for each key; `types` says of which type (string if
    it does not).
    """

    kind: str
    data: tuple[str, ...]
    about: str
    is_input: bool = True
    table: Literal["traces", "flags", "reactions"] | None = None
    types: Mapping[str, Literal["string", "integer", "number", "boolean"]] = field(
        default_factory=dict, hash=False
    )

    @property
    def own_table(self) -> str:
        """`mood.change` → `mood_change`."""
        return self.kind.replace(".", "_")


#: The events of the page itself. Players and annotating instruments declare separate ones.
PAGE_EVENTS = (
    EventKind(
        "page.open",
        ("storage", "width", "height", "pixel_ratio", "frame_clock", "hidden"),
        "the page was loaded: its store for unsent events, and its size",
    ),
    EventKind("page.hidden", (), "another tab or window covers the page"),
    EventKind("page.visible", (), "the page can be seen again"),
    EventKind("page.blur", (), "another window has the keyboard"),
    EventKind("page.focus", (), "this window has the keyboard again"),
    EventKind(
        "trial.shown",
        ("kind", "orders"),
        "a page of the study is there; `orders`: options that were shuffled",
    ),
    EventKind("answer.change", ("question", "value"), "an answer was changed"),
    EventKind("text.paste", ("question", "length"), "characters were pasted into a text"),
    EventKind("trial.submit", ("answers",), "the page was submitted, with its answers"),
    EventKind("consent.decline", (), "the person did not agree to take part"),
    EventKind("session.later", (), "the person asked for the code to continue later"),
    EventKind(
        "device.tones",
        ("state", "row", "attempt"),
        "a row of tones of a device check was played (from 0), on which attempt (from 1); whether"
        " the browser let it sound",
    ),
    EventKind(
        "overlay.open", ("which", "media_ms"), "the plan or log next to the player was opened"
    ),
    EventKind("overlay.close", ("which", "media_ms"), "it was closed"),
    EventKind("play.connected", ("attempt", "received"), "the page has joined the round"),
    EventKind(
        "play.input", ("attempt", "inputs"), "inputs of a round, gathered for a quarter of a second"
    ),
    EventKind(
        "play.state",
        ("attempt", "state", "tick"),
        "the round began, paused, continued or ended, as the page saw it",
    ),
    EventKind("play.lost", ("was",), "the connection of a round was lost"),
    EventKind("play.over", ("score",), "the round is over"),
)


def origin(session_id: str) -> str:
    """The head before the first event."""
    return hashlib.sha256(f"believable/1 {session_id}".encode()).hexdigest()


def extend(head: str, bodies: Iterable[str]) -> str:
    """The head after these further events."""
    for body in bodies:
        head = hashlib.sha256(f"{head}\n{body}".encode()).hexdigest()
    return head
