"""`believable demo`: everything at once, to look at."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable.cli.place import remember_address, settings_for

if TYPE_CHECKING:
    from believable.web.settings import Settings

#: More than anybody will watch.
PARTICIPANTS = 100_000
GAP_S = 12.0
#: Those who have finished came within this time before.
BEFORE_MS = 6 * 3_600_000


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default=Path("demo-study"))
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True)
@click.option(
    "--protocol", default="trace", show_default=True, help="The ready-made study; believable list --protocols has them."
)
@click.option(
    "--finished",
    type=click.IntRange(0),
    default=24,
    show_default=True,
    help="So many simulated participants have finished before it begins.",
)
@click.option("--quiet", is_flag=True, help="Without simulated participants.")
def command(folder: Path, host: str, port: int, protocol: str, finished: int, quiet: bool) -> None:
    """Serve a ready study with live simulated participants.

    Makes the study in FOLDER (default: demo-study) unless it is there already: two rounds in a maze, played, watched again
    and annotated. Some simulated participants have finished it; others come every few seconds, play and annotate while you
    look. Open the printed links: one is for participants, one makes you the first researcher.

    \b
    Example:
      believable demo
      believable demo clips-demo --protocol clips
    """
    from believable.cli.new import create
    from believable.cli.serve import announce, check_port, publish
    from believable.web.app import serve

    check_port(host, port)
    if not (folder / "study.yaml").is_file():
        create(protocol, folder, seed=7)
    settings = settings_for([folder.resolve()], None, None, f"http://{host}:{port}")
    published, first_link = publish(settings)
    if not quiet:
        finish_some(settings, finished)
    remember_address(settings.data_dir, settings.base_url)
    announce(published, first_link, settings.base_url)
    links = published[0].links
    with simulated_people(folder, links["simulated"], come=not quiet):
        serve(settings, host, port)


def finish_some(settings: Settings, wanted: int) -> None:
    """Simulated participants who were there before, on a clock of their own; none where the study has had some already."""
    from believable.cli.simulate import on_virtual_clock, published
    from believable.core.clock import WallClock
    from believable.simulate.crowd import Crowd

    if published(settings)[1] or not wanted:
        return
    crowd = Crowd(wanted, drop_out=0.1, gap_ms=BEFORE_MS // (2 * wanted))
    start_ms = WallClock().now_ms() - BEFORE_MS
    with click.progressbar(length=wanted, label="Simulating", file=sys.stderr) as bar:
        on_virtual_clock(settings, crowd, lambda visit: bar.update(1), start_ms=start_ms)


@contextmanager
def simulated_people(folder: Path, link: str, *, come: bool) -> Iterator[None]:
    """They live in a process of their own, wait for the server, and go when it goes."""
    if not come:
        yield
        return
    command = [
        sys.executable, "-m", "believable", "simulate", str(folder), "--http", link, "--realtime",
        "--participants", str(PARTICIPANTS), "--gap", str(GAP_S), "--drop-out", "0.2",
    ]  # fmt: skip
    people = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        people.terminate()
        people.wait(timeout=10)
