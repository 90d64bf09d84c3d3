"""`believable demo`: everything at once, to look at."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable.cli.place import PATH, DataPlace, remember_address, setting
from believable.core.child_python import python_command

if TYPE_CHECKING:
    from believable.web.settings import Settings

#: More than anybody will watch.
PARTICIPANTS = 100_000
GAP_S = 12.0


@click.command()
@click.argument("folder", type=PATH, default=Path("demo-study"))
@setting("--host", default="127.0.0.1", help="Address to listen on.")
@setting("--port", type=click.IntRange(1, 65535), default=8000)
@click.option(
    "--protocol",
    "protocols",
    multiple=True,
    metavar="NAME",
    help=(
        "Only this ready-made study; believable list --protocols has them. Repeatable.  [default:"
        " the five protocols]"
    ),
)
@setting(
    "--finished",
    type=click.IntRange(0),
    default=24,
    help="So many simulated participants finish each study before you look.",
)
@click.option("--quiet", is_flag=True, help="Without simulated participants.")
def command(
    folder: Path, host: str, port: int, protocols: tuple[str, ...], finished: int, quiet: bool
) -> None:
    """Serve the ready studies with live simulated participants.

    Makes a study for each protocol in FOLDER (default: demo-study) unless it is there already. The
    first is served at once; the others are made behind it, and the start page shows how far they
    are. Some simulated participants finish each; in the first, others come every few seconds and
    take part while you look.

    \b
    Example:
      believable demo
      believable demo clips-demo --protocol clips
      believable demo --port 9000
    """
    from believable.cli.demo_studies import ready_folders
    from believable.cli.serve import announce, check_port, publish
    from believable.web.app import serve

    check_port(host, port)
    folders = ready_folders(folder, protocols)
    settings = DataPlace(folder / ".believable").settings(folders, f"http://{host}:{port}")
    first = replace(settings, study_folders=(folders[0],))
    published, first_link = publish(first)
    remember_address(settings.data_dir, settings.base_url)
    announce(published, first_link, settings.base_url)
    link = published[0].links["simulated"]
    with (
        prepared_behind(settings, 0 if quiet else finished),
        simulated_people(folders[0], link, come=not quiet),
    ):
        serve(replace(settings, listed="preview"), host, port)


@contextmanager
def prepared_behind(settings: Settings, finished: int) -> Iterator[None]:
    """The other studies are made in a process of its own, which goes when the server goes."""
    from believable.cli.demo_studies import coming_studies, prepare_all, without_people
    from believable.core.work import Child
    from believable.web.start_page import tell_preparation

    tell_preparation(settings.data_dir, coming_studies(settings.study_folders[1:]))
    fresh = without_people(settings) if finished else ()
    heard = signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C is for the server, which then ends the others
    child = Child(prepare_all, settings, fresh, finished)
    signal.signal(signal.SIGINT, heard)
    try:
        yield
    finally:
        child.end()
        tell_preparation(settings.data_dir, ())


@contextmanager
def simulated_people(folder: Path, link: str, *, come: bool) -> Iterator[None]:
    """They live in a process of their own, wait for the server, and go when it goes."""
    if not come:
        yield
        return
    command = [
        *python_command("-m", "believable", "simulate"),
        str(folder),
        "--http",
        link,
        "--realtime",
        "--participants",
        str(PARTICIPANTS),
        "--gap",
        str(GAP_S),
        "--drop-out",
        "0.2",
    ]
    people = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        people.terminate()
        people.wait(timeout=10)
