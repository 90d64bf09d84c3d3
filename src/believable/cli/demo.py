"""`believable demo`: everything at once, to look at."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from believable.cli.place import settings_for

#: More than anybody will watch.
PARTICIPANTS = 100_000
GAP_S = 12.0


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default=Path("demo-study"))
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True)
@click.option("--quiet", is_flag=True, help="Without simulated participants.")
def command(folder: Path, host: str, port: int, quiet: bool) -> None:
    """Serve a ready study with live simulated participants.

    Makes the demo study in FOLDER (default: demo-study) unless it is there already, serves it, and lets a simulated
    participant come every few seconds. Open the printed links: one is for participants, one makes you the first researcher.

    \b
    Example:
      believable demo
    """
    from believable.cli.new import create
    from believable.cli.serve import announce, check_port, publish
    from believable.web.app import serve

    check_port(host, port)
    if not (folder / "study.yaml").is_file():
        create("demo", folder, seed=7)
    settings = settings_for([folder.resolve()], None, None, f"http://{host}:{port}")
    published, first_link = publish(settings)
    announce(published, first_link, settings.base_url)
    links = published[0].links
    with simulated_people(folder, links["simulated"], come=not quiet):
        serve(settings, host, port)


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
    people = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        people.terminate()
        people.wait(timeout=10)
