"""Simulated participants, who take a study by themselves."""

from __future__ import annotations

import functools
import importlib
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from believable.app.options import option, options, setting, use_case
from believable.app.settings import Settings, open_collect, publish_folders, study_id
from believable.app.study_data import ClusterOptions, StudyOptions, load_study, run_async
from believable.core.clock import VirtualClock, WallClock
from believable.core.cluster import cluster_workers, must_be_here
from believable.core.errors import InvalidInput, WrongUsage
from believable.core.ids import new_token
from believable.core.seeds import derive
from believable.simulate.asgi import running
from believable.simulate.client import network
from believable.simulate.conduct import CONDUCT
from believable.simulate.crowd import (
    WHOLE,
    Crowd,
    Share,
    StudyPlace,
    link_token,
    place_for,
    processes_for,
    run_side_by_side,
    run_virtual,
    sessions_so_far,
    shared_out,
)
from believable.simulate.crowd import summary as summary_of
from believable.simulate.pace import HastyPace, RealPace
from believable.simulate.person import Visit
from believable.simulate.planted_truth import parse_truth
from believable.stimuli.prepare import prepare
from believable.store import studies
from believable.store.engine import Store
from believable.study.definition import Definition

#: Parameters of the assumed truth that `--truth` changes.
Changes: TypeAlias = Mapping[str, Any]
NO_CHANGES: Changes = {}
#: The application that participants use. It is a front end, above this package, so it is named as
#: servers name applications, and not imported.
WEB_APPLICATION = "believable.web.app"


@options
class SimulateOptions(StudyOptions, ClusterOptions):
    participants: int = setting("The number of participants.", default=40, ge=1)
    drop_out: float = setting("Share who leave early.", default=CONDUCT.drop_out, ge=0, le=1)
    care: float = setting(
        "Share who pay attention; others answer at random.", default=CONDUCT.care, ge=0, le=1
    )
    truth: Sequence[str] = option(
        "An assumed parameter that differs from the study's own, as in `believable power`, which"
        " lists them. Repeatable.",
        default=(),
        metavar="NAME=VALUE",
    )
    seed: int = setting("Same seed, same participants, same answers.", default=1)
    http: str | None = option(
        "Go to a running server: its address, or a whole link of kind simulated.",
        default=None,
        metavar="URL",
    )
    realtime: bool = option("Read, think and watch as long as people do.", default=False)
    speed: float = setting("With --realtime: how much faster.", default=1.0, ge=0.01)
    gap: float = setting("Mean seconds between arrivals.", default=20.0, ge=0)
    workers: int = setting("With --http or --realtime: how many at a time.", default=8, ge=1)
    processes: int | None = option(
        "Without --http and --realtime: how many work at once; default: one per core. The results"
        " are the same.",
        default=None,
        ge=1,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """What became of the simulated participants. `export`: the command that exports their data, if
    they are in this data folder.
    """

    visits: Sequence[Visit]
    export: str | None

    @property
    def summary(self) -> str:
        """One line for people."""
        return summary_of(self.visits)

    def as_json(self) -> object:
        return {
            "participants": len(self.visits),
            "outcomes": Counter(visit.outcome for visit in self.visits),
            "events": sum(visit.events for visit in self.visits),
        }


@use_case(SimulateOptions)
def simulate(options: SimulateOptions) -> Simulation:
    """Let simulated participants take a study.

    They go through the real routes, validation and store. They recognise each stimulus by its
    served copy and answer by the study's assumptions (`assume`, or the protocol's defaults), as in
    `believable power`; --truth changes it. A participant who cannot recognise a stimulus ends the
    command. Without --http no server is needed and time is virtual: an afternoon takes seconds.
    Their sessions stay marked as simulated and are never counted with real ones. On a cluster,
    study, data folder and database must be the same for all workers.
    """
    http, realtime = options.http, options.realtime
    if options.cluster_address is not None and (http is not None or realtime):
        raise WrongUsage(
            "--cluster: people who come over a network or take their time compute little. Leave it"
            " out."
        )
    study = options.study_data()
    crowd = Crowd(
        participants=options.participants,
        drop_out=options.drop_out,
        care=options.care,
        gap_ms=round(options.gap * 1000),
        seed=options.seed,
    )
    changes = parse_truth(options.truth)
    with options.counting("Simulating", crowd.participants) as count:
        done: list[Visit] = []

        def progress(visit: Visit) -> None:
            done.append(visit)
            count(len(done), crowd.participants)

        if http is None and not realtime:
            with options.working():
                visits = on_virtual_clock(
                    study.settings, crowd, progress, processes=options.processes, changes=changes
                )
        else:
            visits = run_async(
                functools.partial(_in_real_time, study.settings, crowd, options, progress, changes)
            )
    export = None if http is not None else study.command("export", "--simulated")
    return Simulation(visits=visits, export=export)


def create_app(settings: Settings, **details: Any) -> Any:
    """Create the web application of a server."""
    return importlib.import_module(WEB_APPLICATION).create_app(settings, **details)


class SeededIds:
    """Ids that repeat with the seed, and never collide with the sessions that are there, this
    study's or another's. Each participant has their own.
    """

    def __init__(self, seed: int, study: str, so_far: int) -> None:
        self._seed = seed
        self._study = study
        self._so_far = so_far
        self._rng = random.Random(0)

    def comes(self, number: int) -> None:
        """The next ids are for participant `number`."""
        self._rng = random.Random(derive(self._seed, "ids", self._study, self._so_far, number))

    def __call__(self) -> str:
        return f"{self._rng.getrandbits(128):032x}"[:22]


def _publish(settings: Settings) -> tuple[str, int]:
    """Put the study into the store if it is not there yet; return its id, and the number of
    simulated sessions that it has.
    """
    store, collect = open_collect(settings, clock=WallClock(), new_id=new_token)
    with store:
        (study,) = publish_folders(collect, settings)
        return study.study_id, sessions_so_far(store, study.study_id)


def _is_sequential(settings: Settings) -> bool:
    """Whether the end of collecting depends on the order of closing, which processes that work side
    by side on a virtual clock do not keep.
    """
    declared = load_study(settings.study_folders[0]).study.analysis
    stopping = None if declared is None else declared.stopping
    return stopping is not None and stopping.rule == "sequential"


def _place(
    http: Any,
    link: str,
    settings: Settings,
    definition: Definition,
    media_dir: Path,
    changes: Changes,
) -> StudyPlace:
    """The server that participants visit, and their knowledge of the study."""
    name = str(settings.study_folders[0] / "study.yaml")
    return place_for(http, link, definition, media_dir, study=name, changes=changes)


def _stored_definition(store: Store, study: str) -> Definition:
    """The definition that the next session starts with."""
    return Definition.from_json(
        store.read(lambda conn: studies.definition_body(conn, studies.get(conn, study).definition))
    )


@contextmanager
def _prepared_definition(settings: Settings) -> Iterator[tuple[Definition, Path]]:
    """The study folder with its media as a server prepares them, and their folder: in the data
    folder, if there is one.
    """
    folder = settings.study_folders[0]
    definition = load_study(folder)
    with tempfile.TemporaryDirectory(prefix="believable-media-") as scratch:
        media_dir = settings.media_dir if settings.media_dir.is_dir() else Path(scratch)
        yield definition.with_media(prepare(definition, folder, media_dir)), media_dir


def local_link(settings: Settings, name: str) -> str:
    """The link for simulated participants, from the data folder that the server works on."""
    if settings.database_url is None and not (settings.data_dir / "believable.db").exists():
        raise InvalidInput(
            f"--http: {settings.data_dir} holds no database to find the link in. "
            "Give the whole link instead: --http http://HOST:PORT/join/TOKEN"
        )
    with Store.open(settings.url, clock=WallClock()) as store:
        return link_token(store, name)


def split_address(address: str) -> tuple[str, str] | None:
    """A whole link as server and token; None for the address of a server alone."""
    base_url, whole_link, token = address.partition("/join/")
    return (base_url, token.strip("/")) if whole_link else None


def on_virtual_clock(
    settings: Settings,
    crowd: Crowd,
    progress: Callable[[Visit], None],
    *,
    processes: int | None = None,
    start_ms: int | None = None,
    changes: Changes = NO_CHANGES,
) -> list[Visit]:
    """The whole application inside this machine's processes, on a virtual clock that begins at
    `start_ms`. `changes`: parameters of the assumed truth.
    """
    if settings.url.startswith("sqlite"):
        must_be_here(
            "an SQLite file of this machine",
            "Give all of them a database: --database postgresql://…",
        )
    name, so_far = _publish(settings)
    begin_ms = VirtualClock().now_ms() if start_ms is None else start_ms
    work = functools.partial(_share, settings, crowd, name, so_far, begin_ms, changes)
    count = processes or cluster_workers() or processes_for(crowd.participants)
    if (count == 1 and not cluster_workers()) or _is_sequential(settings):
        return work(WHOLE, progress)
    return shared_out(work, count, progress)


def _share(
    settings: Settings,
    crowd: Crowd,
    name: str,
    so_far: int,
    start_ms: int,
    changes: Changes,
    share: Share,
    progress: Callable[[Visit], None],
) -> list[Visit]:
    """The work of one process: it runs the application, and its share of the participants."""
    clock, ids = VirtualClock(start_ms), SeededIds(crowd.seed, name, so_far)
    # one participant of this process acts at a time: no commit gains by waiting for others
    app = create_app(
        replace(settings, study_folders=()),
        clock=clock,
        new_id=ids,
        linger_s=0,
        synchronous="NORMAL",
    )

    async def live() -> list[Visit]:
        async with running(app) as http:
            place = _stored_place(http, app.state.store, name, settings, changes)
            return await run_virtual(crowd, place, clock, progress, share=share, arrives=ids.comes)

    return run_async(live)


def _stored_place(
    http: Any, store: Store, name: str, settings: Settings, changes: Changes
) -> StudyPlace:
    """The study in the store of an application that runs in this process."""
    definition = _stored_definition(store, name)
    return _place(http, link_token(store, name), settings, definition, settings.media_dir, changes)


async def _in_real_time(
    settings: Settings,
    crowd: Crowd,
    options: SimulateOptions,
    progress: Callable[[Visit], None],
    changes: Changes,
) -> list[Visit]:
    """At the speed of people, a multiple of it, or at once: through the network to a server, or in
    an application inside this process.
    """
    clock = WallClock()

    def pace() -> RealPace | HastyPace:
        if options.realtime:
            return RealPace(clock, options.speed)
        return HastyPace(clock.now_ms())

    async with AsyncExitStack() as stack:
        if options.http is None:
            name, _ = _publish(settings)
            app = create_app(replace(settings, study_folders=()), clock=clock)
            http = await stack.enter_async_context(running(app))
            place = _stored_place(http, app.state.store, name, settings, changes)
        else:
            base_url, link = split_address(options.http) or (
                options.http,
                local_link(settings, study_id(settings.study_folders[0])),
            )
            definition, media_dir = stack.enter_context(_prepared_definition(settings))
            http = await stack.enter_async_context(network(base_url))
            place = _place(http, link, settings, definition, media_dir, changes)
        return await run_side_by_side(
            crowd, place, pace, at_once=options.workers, progress=progress
        )
