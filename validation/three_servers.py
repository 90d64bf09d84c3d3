"""Three servers behind nginx, without sticky sessions, on one PostgreSQL database and one bucket
for media; many people arrive at once; one server and then the database are killed.

    python -m validation.three_servers                     1,000 people in 30 s
    python -m validation.three_servers --people 60 --within-s 5

Prints what people lost (events that were acknowledged and are not stored to the letter), what they
saw (a page that failed to open: nothing tries that again for them) and what the pages' own patience
hid from them. Exits with 1 unless the first two are 0. Needs nginx and what the tests need;
everything runs on this machine alone.
"""

from __future__ import annotations

import argparse
import asyncio
import secrets
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from believable.core.clock import WallClock
from believable.core.seeds import generator
from believable.simulate.client import RETRY_STATUSES, Participant, Patience
from believable.simulate.crowd import link_token
from believable.simulate.person import Person, Traits, Visit
from believable.simulate.server import Server
from believable.stimuli.judging import Variant, judged_replay
from believable.stimuli.prepare import prepare_replay
from believable.store.engine import Store
from believable.study.load import load
from validation.damaged_inputs import small_recording
from validation.local_servers import ObjectServer, Postgres, balanced, postgres_folder
from validation.plain_line import PlainLine
from validation.stored_check import differences

STUDY = """\
believable: 1
title: Many at once
seed: 3
conditions: [human, scripted]
recruit: {platform: custom, id_parameter: who, repeats: resume}
stimuli:
  - {id: clip, file: clip.replay.json.gz, condition: human}
timeline:
  - consent: {id: consent, text: Please agree.}
  - form: {id: about, questions: [{id: age, prompt: Age, number: {min: 18, max: 99}}]}
  - watch: {id: seen, stimulus: clip, ask: [{id: humanness, prompt: How human?, likert: {points: 7}}]}
  - block:
      id: rounds
      repeat: 3
      each:
        - form: {id: round, questions: [{id: point, prompt: Point, likert: {points: 7}}, {id: level, prompt: Level, slider: {}}]}
  - finish: {id: finish}
"""
RECORDING = "clip.replay.json.gz"
#: People wait as long as it takes; a drill that takes longer has failed.
GIVE_UP_S = 900
#: The longest pause of a person between two things they do.
PAUSE_S = 2.0
#: What the first people do before a server is killed, and the database: shares of all people who
#: have come in.
SERVER_DIES_AT, DATABASE_DIES_AT = 0.3, 0.6


@dataclass
class Troubles:
    """What went wrong on the way: `seen` by a person as a page that does not open, `hidden` by a
    script that tried again.
    """

    seen: Counter[str] = field(default_factory=Counter)
    hidden: Counter[str] = field(default_factory=Counter)
    opened_s: list[float] = field(default_factory=list)  # how long each page took to open

    @property
    def waits(self) -> str:
        median_s, most_s, longest_s = np.quantile(self.opened_s or [0.0], [0.5, 0.99, 1.0])
        return (
            f"{len(self.opened_s)} pages opened: median {median_s:.2f} s, p99 {most_s:.2f} s,"
            f" longest {longest_s:.1f} s"
        )


class DrillBrowser(Participant):
    """A browser that opens pages once, as people's browsers do, and writes down what went wrong."""

    def __init__(
        self,
        http: httpx.AsyncClient,
        line: PlainLine,
        pace: Any,
        patience: Patience,
        troubles: Troubles,
    ) -> None:
        super().__init__(http, pace, patience)
        self._line, self._troubles = line, troubles
        self.clips: dict[str, bytes] = {}

    async def join(self, link: str, query: Mapping[str, str] | None = None, **form: str) -> None:
        await super().join(link, query, **form)
        await self._ask("GET", f"/s/{self.token}")  # where the button leads

    async def open_medium(self, address: str) -> bytes:
        self.clips[address.rpartition("/")[2]] = content = await super().open_medium(address)
        return content

    async def _request(self, method: str, address: str, **options: Any) -> httpx.Response:
        parts = address.split("/")
        opens_page = parts[1] == "join" or len(parts) == 3
        what = (
            f"{method}"
            f" {'/'.join(part if number % 2 else '…' for number, part in enumerate(parts) if number)}"
        )
        counted = self._troubles.seen if opens_page else self._troubles.hidden
        if opens_page:
            options["headers"] = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
        begun_s = time.monotonic()
        try:
            reply = await self._line.request(method, address, **options)
        except httpx.TransportError as error:
            counted[f"{what}: {type(error).__name__}"] += 1
            raise
        if reply.status_code in RETRY_STATUSES or reply.status_code >= 500:
            counted[f"{what}: {reply.status_code}"] += 1
        if opens_page:
            self._troubles.opened_s.append(time.monotonic() - begun_s)
        return reply


class DrillPace:
    """Pauses of random length, so that everybody is somewhere else when something breaks."""

    eager = True

    def __init__(self, rng: Any, longest_s: float) -> None:
        self._rng, self._longest_s = rng, longest_s

    def now_ms(self) -> int:
        return WallClock().now_ms()

    async def sleep(self, ms: int) -> None:
        await asyncio.sleep(self._rng.uniform(0, self._longest_s))

    async def wait(self, ms: int) -> None:
        await asyncio.sleep(ms / 1000)

    async def meet(self) -> None:
        """Its time is the server's."""


@dataclass(frozen=True, slots=True)
class DrillOutcome:
    """`lost` in words, one line for each session that differs; `clips` how many people got the
    whole clip under a name of their own.
    """

    people: int
    complete: int
    acknowledged: int
    lost: Sequence[str]
    troubles: Troubles
    database_gone_s: float
    arrived_s: float
    took_s: float
    clips: int

    @property
    def passed(self) -> bool:
        return (
            not self.lost and not self.troubles.seen and self.complete == self.clips == self.people
        )

    def words(self) -> str:
        def listed(counts: Counter[str]) -> str:
            return "".join(f"\n    {count:6d}  {what}" for what, count in counts.most_common())

        return (
            f"{self.people} people, the last one in after {self.arrived_s:.0f} s, all done after"
            f" {self.took_s:.0f} s; one server of three killed; PostgreSQL killed, back after"
            f" {self.database_gone_s:.1f} s\ncomplete sessions    {self.complete}\nacknowledged"
            f" events  {self.acknowledged}\nlost                 {len(self.lost)}"
            + "".join(f"\n    {line}" for line in self.lost)
            + "\n"
            f"errors people saw    {self.troubles.seen.total()}{listed(self.troubles.seen)}\n"
            f"tried again unseen   {self.troubles.hidden.total()}{listed(self.troubles.hidden)}\n"
            f"clips seen whole     {self.clips}, under as many names\n{self.troubles.waits}"
        )


def drill(
    folder: Path,
    postgres: Postgres,
    objects: ObjectServer,
    *,
    people: int,
    within_s: float,
    seed: int = 1,
) -> DrillOutcome:
    """Everything is made below `folder`."""
    study = folder / "many-at-once"
    study.mkdir(parents=True)
    (study / "study.yaml").write_text(STUDY, encoding="utf-8")
    small_recording(study / RECORDING)
    database = postgres.new_database()
    key = folder / "secret.key"
    key.write_text(secrets.token_hex(32) + "\n", encoding="ascii")
    shared = {
        "BELIEVABLE_KEY_FILE": str(key),
        "BELIEVABLE_MEDIA": f"{objects.new_bucket()}/media",
        **objects.environment,
    }
    with ExitStack() as stack:
        servers = []
        for number in range(3):
            server = Server(
                [study], data_dir=folder / f"host-{number}", database=database, environment=shared
            )
            servers.append(stack.enter_context(server))
        address = stack.enter_context(
            balanced([server.port for server in servers], folder / "nginx")
        )
        with Store.open(database, clock=WallClock()) as store:
            link = link_token(store, study.name)
        outcome = asyncio.run(
            _drilled(study, database, address, link, servers, postgres, people, within_s, seed)
        )
    return outcome


async def _drilled(
    study: Path,
    database: str,
    address: str,
    link: str,
    servers: Sequence[Server],
    postgres: Postgres,
    people: int,
    within_s: float,
    seed: int,
) -> DrillOutcome:
    definition = load(study)
    troubles, browsers = Troubles(), list[DrillBrowser]()
    patience = Patience(first_ms=100, longest_ms=1000, give_up_ms=1000 * GIVE_UP_S)
    start_s = time.monotonic()
    arrived_s = gone_s = 0.0

    async def live(http: httpx.AsyncClient, number: int) -> Visit:
        rng = generator(seed, "drill", number)
        pace = DrillPace(rng, PAUSE_S)
        await asyncio.sleep(within_s * number / people)
        line = PlainLine(address)  # every browser has a connection of its own
        browser = DrillBrowser(http, line, pace, patience, troubles)
        browsers.append(browser)
        person = Person(browser, pace, rng, Traits(1.0, 1.0, None), definition.study)
        try:
            return await person.take_part(link, {"who": f"person-{number}"})
        finally:
            line.close()

    async def trouble() -> None:
        nonlocal gone_s, arrived_s
        await _until(lambda: _came_in(browsers) >= SERVER_DIES_AT * people)
        servers[1].kill()
        await _until(lambda: _came_in(browsers) >= DATABASE_DIES_AT * people)
        killed_s = time.monotonic()
        await asyncio.to_thread(postgres.kill)
        await asyncio.to_thread(postgres.start)
        gone_s = time.monotonic() - killed_s
        await _until(lambda: _came_in(browsers) == people)
        arrived_s = time.monotonic() - start_s

    async with httpx.AsyncClient(base_url=address) as http, asyncio.timeout(2 * GIVE_UP_S):
        async with asyncio.TaskGroup() as group:
            visits = [group.create_task(live(http, number)) for number in range(people)]
            group.create_task(trouble())
        took_s = time.monotonic() - start_s
    with Store.open(database, clock=WallClock()) as store:
        lost = differences(store, browsers)
    return DrillOutcome(
        people,
        sum(visit.result().outcome == "complete" for visit in visits),
        sum(browser.acked for browser in browsers),
        lost,
        troubles,
        gone_s,
        arrived_s,
        took_s,
        _clips(study, browsers),
    )


def _clips(study: Path, browsers: Sequence[DrillBrowser]) -> int:
    """Names of clips that were whole: as many as people, because no two share one."""
    with tempfile.TemporaryDirectory() as folder:
        medium = prepare_replay(study / RECORDING, Path(folder))
        whole = judged_replay(Path(folder), medium.digest, Variant()).read_bytes()
    return len(
        {
            name
            for browser in browsers
            for name, content in browser.clips.items()
            if content == whole
        }
    )


def _came_in(browsers: Sequence[DrillBrowser]) -> int:
    return sum(browser.epoch > 0 for browser in browsers)


async def _until(true: Any) -> None:
    while not true():
        await asyncio.sleep(0.02)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--people", type=int, default=1000)
    parser.add_argument("--within-s", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    postgres, objects = Postgres(postgres_folder()), ObjectServer()
    try:
        with tempfile.TemporaryDirectory(prefix="believable-drill-") as folder:
            outcome = drill(
                Path(folder),
                postgres,
                objects,
                people=options.people,
                within_s=options.within_s,
                seed=options.seed,
            )
    finally:
        objects.end()
        postgres.end()
    sys.stdout.write(outcome.words() + "\n")
    return 0 if outcome.passed else 1


if __name__ == "__main__":
    sys.exit(main())
