"""`believable simulate`: participants who answer by themselves."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable.cli.place import data_options, settings_for, study_folder
from believable.core.errors import InvalidInput

if TYPE_CHECKING:
    from believable.simulate.crowd import Crowd
    from believable.simulate.person import Visit
    from believable.web.settings import Settings


@click.command()
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--participants", type=click.IntRange(1), default=40, show_default=True, help="How many come.")
@click.option(
    "--drop-out", type=click.FloatRange(0, 1), default=0.2, show_default=True, help="Share who leave early."
)
@click.option(
    "--care",
    type=click.FloatRange(0, 1),
    default=0.92,
    show_default=True,
    help="Chance to answer a check right.",
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="Same seed, same participants, same answers."
)
@click.option(
    "--http", metavar="URL", help="Go to a running server: its address, or a whole link of kind simulated."
)
@click.option("--realtime", is_flag=True, help="Read, think and watch as long as people do.")
@click.option(
    "--speed",
    type=click.FloatRange(0.01),
    default=1.0,
    show_default=True,
    help="With --realtime: how much faster.",
)
@click.option(
    "--gap", type=click.FloatRange(0), default=20.0, show_default=True, help="Mean seconds between arrivals."
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    default=8,
    show_default=True,
    help="With --http or --realtime: how many at a time.",
)
@data_options
def command(
    study: Path,
    participants: int,
    drop_out: float,
    care: float,
    seed: int,
    http: str | None,
    realtime: bool,
    speed: float,
    gap: float,
    workers: int,
    data: Path | None,
    database: str | None,
) -> None:
    """Let simulated participants take a study.

    They go through the real routes, validation and store; every question kind answers by itself. Without --http no server
    is needed and time is virtual, so that an afternoon takes seconds. Their sessions are marked simulated for ever and
    never counted with real ones.

    \b
    Example:
      believable simulate my-study --participants 40 --drop-out 0.2 --seed 1
      believable simulate my-study --http http://127.0.0.1:8000 --realtime
    """
    import asyncio

    from believable.simulate.crowd import Crowd, summary

    settings = settings_for([study_folder(study)], data, database)
    crowd = Crowd(participants, drop_out=drop_out, care=care, gap_ms=round(gap * 1000), seed=seed)
    bar = click.progressbar(length=participants, label="Simulating", file=sys.stderr)
    with bar:

        def progress(visit: Visit) -> None:
            bar.update(1)

        if http is not None:
            run = over_http(settings, crowd, http, speed if realtime else None, workers, progress)
        else:
            run = in_process(settings, crowd, speed if realtime else None, workers, progress)
        visits = asyncio.run(run)
    click.echo(summary(visits))
    if http is None:
        click.echo(f"Export them with: believable export {study} --simulated")


def seeded_ids(seed: int, so_far: int) -> Callable[[], str]:
    """Ids that repeat with the seed, and never collide with the sessions that are there."""
    from believable.core.seeds import derive

    rng = random.Random(derive(seed, "ids", so_far))
    return lambda: f"{rng.getrandbits(128):032x}"[:22]


def published(settings: Settings) -> tuple[str, int]:
    """Puts the study into the store if it is not there yet: its id, and how many simulated sessions it has had."""
    from believable.core.clock import WallClock
    from believable.core.ids import new_token
    from believable.simulate.links import sessions_so_far
    from believable.web.app import open_collect
    from believable.web.publish import publish_folders

    store, collect = open_collect(settings, clock=WallClock(), new_id=new_token)
    with store:
        (study,) = publish_folders(collect, settings)
        return study.study_id, sessions_so_far(store, study.study_id)


def local_link(settings: Settings, name: str) -> str:
    """The link for simulated participants, from the data folder that the server works on."""
    from believable.core.clock import WallClock
    from believable.simulate.links import link_token
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
    base_url, found, token = address.partition("/join/")
    return (base_url, token.strip("/")) if found else None


async def in_process(
    settings: Settings,
    crowd: Crowd,
    speed: float | None,
    workers: int,
    progress: Callable[[Visit], None],
    *,
    start_ms: int | None = None,
) -> list[Visit]:
    """The whole application inside this process; on a virtual clock unless a speed is given. `start_ms` is where that begins."""
    from believable.core.clock import VirtualClock, WallClock
    from believable.instruments import INSTRUMENTS
    from believable.simulate.asgi import running
    from believable.simulate.crowd import place_for, run_side_by_side, run_virtual
    from believable.simulate.links import link_token
    from believable.simulate.pace import RealPace
    from believable.web.app import create_app

    folder = settings.study_folders[0]
    name, so_far = published(settings)
    virtual = VirtualClock() if start_ms is None else VirtualClock(start_ms)
    clock = virtual if speed is None else WallClock()
    app = create_app(replace(settings, study_folders=()), clock=clock, new_id=seeded_ids(crowd.seed, so_far))
    async with running(app) as http:
        link = link_token(app.state.store, name)
        place = place_for(http, link, folder, INSTRUMENTS)
        if isinstance(clock, VirtualClock):
            return await run_virtual(crowd, place, clock, progress)
        return await run_side_by_side(
            crowd, place, lambda: RealPace(clock, speed or 1.0), at_once=workers, progress=progress
        )


async def over_http(
    settings: Settings,
    crowd: Crowd,
    address: str,
    speed: float | None,
    workers: int,
    progress: Callable[[Visit], None],
) -> list[Visit]:
    """Through the network, to a server that runs elsewhere or on this machine."""
    from believable.core.clock import WallClock
    from believable.instruments import INSTRUMENTS
    from believable.simulate.client import network
    from believable.simulate.crowd import place_for, run_side_by_side
    from believable.simulate.pace import HastyPace, RealPace
    from believable.web.publish import study_id

    folder = settings.study_folders[0]
    base_url, link = split_address(address) or (address, local_link(settings, study_id(folder)))
    clock = WallClock()
    async with network(base_url) as http:
        place = place_for(http, link, folder, INSTRUMENTS)
        pace_of = (lambda: RealPace(clock, speed)) if speed else (lambda: HastyPace(clock.now_ms()))
        return await run_side_by_side(crowd, place, pace_of, at_once=workers, progress=progress)
