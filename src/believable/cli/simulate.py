"""`believable simulate`: participants who answer by themselves."""

from __future__ import annotations

import functools
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from believable.cli.place import (
    StudyData,
    cluster_option,
    definition_of,
    extensions_option,
    setting,
    study_argument,
    study_data_options,
    working_on,
)
from believable.core.errors import InvalidInput
from believable.core.shell import quote_command
from believable.simulate.conduct import CONDUCT

if TYPE_CHECKING:
    from believable.simulate.crowd import Crowd, Progress, Share, StudyPlace
    from believable.simulate.person import Visit
    from believable.store.engine import Store
    from believable.study.definition import Definition
    from believable.web.settings import Settings

#: Parameters of the assumed truth that `--truth` changes.
Changes: TypeAlias = Mapping[str, Any]
NO_CHANGES: Changes = {}


@click.command()
@study_argument
@setting("--participants", type=click.IntRange(1), default=40, help="How many come.")
@setting(
    "--drop-out",
    type=click.FloatRange(0, 1),
    default=CONDUCT.drop_out,
    help="Share who leave early.",
)
@setting(
    "--care",
    type=click.FloatRange(0, 1),
    default=CONDUCT.care,
    help="Share who pay attention; others answer at random.",
)
@click.option(
    "--truth",
    multiple=True,
    metavar="NAME=VALUE",
    help=(
        "An assumed parameter that differs from the study's own, as in `believable power`, which"
        " lists them. Repeatable."
    ),
)
@setting("--seed", type=int, default=1, help="Same seed, same participants, same answers.")
@click.option(
    "--http",
    metavar="URL",
    help="Go to a running server: its address, or a whole link of kind simulated.",
)
@click.option("--realtime", is_flag=True, help="Read, think and watch as long as people do.")
@setting(
    "--speed", type=click.FloatRange(0.01), default=1.0, help="With --realtime: how much faster."
)
@setting("--gap", type=click.FloatRange(0), default=20.0, help="Mean seconds between arrivals.")
@setting(
    "--workers",
    type=click.IntRange(1),
    default=8,
    help="With --http or --realtime: how many at a time.",
)
@click.option(
    "--processes",
    type=click.IntRange(1),
    help=(
        "Without --http and --realtime: how many work at once; default: one per core. The results"
        " are the same."
    ),
)
@cluster_option
@study_data_options
@extensions_option
def command(
    study: StudyData,
    participants: int,
    drop_out: float,
    care: float,
    truth: tuple[str, ...],
    seed: int,
    http: str | None,
    realtime: bool,
    speed: float,
    gap: float,
    workers: int,
    processes: int | None,
    cluster: str | None,
) -> None:
    """Let simulated participants take a study.

    They go through the real routes, validation and store. They recognise each stimulus by its
    served copy and answer by what the study assumes (`assume`, or the protocol's defaults), as in
    `believable power`; --truth changes it. A participant who cannot recognise a stimulus ends the
    command. Without --http no server is needed and time is virtual: an afternoon takes seconds.
    Their sessions stay marked as simulated and are never counted with real ones. On a cluster,
    study, data folder and database must be the same for all workers.

    \b
    Example:
      believable simulate my-study --participants 60 --seed 1
      believable simulate my-study --truth skill=0.4
      believable simulate my-study --http http://127.0.0.1:8000 --realtime
    """
    import asyncio

    from believable.simulate.crowd import Crowd, summary
    from believable.simulate.planted_truth import parse_truth

    if cluster is not None and (http is not None or realtime):
        raise InvalidInput(
            "--cluster: people who come over a network or take their time compute little. Leave it"
            " out."
        )
    settings = study.settings
    crowd = Crowd(participants, drop_out=drop_out, care=care, gap_ms=round(gap * 1000), seed=seed)
    changes = parse_truth(truth)
    with click.progressbar(length=participants, label="Simulating", file=sys.stderr) as bar:

        def progress(visit: Visit) -> None:
            bar.update(1)

        if http is not None:
            visits = asyncio.run(
                over_http(
                    settings, crowd, http, speed if realtime else None, workers, progress, changes
                )
            )
        elif realtime:
            visits = asyncio.run(in_real_time(settings, crowd, speed, workers, progress, changes))
        else:
            with working_on(cluster):
                visits = on_virtual_clock(
                    settings, crowd, progress, processes=processes, changes=changes
                )
    click.echo(summary(visits))
    if http is None:
        click.echo(
            f"Export them with: {quote_command('believable export', study.written, '--simulated')}"
        )


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
        from believable.core.seeds import derive

        self._rng = random.Random(derive(self._seed, "ids", self._study, self._so_far, number))

    def __call__(self) -> str:
        return f"{self._rng.getrandbits(128):032x}"[:22]


def published(settings: Settings) -> tuple[str, int]:
    """Puts the study into the store if it is not there yet: its id, and how many simulated sessions
    it has had.
    """
    from believable.core.clock import WallClock
    from believable.core.ids import new_token
    from believable.simulate.crowd import sessions_so_far
    from believable.web.app import open_collect
    from believable.web.settings import publish_folders

    store, collect = open_collect(settings, clock=WallClock(), new_id=new_token)
    with store:
        (study,) = publish_folders(collect, settings)
        return study.study_id, sessions_so_far(store, study.study_id)


def _place(
    http: Any,
    link: str,
    settings: Settings,
    definition: Definition,
    media_dir: Path,
    changes: Changes,
) -> StudyPlace:
    """Where the crowd goes, and what participants know of the study there."""
    from believable.pages import KINDS
    from believable.protocols import PROTOCOLS
    from believable.simulate.crowd import place_for

    name = str(settings.study_folders[0] / "study.yaml")
    return place_for(
        http, link, definition, media_dir, KINDS, PROTOCOLS, study=name, changes=changes
    )


def _stored_definition(store: Store, study: str) -> Definition:
    """The definition that the next session starts with."""
    from believable.pages import KINDS
    from believable.store import studies
    from believable.study.definition import Definition

    return Definition.from_json(
        store.read(lambda conn: studies.definition_body(conn, studies.get(conn, study).definition)),
        KINDS,
    )


@contextmanager
def _prepared_definition(settings: Settings) -> Iterator[tuple[Definition, Path]]:
    """The study folder with its media as a server prepares them, and where they lie: in the data
    folder, if there is one.
    """
    from believable.stimuli.prepare import prepare

    folder = settings.study_folders[0]
    definition = definition_of(folder)
    with tempfile.TemporaryDirectory(prefix="believable-media-") as scratch:
        media_dir = settings.media_dir if settings.media_dir.is_dir() else Path(scratch)
        yield definition.with_media(prepare(definition, folder, media_dir)), media_dir


def local_link(settings: Settings, name: str) -> str:
    """The link for simulated participants, from the data folder that the server works on."""
    from believable.core.clock import WallClock
    from believable.simulate.crowd import link_token
    from believable.store.engine import Store

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
    from believable.core.clock import VirtualClock
    from believable.core.work import cluster_workers, must_be_here
    from believable.simulate.crowd import WHOLE, processes_for, shared_out

    if settings.url.startswith("sqlite"):
        must_be_here(
            "an SQLite file of this machine",
            "Give all of them a database: --database postgresql://…",
        )
    name, so_far = published(settings)
    begin_ms = VirtualClock().now_ms() if start_ms is None else start_ms
    work = functools.partial(_share, settings, crowd, name, so_far, begin_ms, changes)
    count = processes or cluster_workers() or processes_for(crowd.participants)
    return (
        work(WHOLE, progress)
        if count == 1 and not cluster_workers()
        else shared_out(work, count, progress)
    )


def _share(
    settings: Settings,
    crowd: Crowd,
    name: str,
    so_far: int,
    start_ms: int,
    changes: Changes,
    share: Share,
    progress: Progress,
) -> list[Visit]:
    """What one process does: it runs the application, and its share of the crowd."""
    import asyncio

    from believable.core.clock import VirtualClock
    from believable.simulate.asgi import running
    from believable.simulate.crowd import link_token, run_virtual
    from believable.web.app import create_app

    clock, ids = VirtualClock(start_ms), SeededIds(crowd.seed, name, so_far)
    # One participant of this process acts at a time: no commit gains by waiting for company.
    app = create_app(
        replace(settings, study_folders=()),
        clock=clock,
        new_id=ids,
        linger_s=0,
        synchronous="NORMAL",
    )

    async def live() -> list[Visit]:
        async with running(app) as http:
            store = app.state.store
            definition = _stored_definition(store, name)
            place = _place(
                http, link_token(store, name), settings, definition, settings.media_dir, changes
            )
            return await run_virtual(crowd, place, clock, progress, share=share, comes=ids.comes)

    return asyncio.run(live())


async def in_real_time(
    settings: Settings,
    crowd: Crowd,
    speed: float,
    workers: int,
    progress: Callable[[Visit], None],
    changes: Changes = NO_CHANGES,
) -> list[Visit]:
    """The whole application inside this process, at the speed of people or a multiple of it."""
    from believable.core.clock import WallClock
    from believable.simulate.asgi import running
    from believable.simulate.crowd import link_token, run_side_by_side
    from believable.simulate.pace import RealPace
    from believable.web.app import create_app

    name, _ = published(settings)
    clock = WallClock()
    app = create_app(replace(settings, study_folders=()), clock=clock)
    async with running(app) as http:
        store = app.state.store
        definition = _stored_definition(store, name)
        place = _place(
            http, link_token(store, name), settings, definition, settings.media_dir, changes
        )
        return await run_side_by_side(
            crowd, place, lambda: RealPace(clock, speed), at_once=workers, progress=progress
        )


async def over_http(
    settings: Settings,
    crowd: Crowd,
    address: str,
    speed: float | None,
    workers: int,
    progress: Callable[[Visit], None],
    changes: Changes = NO_CHANGES,
) -> list[Visit]:
    """Through the network, to a server that runs elsewhere or on this machine."""
    from believable.core.clock import WallClock
    from believable.simulate.client import network
    from believable.simulate.crowd import run_side_by_side
    from believable.simulate.pace import HastyPace, RealPace
    from believable.web.settings import study_id

    base_url, link = split_address(address) or (
        address,
        local_link(settings, study_id(settings.study_folders[0])),
    )
    clock = WallClock()
    pace_of = (lambda: RealPace(clock, speed)) if speed else (lambda: HastyPace(clock.now_ms()))
    with _prepared_definition(settings) as (definition, media_dir):
        async with network(base_url) as http:
            place = _place(http, link, settings, definition, media_dir, changes)
            return await run_side_by_side(crowd, place, pace_of, at_once=workers, progress=progress)
