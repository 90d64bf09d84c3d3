"""Many simulated participants: who they are, when they come, and how they are run."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx

from believable.core.clock import VirtualClock
from believable.core.errors import InvalidInput
from believable.core.registry import Registry
from believable.core.seeds import generator
from believable.instruments.contract import Instrument
from believable.simulate.behaviour import BEHAVIOURS, Behaviour
from believable.simulate.client import PATIENT, Participant, Patience
from believable.simulate.pace import Arrivals, Pace, VirtualTime
from believable.simulate.person import Person, Traits, Visit
from believable.simulate.recognise import Recogniser, recogniser_of
from believable.study.load import load
from believable.study.records import Study

#: Chance to get a check right, of careless people and of all others, in studies whose people have a mind.
CARELESS, CAREFUL = 0.25, 0.996


@dataclass(frozen=True, slots=True)
class Crowd:
    """`drop_out` is the share who leave before the end, `care` the chance to get a check right, `gap_ms` the mean time
    between arrivals."""

    participants: int
    drop_out: float = 0.2
    care: float = 0.92
    gap_ms: int = 20_000
    seed: int = 1

    def __post_init__(self) -> None:
        if self.participants < 0:
            raise InvalidInput(f"participants: expected 0 or more, got {self.participants}.")
        for name, value in (("drop_out", self.drop_out), ("care", self.care)):
            if not 0 <= value <= 1:
                raise InvalidInput(f"{name}: expected a share between 0 and 1, got {value}.")

    def member(self, number: int) -> tuple[random.Random, Traits]:
        """Person `number` and their own source of chance: the same for the same seed, whoever else comes."""
        rng = generator(self.seed, "participant", number)
        tempo = rng.lognormvariate(0, 0.25)
        leaves = rng.random() < self.drop_out
        return rng, Traits(tempo, self.care, rng.uniform(0.05, 0.95) if leaves else None)

    def arrivals_ms(self) -> list[int]:
        """When each one comes, after the start."""
        rng, at_ms, times = generator(self.seed, "arrivals"), 0.0, []
        for _ in range(self.participants):
            times.append(round(at_ms))
            at_ms += rng.expovariate(1 / self.gap_ms)
        return times


@dataclass(frozen=True, slots=True)
class Place:
    """Where the crowd goes: the server behind `http`, the link, and what a person needs to know about the study.

    With `behaviour` people judge as its truth says (`truth`, or its defaults); `recogniser` tells them what they see.
    """

    http: httpx.AsyncClient
    link: str
    study: Study
    instruments: Registry[Instrument[Any]]
    patience: Patience = PATIENT
    behaviour: Behaviour | None = None
    truth: Any = None
    recogniser: Recogniser = field(default_factory=Recogniser)


def person(crowd: Crowd, number: int, place: Place, pace: Pace) -> tuple[Person, Participant]:
    rng, traits = crowd.member(number)
    browser = Participant(place.http, pace, place.patience)
    mind, behaviour = None, place.behaviour
    if behaviour is not None:
        # A source of chance of its own: whoever has no mind for this study acts as before.
        own = generator(crowd.seed, "mind", number)
        careless = own.random() >= traits.care
        traits = replace(traits, care=CARELESS if careless else CAREFUL)
        truth = behaviour.truth_for(place.study) if place.truth is None else place.truth
        mind = behaviour.mind(truth, place.study, own, careless)
    made = Person(browser, pace, rng, traits, place.study, place.instruments, mind, place.recogniser)
    return made, browser


def place_for(
    http: httpx.AsyncClient, link: str, folder: Path, instruments: Registry[Instrument[Any]]
) -> Place:
    """What people have to know about the study in a folder, with the behaviour of its protocol where its analysis names one."""
    study = load(folder, instruments=instruments).study
    behaviour = None if study.analysis is None else BEHAVIOURS[study.analysis.protocol]
    return Place(http, link, study, instruments, behaviour=behaviour, recogniser=recogniser_of(study, folder))


Progress = Callable[[Visit], None]


def _nothing(visit: Visit) -> None:
    return None


def _anybody(number: int) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Share:
    """Every `of`-th member of a crowd, beginning with number `first`. `together` waits until all processes have come so far."""

    first: int
    of: int
    together: Callable[[], object] = lambda: None

    def has(self, number: int) -> bool:
        return number % self.of == self.first % self.of


WHOLE = Share(1, 1)


async def run_virtual(
    crowd: Crowd,
    place: Place,
    clock: VirtualClock,
    progress: Progress = _nothing,
    *,
    share: Share = WHOLE,
    comes: Callable[[int], None] = _anybody,
) -> list[Visit]:
    """All of them (or the `share` of this process) on one virtual clock, in an order that depends on nothing but the seed.

    `comes` hears the number of whoever is about to join.
    """
    times_ms = [clock.now_ms() + after_ms for after_ms in crowd.arrivals_ms()]
    mine = [share.has(number) for number in range(1, crowd.participants + 1)]
    time = VirtualTime(clock, Arrivals(times_ms, mine, share.together))

    async def live(number: int, arrival_ms: int) -> Visit:
        await time.until(arrival_ms)
        comes(number)
        visit = await person(crowd, number, place, time.pace())[0].take_part(place.link)
        progress(visit)
        return visit

    return await time.run(
        [live(number, at_ms) for number, at_ms in enumerate(times_ms, start=1) if share.has(number)]
    )


async def run_side_by_side(
    crowd: Crowd, place: Place, pace_of: Callable[[], Pace], *, at_once: int, progress: Progress = _nothing
) -> list[Visit]:
    """Up to `at_once` at a time, each at its own pace; the next one comes when somebody has gone, after the usual gap."""
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
