"""A desk on each kind of database, a small study with everything in it, and somebody who takes
part.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from believable.collect.advance import AdvanceResult
from believable.collect.desk import Collect
from believable.collect.join import SessionClaim
from believable.collect.leave import SessionEnd
from believable.core import event_chain
from believable.core.clock import VirtualClock
from believable.store.engine import Store
from believable.study.definition import Definition, Medium
from believable.study.load import load

STUDY = """\
believable: 1
title: A small study
seed: 7
{head}
conditions: [human, scripted]
stimuli:
  - {{id: h1, file: h1.mp4, condition: human}}
  - {{id: s1, file: s1.mp4, condition: scripted}}
arms: {{tool: [first, second]}}
timeline:
  - consent: {{id: consent, text: Please agree., require: [adult, agree]}}
  - form:
      id: about
      questions:
        - {{id: age, prompt: Age, number: {{min: 18}}}}
        - {{id: plays, prompt: Do you play?, choice: {{options: ["yes", "no"]}}}}
        - {{id: what, prompt: What?, text: {{}}, show_if: {{answer: about.plays, is: "yes"}}}}
        - {{id: remark, prompt: Remark, required: false, long_text: {{}}}}
  - check:
      id: attention
      question: {{id: sky, prompt: The sky?, choice: {{options: [blue, pink]}}}}
      correct: blue
      attempts: 2
      on_fail: {on_fail}
  - block:
      id: clips
      order: latin_square
      over: condition
      each:
        - watch: {{id: clip, ask: [{{id: human, prompt: Human?, likert: {{points: 5}}}}]}}
  - break: {{id: pause, at_least_s: 10}}
  - text: {{id: players_only, text: Only here, skip_if: {{answer: about.plays, is: "no"}}}}
  - finish: {{id: end{finish}}}
"""
KEY = b"k" * 32
MEDIA = {
    "h1": Medium(digest="a" * 64, bytes=10, duration_ms=6000, media_type="video/mp4"),
    "s1": Medium(digest="b" * 64, bytes=10, duration_ms=6000, media_type="video/mp4"),
}

MakeDefinition = Callable[..., Definition]


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def make_definition(tmp_path: Path) -> MakeDefinition:
    """The study, with more lines at its head, another fate of failed checks, or more on its last
    page.
    """

    def make(head: str = "", on_fail: str = "screen_out", finish: str = "") -> Definition:
        folder = tmp_path / "study"
        folder.mkdir(exist_ok=True)
        text = STUDY.format(head=head, on_fail=on_fail, finish=finish)
        (folder / "study.yaml").write_text(text, encoding="utf-8")
        return load(folder, clock=VirtualClock()).with_media(MEDIA)

    return make


@pytest.fixture
def desk(database_url: str, clock: VirtualClock, tmp_path: Path) -> Iterator[Collect]:
    with Store.open(database_url, clock=clock) as store:
        yield Collect(store, clock=clock, key=KEY, media_dir=tmp_path / "media")


@dataclass
class Person:
    """The browser's side of the wire: numbers events, extends the chain, sends, and asks."""

    desk: Collect
    clock: VirtualClock
    token: str
    claimed: SessionClaim
    head: str
    seq: int
    log: list[str] = field(default_factory=list)
    fetched: set[str] = field(default_factory=set)

    def fetch_and_wait(self) -> None:
        """What a browser does before it says that something was played: it gets the media, and time
        passes.
        """
        for medium in self.desk.view(self.token).now().media:
            if medium.name not in self.fetched:
                self.desk.note_sent(self.token, medium.name, medium.bytes).now()
                self.clock.advance(medium.length_ms or 0)
                self.fetched.add(medium.name)

    def body(self, kind: str, trial: int | None, **data: Any) -> str:
        event = {
            "kind": kind,
            "trial": trial,
            "at_ms": self.clock.now_ms(),
            "mono_ms": 1.5,
            "data": data,
        }
        return json.dumps(event, separators=(",", ":"))

    def note(self, kind: str, trial: int | None = None, **data: Any) -> int:
        if kind.startswith("media."):
            self.fetch_and_wait()
        body = self.body(kind, self.position if trial is None else trial, **data)
        self.seq += 1
        self.head = event_chain.extend(self.head, [body])
        self.log.append(body)
        assert (
            self.desk.append(self.token, self.claimed.epoch, [(self.seq, body)]).now() == self.seq
        )
        return self.seq

    def submit(self, answers: Mapping[str, Any]) -> AdvanceResult:
        position = self.position
        return self.advance(position, self.note("trial.submit", answers=dict(answers)))

    def advance(self, position: int, seq: int) -> AdvanceResult:
        return self.desk.advance(self.token, self.claimed.epoch, position, seq).now()

    @property
    def position(self) -> int:
        return self.desk.view(self.token).now().position

    @property
    def trial_id(self) -> str:
        return self.desk.view(self.token).now().trial.trial.id

    def claim(self) -> SessionClaim:
        self.claimed = self.desk.claim(self.token).now()
        return self.claimed

    def answer_page(self) -> AdvanceResult:
        """A right answer to whatever is shown."""
        trial = self.trial_id
        if trial == "clip":
            self.note("media.ended")
        if trial == "pause":
            self.clock.advance(10_000)
        return self.submit(
            {
                "consent": {"adult": True, "agree": True},
                "about": {"age": 30, "plays": "no"},
                "attention": {"sky": "blue"},
                "clip": {"human": 3},
            }.get(trial, {})
        )

    def run_to(self, trial: str) -> None:
        while self.trial_id != trial:
            assert self.answer_page().status in ("next", "finished")

    def finish(self, **query: str) -> SessionEnd:
        return self.desk.finish(self.token, self.claimed.epoch, self.seq, self.head, query).now()

    def complete(self, **query: str) -> SessionEnd:
        self.run_to("end")
        return self.finish(**query)


Enter = Callable[..., Person]


@pytest.fixture
def enter(desk: Collect, clock: VirtualClock) -> Enter:
    """Somebody comes in through a link and claims the session."""

    def go(
        link: str,
        query: Mapping[str, str] | None = None,
        language: str = "en",
        desktop: bool = True,
        kept: Mapping[str, str] | None = None,
    ) -> Person:
        token = desk.join(link, query or {}, language, desktop, kept or {}).now().token
        claimed = desk.claim(token).now()
        return Person(desk, clock, token, claimed, claimed.head, claimed.ack)

    return go
