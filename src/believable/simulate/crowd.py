"""Many simulated participants: their properties, their arrivals, and how they are run."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

import httpx

from believable.core.clock import VirtualClock
from believable.core.cluster import CrewMember, run_crew
from believable.core.errors import InvalidInput, NotFound
from believable.core.seeds import generator
from believable.core.work import available_cores
from believable.simulate.behaviour import CAREFUL_WRONG, CARELESS_WRONG, Behaviour
from believable.simulate.client import PATIENT, Participant, Patience
from believable.simulate.conduct import CONDUCT
from believable.simulate.own_people import simulated_protocol
from believable.simulate.pace import Arrivals, Pace, VirtualTime
from believable.simulate.person import Person, Traits, Visit
from believable.simulate.planted_truth import plant_truth
from believable.simulate.recognise import Recogniser, recogniser_of
from believable.store import sessions, studies
from believable.store.engine import Store
from believable.store.sessions import pool_of
from believable.study.definition import Definition
from believable.study.records import Study

#: How much of the usual time hasty people take.
HASTY_TEMPO = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """`drop_out` is the share who leave before the end, `care` the share who pay attention (the
    chance to get a check right, in studies without an analysis), `hasty` the share who rush
    through, `gap_ms` the mean time between arrivals. The defaults are those of `Conduct`, which
    `believable power` assumes.
    """

    participants: int
    drop_out: float = CONDUCT.drop_out
    care: float = CONDUCT.care
    gap_ms: int = 20_000
    seed: int = 1
    hasty: float = CONDUCT.hasty

    def __post_init__(self) -> None:
        if self.participants < 0:
            raise InvalidInput(f"participants: expected 0 or more, got {self.participants}.")
        for name, value in (
            ("drop_out", self.drop_out),
            ("care", self.care),
            ("hasty", self.hasty),
        ):
            if not 0 <= value <= 1:
                raise InvalidInput(f"{name}: expected a share between 0 and 1, got {value}.")

    def member(self, number: int, languages: Sequence[str] = ()) -> tuple[random.Random, Traits]:
        """Person `number` and a separate random generator: the same for the same seed, however many
        others arrive.
        """
        rng = generator(self.seed, "participant", number)
        tempo = rng.lognormvariate(0, 0.25)
        leaves = rng.random() < self.drop_out
        stays_for = rng.uniform(0.05, 0.95) if leaves else None
        # Separate random generators: the draws above stay the same.
        if generator(self.seed, "hasty", number).random() < self.hasty:
            tempo *= HASTY_TEMPO
        language = generator(self.seed, "language", number).choice(languages) if languages else None
        return rng, Traits(tempo, self.care, stays_for, language)

    def arrivals_ms(self) -> list[int]:
        """When each one arrives, after the start."""
        rng, at_ms, times = generator(self.seed, "arrivals"), 0.0, []
        for _ in range(self.participants):
            times.append(round(at_ms))
            at_ms += rng.expovariate(1 / self.gap_ms)
        return times


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPlace:
    """The target of the sample: the server behind `http`, the link, and the facts that a person
    needs about the study.

    With `behaviour` people judge by its truth (`truth`, or its defaults); `recogniser` identifies
    the stimuli that they see.
    """

    http: httpx.AsyncClient
    link: str
    study: Study

    patience: Patience = PATIENT
    behaviour: Behaviour | None = None
    truth: Any = None
    recogniser: Recogniser | None = None


def person(crowd: Crowd, number: int, place: StudyPlace, pace: Pace) -> tuple[Person, Participant]:
    rng, traits = crowd.member(number, place.study.languages)
    browser = Participant(place.http, pace, place.patience)
    mind, behaviour = None, place.behaviour
    if behaviour is not None:
        # A separate random generator: people without a mind for this study act as before.
        own = generator(crowd.seed, "mind", number)
        careless = own.random() >= traits.care
        traits = replace(traits, care=1 - (CARELESS_WRONG if careless else CAREFUL_WRONG))
        truth = behaviour.truth_for(place.study) if place.truth is None else place.truth
        mind = behaviour.mind(truth, place.study, own, careless)
    visitor = Person(
        browser=browser,
        pace=pace,
        rng=rng,
        traits=traits,
        study=place.study,
        mind=mind,
        recogniser=place.recogniser,
    )
    return visitor, browser


def place_for(
    http: httpx.AsyncClient,
    link: str,
    definition: Definition,
    media_dir: Path,
    *,
    study: str,
    changes: Mapping[str, Any] | None = None,
) -> StudyPlace:
    """Everything participants have to know about a study whose media are prepared in `media_dir`.

    If the study declares an analysis, participants follow its assumed truth, with the `changes` of
    `--truth`, and recognise its stimuli. `study` names the study in errors.
    """
    if definition.study.analysis is None:
        if changes:
            raise InvalidInput(
                f"--truth: {study} declares no `analysis`, so that nothing is assumed. Add one, or"
                " leave out --truth."
            )
        return StudyPlace(http=http, link=link, study=definition.study)
    protocol = simulated_protocol(definition)
    return StudyPlace(
        http=http,
        link=link,
        study=definition.study,
        behaviour=protocol.people,
        truth=plant_truth(definition, protocol, changes or {}),
        recogniser=recogniser_of(definition, media_dir, study=study),
    )


Progress = Callable[[Visit], None]


@dataclass(frozen=True, slots=True)
class Share:
    """Every `of`-th member of a crowd, beginning with number `first`. `together` waits until all
    processes have reached this point.
    """

    first: int
    of: int
    together: Callable[[], object] = lambda: None

    def has(self, number: int) -> bool:
        return number % self.of == self.first % self.of


WHOLE = Share(1, 1)

#: The work of one process: its share of the crowd, with a report of each visit.
Work = Callable[[Share, Progress], list[Visit]]

#: Fewer people do not justify a separate process.
FEWEST = 8


def processes_for(participants: int) -> int:
    """As many as there are cores, unless there are too few people."""
    return max(1, min(available_cores(), participants // FEWEST))


def shared_out(work: Work, processes: int, progress: Progress) -> list[Visit]:
    """Let every process do its share: all visits, in the order of coming. `work` must be able to
    travel to a new process.
    """
    shares = run_crew(partial(_one_share, work), processes, progress)
    rounds = zip_longest(*shares)  # the first of each share, the second of each, and so on
    return [visit for round_ in rounds for visit in round_ if visit is not None]


def _one_share(work: Work, member: CrewMember[Visit]) -> list[Visit]:
    return work(Share(member.number, member.of, member.together), member.report)


async def run_virtual(
    crowd: Crowd,
    place: StudyPlace,
    clock: VirtualClock,
    progress: Progress = lambda visit: None,
    *,
    share: Share = WHOLE,
    arrives: Callable[[int], None] = lambda number: None,
) -> list[Visit]:
    """All of them (or the `share` of this process) on one virtual clock, in an order that depends
    on nothing but the seed.

    `arrives` is called with the number of each person who is about to join.
    """
    times_ms = [clock.now_ms() + after_ms for after_ms in crowd.arrivals_ms()]
    mine = [share.has(number) for number in range(1, crowd.participants + 1)]
    time = VirtualTime(clock, Arrivals(times_ms, mine, share.together))

    async def live(number: int, arrival_ms: int) -> Visit:
        await time.until(arrival_ms)
        arrives(number)
        visit = await person(crowd, number, place, time.pace())[0].take_part(place.link)
        progress(visit)
        return visit

    return await time.run(
        [live(number, at_ms) for number, at_ms in enumerate(times_ms, start=1) if share.has(number)]
    )


async def run_side_by_side(
    crowd: Crowd,
    place: StudyPlace,
    pace_of: Callable[[], Pace],
    *,
    at_once: int,
    progress: Progress = lambda visit: None,
) -> list[Visit]:
    """Up to `at_once` at a time, each at a separate pace; the next one arrives after one has left
    and the usual gap.
    """
    gate = asyncio.Semaphore(at_once)
    gaps_ms = [
        later - earlier
        for earlier, later in zip([0, *crowd.arrivals_ms()], crowd.arrivals_ms(), strict=False)
    ]

    async def live(number: int, pace: Pace) -> Visit:
        try:
            visit = await person(crowd, number, place, pace)[0].take_part(place.link)
        finally:
            gate.release()
        progress(visit)
        return visit

    tasks: list[asyncio.Task[Visit]] = []
    async with asyncio.TaskGroup() as group:
        for number, gap_ms in enumerate(gaps_ms, start=1):
            pace = pace_of()
            await pace.sleep(gap_ms)
            await gate.acquire()
            tasks.append(group.create_task(live(number, pace)))
    return [task.result() for task in tasks]


def summary(visits: Sequence[Visit]) -> str:
    """One line for people."""
    outcomes = Counter(visit.outcome for visit in visits)
    parts = [f"{count} {outcome.replace('_', ' ')}" for outcome, count in sorted(outcomes.items())]
    events = sum(visit.events for visit in visits)
    return f"{len(visits)} simulated participants ({', '.join(parts) or 'none'}), {events} events"


# ---------------------------------------------------------------------- the link of their arrival


def link_token(store: Store, study_id: str, kind: str = "simulated") -> str:
    """The token of the study's first link of this kind."""
    store.read(lambda conn: studies.get(conn, study_id))
    links = store.read(lambda conn: studies.links_of(conn, study_id, (kind,)))
    if not links:
        raise NotFound(
            f"study {study_id!r} has no {kind} link. Publish it again with: believable serve"
        )
    return links[0].token


def sessions_so_far(store: Store, study_id: str) -> int:
    """How many simulated sessions the study has had."""
    return store.read(lambda conn: sessions.next_number(conn, study_id, pool_of("simulated"))) - 1
