"""What arriving and answering a page cost the server, in processor time, for studies of different
lengths.

    python bench/pages.py                       studies of 60 and of 400 pages
    python bench/pages.py BEFORE/src src        the same for two versions of the package, in turn

A real server (`believable serve`, SQLite, durable commits) runs in a process of its own; everybody
does each step before anybody does the next, so that what the server took in between belongs to that
step. Arriving is opening the link, pressing the button, the page, and claiming the session. A page
is its events, closing it, and the next page, whichever requests that takes: its four answers go to
the server by themselves, as a browser sends them while somebody still answers; pressing the button
brings the submission along, where the server takes it, else sends it before.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from believable.core.clock import WallClock
from believable.core.errors import Refused
from believable.simulate.client import Participant
from believable.simulate.crowd import link_token
from believable.simulate.pace import RealPace
from believable.simulate.server import Server
from believable.store.engine import Store
from calibration import calibration_ms, cpu_s

PAGE = """\
  - form:
      id: page{number}
      title: Page {number}
      text: Please look at the film again in your mind, and answer **all** questions.
      questions:
        - {{id: level, prompt: How much did it move you?, slider: {{min: -100, max: 100}}}}
        - {{id: human, prompt: Who was it?, choice: {{options: [person, program, unsure]}}}}
        - {{id: sure, prompt: How sure are you?, likert: {{points: 7}}}}
        - {{id: words, prompt: In your own words, required: false, text: {{}}}}
"""
ANSWERS = {"level": 10, "human": "person", "sure": 4, "words": None}
#: People at the server at a time.
AT_ONCE = 20
#: Pages that are measured at the beginning, and at the end of the study.
MEASURED = 12


@dataclass(slots=True)
class Costs:
    """Milliseconds of the server's processor per person, by step."""

    n_pages: int
    steps: dict[str, float] = field(default_factory=dict)

    def sum(self, *steps: str) -> float:
        return sum(self.steps.get(step, 0.0) for step in steps)


ARRIVAL = ("link", "button", "page", "claim")
CYCLE = ("events", "advance", "next")


def write_study(folder: Path, n_pages: int) -> Path:
    folder.mkdir(parents=True)
    pages = "".join(PAGE.format(number=number) for number in range(1, n_pages + 1))
    text = f"believable: 1\ntitle: Pages\nseed: 1\ntimeline:\n{pages}  - finish: {{}}\n"
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    return folder


class Person(Participant):
    """One browser, step by step."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        super().__init__(http, RealPace(WallClock()))
        self.shown: dict[str, Any] = {}
        #: Whether this server takes what is left to send along with the button.
        self.brings_along = False

    async def find_out(self, link: str) -> bool:
        """By doing it once."""
        await self.join(link)
        await self.claim()
        await self.first()
        self.brings_along = True
        try:
            await self.advance()
        except Refused:
            return False
        return True

    async def link(self, link: str) -> None:
        await self._ask("GET", f"/join/{link}")

    async def button(self, link: str) -> None:
        reply = await self._ask("POST", f"/join/{link}", data={"desktop": "yes", "language": "en"})
        self.enter(reply.headers["location"].rsplit("/", 1)[-1])

    async def page(self) -> None:
        await self._ask("GET", f"/s/{self.token}")

    async def first(self) -> None:
        self.shown = await self.trial()

    async def answer(self) -> None:
        for name, value in ANSWERS.items():
            self.note("answer.change", question=name, value=value)
        await self.flush()

    async def advance(self) -> None:
        seq = self.note("trial.submit", answers=ANSWERS)
        body: dict[str, Any] = {"epoch": self.epoch, "position": self.position, "seq": seq}
        if self.brings_along:
            body["events"] = self.batch_after(self.acked)
        else:
            await self.flush()
        reply = (await self._ask("POST", f"/s/{self.token}/advance", json=body)).json()
        self.acked = reply.get("ack", self.acked)
        if reply["status"] != "next":
            raise RuntimeError(f"page {self.position} was answered with {reply}")
        self.shown = reply.get("trial") or {}

    async def following(self) -> None:
        """The next page, where closing the last one did not bring it."""
        if not self.shown:
            self.shown = await self.trial()
        self.position = self.shown["position"]


async def measure(url: str, link: str, pid: int, n_people: int, n_pages: int) -> list[Costs]:
    """Costs at the study's beginning and at its end."""
    gate = asyncio.Semaphore(AT_ONCE)
    beginning, end = Costs(0), Costs(n_pages)
    async with httpx.AsyncClient(
        base_url=url, timeout=120, limits=httpx.Limits(max_connections=AT_ONCE)
    ) as http:
        people = [Person(http) for _ in range(n_people)]

        async def everybody(
            costs: Costs | None, step: str, act: Callable[[Person], Awaitable[None]], times: int = 1
        ) -> None:
            async def gated(person: Person) -> None:
                async with gate:
                    await act(person)

            before_s = cpu_s(pid)
            await asyncio.gather(*[gated(person) for person in people])
            if costs is not None:
                spent_ms = 1000 * (cpu_s(pid) - before_s) / n_people / times
                costs.steps[step] = costs.steps.get(step, 0.0) + spent_ms

        brings_along = await Person(http).find_out(link)  # what is made once is made by now
        for person in people:
            person.brings_along = brings_along
        await everybody(beginning, "link", lambda person: person.link(link))
        await everybody(beginning, "button", lambda person: person.button(link))
        await everybody(beginning, "page", Person.page)
        await everybody(beginning, "claim", Person.claim)
        await everybody(None, "first", Person.first)
        for number in range(n_pages - 1):
            near_end = number >= n_pages - 1 - MEASURED
            costs = beginning if number < MEASURED else end if near_end else None
            await everybody(costs, "events", Person.answer, MEASURED)
            await everybody(costs, "advance", Person.advance, MEASURED)
            await everybody(costs, "next", Person.following, MEASURED)
        return [beginning, end]


def run(folder: Path, n_pages: int, n_people: int, source: Path | None) -> list[Costs]:
    study = write_study(folder / "study", n_pages)
    environment = {} if source is None else {"PYTHONPATH": str(source.resolve())}
    with Server([study], data_dir=folder / "data", environment=environment) as server:
        with Store.open(
            f"sqlite:///{folder / 'data' / 'believable.db'}", clock=WallClock()
        ) as store:
            link = link_token(store, study.name)
        return asyncio.run(measure(server.url, link, server.pid, n_people, n_pages))


def show(words: str, costs: Sequence[Costs]) -> None:
    beginning, end = costs
    steps = ", ".join(f"{step} {beginning.steps[step]:.2f}" for step in ARRIVAL)
    print(f"{words}, {end.n_pages} pages: arriving {beginning.sum(*ARRIVAL):.2f} ms ({steps})")
    for place, part in (("first pages", beginning), ("last pages", end)):
        if not part.steps.keys() >= set(CYCLE):
            continue  # a study that is over with its first pages
        steps = ", ".join(f"{step} {part.steps[step]:.2f}" for step in CYCLE)
        print(f"  {place}: {part.sum(*CYCLE):.2f} ms a page ({steps})", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "sources", nargs="*", type=Path, help="folders with the package, compared in turn"
    )
    parser.add_argument("--people", type=int, default=60)
    parser.add_argument("--pages", type=int, nargs="+", default=[60, 400])
    parser.add_argument(
        "--dir", type=Path, help="where the database lies (default: a temporary folder)"
    )
    options = parser.parse_args()
    print(
        f"calibration loop {calibration_ms():.1f} ms; milliseconds of the server's processor per"
        " person"
    )
    with tempfile.TemporaryDirectory(dir=options.dir, prefix="believable-pages-") as name:
        for n_pages in options.pages:
            for turn, source in enumerate(options.sources or [None]):
                folder = Path(name) / f"{n_pages}-{turn}"
                show(
                    "believable" if source is None else str(source),
                    run(folder, n_pages, options.people, source),
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
