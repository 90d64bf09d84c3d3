"""`believable serve`: the server for participants and researchers."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable.cli.place import data_options, settings_for, study_folder
from believable.core.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from believable.web.app import Published
    from believable.web.settings import Settings


@click.command()
@click.argument("studies", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="STUDY...")
@data_options
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; 0.0.0.0 for all.")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True)
@click.option(
    "--base-url", metavar="URL", help="The address that people use, when it is not http://HOST:PORT."
)
@click.option(
    "--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Processes that serve."
)
def command(
    studies: tuple[Path, ...],
    data: Path | None,
    database: str | None,
    host: str,
    port: int,
    base_url: str | None,
    workers: int,
) -> None:
    """Serve studies to participants and researchers.

    Checks and publishes each STUDY, prints its links, and serves until stopped. The first start also prints a one-time
    link with which the first researcher sets a password. Behind a proxy with HTTPS, give the public address with --base-url.

    \b
    Example:
      believable serve my-study
      believable serve my-study --host 0.0.0.0 --base-url https://study.example.org
    """
    from believable.web.app import serve

    check_port(host, port)
    folders = [study_folder(study) for study in studies]
    settings = settings_for(folders, data, database, base_url or f"http://{host}:{port}")
    published, first_link = publish(settings)
    announce(published, first_link, settings.base_url)
    serve(settings, host, port, workers)


def check_port(host: str, port: int) -> None:
    """Says at once when somebody else listens there, before anything is prepared."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise Refused(
                f"cannot listen on {host}:{port} ({error.strerror}). Stop what listens there, or choose another with --port."
            ) from error


def publish(settings: Settings) -> tuple[Sequence[Published], str | None]:
    """Check, prepare and publish. Where there are media, in a process of its own: what reads videos is not carried along."""
    from believable.cli.apart import in_child
    from believable.instruments import INSTRUMENTS
    from believable.study.load import load
    from believable.web.app import prepare

    if any(load(folder, instruments=INSTRUMENTS).study.stimuli for folder in settings.study_folders):
        return in_child(prepare, settings, media_progress)
    return prepare(settings)


def media_progress(done: int, total: int) -> None:
    """Counts on one line, where somebody is watching."""
    if sys.stderr.isatty():
        click.echo(f"\rPreparing media: {done} of {total}", err=True, nl=done == total)


def announce(published: Sequence[Published], first_link: str | None, base_url: str) -> None:
    for one in published:
        click.echo(f"\n{one.title}")
        for kind, link in one.links.items():
            click.echo(f"  {kind + ' link':<16} {link}")
    click.echo(f"\nConsole           {base_url}/console")
    if first_link is not None:
        click.echo(f"One-time researcher link (sets the first password)\n                  {first_link}")
    click.echo("\nServing. Stop with Ctrl-C.")
