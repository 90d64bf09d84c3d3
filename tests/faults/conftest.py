"""What the drills share: a study without videos, servers that can be killed, and people who do not
give up.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from believable.core.clock import WallClock
from believable.core.seeds import generator
from believable.simulate.client import Participant, Patience
from believable.simulate.crowd import link_token
from believable.simulate.person import Person, Traits, Visit
from believable.simulate.server import Server
from believable.store.engine import Store
from believable.study.load import load
from validation.stored_check import differences

#: Half of the people have a short session, so that beginnings and endings fall into the drill and
#: not only middles.
STUDY = """\
believable: 1
title: Fire drill
seed: 3
recruit: {platform: custom, id_parameter: who, repeats: resume}
timeline:
  - consent: {id: consent, text: Please agree.}
  - form:
      id: about
      questions:
        - {id: length, prompt: How long?, choice: {options: [short, long]}}
        - {id: age, prompt: Age, number: {min: 18, max: 99}}
  - check: {id: attention, question: {id: sky, prompt: The sky?, choice: {options: [blue, pink]}}, correct: blue, attempts: 3}
  - block:
      id: rounds
      repeat: 12
      skip_if: {answer: about.length, is: short}
      each:
        - form:
            id: round
            questions:
              - {id: point, prompt: Point, likert: {points: 7}}
              - {id: words, prompt: Words, text: {max_length: 200}}
              - {id: level, prompt: Level, slider: {}}
  - finish: {id: finish}
"""


class DrillPace:
    """Pauses of random length until the drill is over, then none."""

    eager = True

    def __init__(self, rng: random.Random, over: asyncio.Event, longest_s: float) -> None:
        self._rng, self._over, self._longest_s = rng, over, longest_s

    def now_ms(self) -> int:
        return WallClock().now_ms()

    async def sleep(self, ms: int) -> None:
        if not self._over.is_set():
            await asyncio.sleep(self._rng.uniform(0, self._longest_s))

    async def wait(self, ms: int) -> None:
        await asyncio.sleep(ms / 1000)

    async def meet(self) -> None:
        """Its time is the server's."""


@dataclass
class Drill:
    """People who take the study while something happens to the server."""

    study: Path
    people: int
    seed: int
    longest_pause_s: float = 0.5
    late_s: float = 0.0
    browsers: list[Participant] = field(default_factory=list)

    async def run(
        self, url: str, link: str, trouble: asyncio.Task[None] | None = None
    ) -> list[Visit]:
        """Everybody's visit. They hurry once the trouble is over."""
        over = asyncio.Event()
        definition = load(self.study)

        async def live(http: httpx.AsyncClient, number: int) -> Visit:
            rng = generator(self.seed, "drill", number)
            pace = DrillPace(rng, over, self.longest_pause_s)
            if not over.is_set():
                await asyncio.sleep(rng.uniform(0, self.late_s))
            browser = Participant(
                http, pace, Patience(first_ms=30, longest_ms=300, give_up_ms=90_000)
            )
            self.browsers.append(browser)
            person = Person(browser, pace, rng, Traits(1.0, 1.0, None), definition.study)
            return await person.take_part(link, {"who": f"person-{number}"})

        async with (
            httpx.AsyncClient(base_url=url, timeout=10) as http,
            asyncio.TaskGroup() as group,
        ):
            visits = [group.create_task(live(http, number)) for number in range(self.people)]
            if trouble is not None:
                await trouble
            over.set()
        return [visit.result() for visit in visits]

    def check(self, database_url: str, visits: Sequence[Visit]) -> None:
        """Every event stored exactly once and to the letter; every session complete; its receipt is
        its chain's head.
        """
        with Store.open(database_url, clock=WallClock()) as store:
            assert differences(store, self.browsers) == []
        assert [visit.outcome for visit in visits] == ["complete"] * self.people
        assert all(browser.acked == browser.top > 0 for browser in self.browsers)
        assert len({visit.token for visit in visits}) == self.people


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / "drill"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY)
    return folder


@pytest.fixture
def server(study: Path, tmp_path: Path) -> Iterator[Server]:
    server = Server([study], data_dir=tmp_path / "data")
    yield server
    server.kill()


@pytest.fixture
def sqlite_url(server: Server) -> str:
    return f"sqlite:///{server.data_dir / 'believable.db'}"


def simulated_link(database_url: str, study: Path) -> str:
    with Store.open(database_url, clock=WallClock()) as store:
        return link_token(store, study.name)


@pytest.fixture
def link_in() -> object:
    return simulated_link


@pytest.fixture
def drill() -> type[Drill]:
    return Drill
