"""Clips from pools: many people join at the same moment on two servers, and each gets other clips.

    python -m validation.pools                      a pool of 300 small recordings, 200 people
    python -m validation.pools --study my-study     a study with pools of your own
    python -m validation.pools --claims             half-widths by design, simulated

Prints how often each clip was given, and exits with 1 unless counts differ by one at most and, with
`draw: fresh`, no two people share a clip while the pool lasts. With --claims: the mean half-width of
the deciding interval, its coverage, and how often an agent at one half is called distinguishable.
"""

from __future__ import annotations

import argparse
import asyncio
import secrets
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import numpy as np

from believable.collect.context import Definitions
from believable.core.clock import WallClock
from believable.core.ids import token_hash
from believable.simulate.crowd import link_token
from believable.simulate.server import Server
from believable.stats.crossed import crossed_mean
from believable.store import sessions
from believable.store.engine import Connection, Store
from believable.study.load import load
from believable.study.plan import choose, plan
from believable.study.pool_draw import Views, deal, needs_draw, with_draw
from believable.study.records import Study
from validation.damaged_inputs import small_recording
from validation.local_servers import Postgres, postgres_folder

STUDY = """\
believable: 1
title: Pools
seed: 3
draw: {draw}
conditions: [human, agent]
stimuli:
  - {{pool: pools/human, condition: human, scenario: maze}}
  - {{pool: pools/agent, condition: agent, scenario: maze}}
timeline:
  - consent: {{text: Please agree.}}
  - block:
      id: trials
      repeat: {trials}
      each:
        - compare:
            id: pair
            of: [{{condition: human}}, {{condition: agent}}]
            ask: [{{id: which, prompt: Which?, preference: {{}}}}]
  - finish: {{}}
"""
#: Spread between judges and between clips of simulated studies, in log odds.
SPREAD = 0.5


def make_study(folder: Path, *, clips: int, draw: str, trials: int = 6) -> Path:
    """A study with a pool of small recordings for people and one for an agent."""
    for condition in ("human", "agent"):
        place = folder / "pools" / condition
        place.mkdir(parents=True)
        first = place / f"run-{1:04d}.replay.json.gz"
        small_recording(first)
        for number in range(2, clips + 1):
            (place / f"run-{number:04d}.replay.json.gz").write_bytes(first.read_bytes())
    (folder / "study.yaml").write_text(STUDY.format(draw=draw, trials=trials), encoding="utf-8")
    return folder


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedPeople:
    """How often each clip was given to how many people."""

    people: int
    servers: int
    took_s: float
    views: Counter[str]
    each: int

    @property
    def spread(self) -> int:
        return max(self.views.values()) - min(self.views.values())

    @property
    def shared(self) -> int:
        """Clips that more than one person has, more often than the size of the pool demands."""
        lasts = len(self.views) >= self.people * self.each
        return sum(count > 1 for count in self.views.values()) if lasts else 0

    @property
    def passed(self) -> bool:
        return self.spread <= 1 and not self.shared

    def __str__(self) -> str:
        counted = Counter(self.views.values())
        listed = ", ".join(f"{count} × {n} clips" for count, n in sorted(counted.items()))
        return (
            f"{self.people} people joined at once on {self.servers} servers in {self.took_s:.1f} s;"
            f" each has {self.each} of {len(self.views)} clips\nviews: {listed} (spread"
            f" {self.spread})"
        )


@contextmanager
def servers_of(
    study: Path, folder: Path, database: str, count: int
) -> Iterator[tuple[list[Server], str]]:
    """Servers of one study on one database, and its link."""
    key = folder / "secret.key"
    key.write_text(secrets.token_hex(32) + "\n", encoding="ascii")
    (folder / "media").mkdir()
    environment = {"BELIEVABLE_KEY_FILE": str(key), "BELIEVABLE_MEDIA": str(folder / "media")}
    with ExitStack() as stack:
        servers = [
            stack.enter_context(
                Server(
                    [study],
                    data_dir=folder / f"host-{number}",
                    database=database,
                    environment=environment,
                    options=("--joins-per-minute", "1000000"),
                )
            )
            for number in range(count)
        ]
        with Store.open(database, clock=WallClock()) as store:
            link = link_token(store, study.name)
        yield servers, link


async def join_at_once(addresses: Sequence[str], link: str, people: int) -> list[str]:
    """The tokens of people who press the button at the same moment."""

    async def person(number: int) -> str:
        address = addresses[number % len(addresses)]
        async with httpx.AsyncClient(base_url=address, timeout=600) as http:
            reply = await http.post(f"/join/{link}", data={"desktop": "yes"})
            if "location" not in reply.headers:
                raise RuntimeError(f"{reply.status_code}: {reply.text[:300]}")
            return urlsplit(reply.headers["location"]).path.rsplit("/", 1)[-1]

    return await asyncio.gather(*(person(number) for number in range(people)))


def given(database: str, tokens: Sequence[str], study: Study) -> tuple[Counter[str], int]:
    """How often each clip is in the plan of one of these sessions, and the clips of one session."""
    views = Counter({stimulus.id: 0 for stimulus in study.stimuli})
    each = 0

    def count(conn: Connection) -> None:
        nonlocal each
        definitions = Definitions()
        for token in tokens:
            session = sessions.by_token(conn, token_hash(token))
            pages = definitions.plan_of(conn, session)
            shown = [clip for page in pages for clip in page.played_stimuli]
            assert len(shown) == len(set(shown))
            each = len(shown)
            views.update(shown)

    with Store.open(database, clock=WallClock()) as store:
        store.read(count)
    return views, each


def drill(study: Path, folder: Path, database: str, *, people: int, servers: int) -> JoinedPeople:
    definition = load(study)
    with servers_of(study, folder, database, servers) as (running, link):
        begun_s = time.monotonic()
        tokens = asyncio.run(join_at_once([server.url for server in running], link, people))
        took_s = time.monotonic() - begun_s
    views, each = given(database, tokens, definition.study)
    return JoinedPeople(people=people, servers=servers, took_s=took_s, views=views, each=each)


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignOutcome:
    """The deciding interval of simulated studies of one design."""

    name: str
    half_width: float
    coverage: float
    distinguishable: float


def simulate_design(
    name: str, study: Study, *, judges: int, studies: int, seed: int
) -> DesignOutcome:
    """Judges who cannot tell the agent from people, on the clips that the study gives them."""
    rng = np.random.default_rng(seed)
    pairs = _given_pairs(study, judges)
    who = np.repeat(np.arange(judges), [len(shown) for shown in pairs])
    names = np.array(["+".join(pair) for shown in pairs for pair in shown])
    codes = np.unique(names, return_inverse=True)[1]
    widths, covered = [], 0
    for _ in range(studies):
        judge = rng.normal(0, SPREAD, judges)[who]
        clip = rng.normal(0, SPREAD, codes.max() + 1)[codes]
        correct = rng.random(len(who)) < 1 / (1 + np.exp(-(judge + clip)))
        mean = crossed_mean(correct, who, codes, over="both")
        if mean.low is None or mean.high is None:
            raise AssertionError("there are judges and clips")
        widths.append((mean.high - mean.low) / 2)
        covered += mean.low <= 0.5 <= mean.high
    return DesignOutcome(
        name=name,
        half_width=float(np.mean(widths)),
        coverage=covered / studies,
        distinguishable=1 - covered / studies,
    )


def _given_pairs(study: Study, judges: int) -> list[list[tuple[str, ...]]]:
    views: Counter[str] = Counter()
    shown = []
    for number in range(1, judges + 1):
        assignment = choose(study, {}, number)
        if needs_draw(study):
            assignment = with_draw(assignment, deal(study, assignment, Views(views)))
        pages = [
            tuple(sorted(page.played_stimuli))
            for page in plan(study, assignment)
            if page.played_stimuli
        ]
        views.update(clip for page in pages for clip in page)
        shown.append(pages)
    return shown


def claims(studies: int) -> list[DesignOutcome]:
    outcomes = []
    with tempfile.TemporaryDirectory() as folder:
        for name, clips, draw in (
            ("6 shared pairs", 6, "shared"),
            ("pool of 24 pairs", 24, "pool"),
            ("pool of 60 pairs", 60, "pool"),
            ("300 fresh pairs", 300, "fresh"),
        ):
            study = Path(folder) / f"{clips}"
            make_study(study, clips=clips, draw=draw)
            _make_pairs(study)
            outcomes.append(
                simulate_design(name, load(study).study, judges=50, studies=studies, seed=clips)
            )
    return outcomes


def _make_pairs(study: Path) -> None:
    """Each clip of people belongs to one of the agent."""
    lines = [
        f"  - {{id: {condition}_{clip.stem.partition('.')[0][4:]}, file:"
        f" pools/{condition}/{clip.name}, condition: {condition}, scenario: maze, pair:"
        f" p{clip.stem.partition('.')[0][4:]}}}"
        for condition in ("human", "agent")
        for clip in sorted((study / "pools" / condition).iterdir())
    ]
    path = study / "study.yaml"
    before, _, rest = path.read_text("utf-8").partition("stimuli:\n")
    timeline = rest[rest.index("timeline:") :]
    path.write_text(before + "stimuli:\n" + "\n".join(lines) + "\n" + timeline, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--study", type=Path)
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--clips", type=int, default=300)
    parser.add_argument("--draw", choices=("fresh", "pool"), default="fresh")
    parser.add_argument("--servers", type=int, default=2)
    parser.add_argument("--claims", action="store_true")
    parser.add_argument("--studies", type=int, default=400)
    options = parser.parse_args()
    if options.claims:
        sys.stdout.write(
            "50 judges × 6 trials        half-width  coverage  distinguishable at .5\n"
        )
        for row in claims(options.studies):
            sys.stdout.write(
                f"{row.name:<26}{row.half_width:12.3f}{row.coverage:10.3f}"
                f"{row.distinguishable:12.3f}\n"
            )
        return 0
    postgres = Postgres(postgres_folder())
    try:
        with tempfile.TemporaryDirectory(prefix="believable-pools-") as folder:
            study = options.study or make_study(
                Path(folder) / "pooled", clips=options.clips, draw=options.draw
            )
            outcome = drill(
                study,
                Path(folder),
                postgres.new_database(),
                people=options.people,
                servers=options.servers,
            )
    finally:
        postgres.end()
    sys.stdout.write(f"{outcome}\n")
    return 0 if outcome.passed else 1


if __name__ == "__main__":
    sys.exit(main())
