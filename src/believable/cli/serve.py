"""`believable serve` and `believable gallery`: the server for participants and researchers, and
every part of it to try.
"""

from __future__ import annotations

import gc
import os
import socket
import sys
import threading
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable.cli.deployment import Deployment, deployment_options
from believable.cli.place import (
    PATH,
    DataPlace,
    data_options,
    definition_of,
    extensions_option,
    remember_address,
    setting,
    study_folder,
)
from believable.core.errors import Refused
from believable.core.system import end_this_process

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from believable.web.app import PublishedFolder
    from believable.web.settings import Settings


@click.command()
@click.argument("studies", nargs=-1, required=True, type=PATH, metavar="STUDY...")
@data_options
@setting("--host", default="127.0.0.1", help="Address to listen on; 0.0.0.0 for all.")
@setting("--port", type=click.IntRange(1, 65535), default=8000)
@click.option(
    "--base-url",
    metavar="URL",
    help="The address that people use, when it is not http://HOST:PORT.",
)
@setting("--workers", type=click.IntRange(1, 64), default=1, help="Processes that serve.")
@click.option(
    "--rounds",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Rounds of 3D games played at once; others wait in line. Default: 3 per core.",
)
@click.option(
    "--end-with-input",
    is_flag=True,
    hidden=True,
    help="End when standard input closes, as it does if a parent dies.",
)
@deployment_options
@extensions_option
def command(
    studies: tuple[Path, ...],
    where: DataPlace,
    host: str,
    port: int,
    base_url: str | None,
    workers: int,
    rounds: int | None,
    end_with_input: bool,
    deployment: Deployment,
) -> None:
    """Serve studies to participants and researchers.

    Checks and publishes each STUDY, prints its links, and serves until stopped. The first start
    also prints a one-time link with which the first researcher sets a password. A study that
    changed after participants began is refused until `believable revise` has recorded the reason; a
    server that runs keeps the study as it was when it started. Behind a proxy with HTTPS, give the
    public address with --base-url and the proxy's own with --trusted-proxy. `/health` says that the
    process lives, `/ready` that it can store answers.

    \b
    Example:
      believable serve my-study
      believable serve my-study --host 0.0.0.0 --base-url https://study.example.org --trusted-proxy 127.0.0.1
    """
    if end_with_input:
        threading.Thread(target=_end_with_input, name="input", daemon=True).start()
    with no_collection():
        from believable.web.app import serve

        check_port(host, port)
        folders = [study_folder(study) for study in studies]
        settings = where.settings(folders, base_url or f"http://{host}:{port}")
        settings = deployment.applied(replace(settings, most_rounds=rounds, workers=workers))
        published, first_link = publish(settings)
        remember_address(settings.data_dir, settings.base_url)
        announce(published, first_link, settings.base_url)
    say_when_serving(host, port)
    serve(settings, host, port, workers)


def _end_with_input() -> None:
    """Wait until standard input closes, then end as if asked to: with the workers, and with
    everything stored.
    """
    while os.read(sys.stdin.fileno(), 4096):
        pass
    end_this_process()


@contextmanager
def no_collection() -> Iterator[None]:
    """While a server starts hardly anything becomes garbage; looking for it took a twentieth of the
    start.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def check_port(host: str, port: int) -> None:
    """Says at once when somebody else listens there, before anything is prepared."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise Refused(
                f"cannot listen on {host}:{port} ({error.strerror}). Stop what listens there, or"
                " choose another with --port."
            ) from error


def publish(settings: Settings) -> tuple[Sequence[PublishedFolder], str | None]:
    """Check, prepare and publish. Where there are media, in a process of its own: what reads videos
    is not carried along.
    """
    from believable.core.work import in_child
    from believable.web.app import prepare

    if any(definition_of(folder).study.stimuli for folder in settings.study_folders):
        return in_child(prepare, settings, media_progress)
    return prepare(settings)


def media_progress(done: int, total: int) -> None:
    """Counts on one line, where somebody is watching."""
    if sys.stderr.isatty():
        click.echo(f"\rPreparing media: {done} of {total}", err=True, nl=done == total)


#: The links that are printed, in this order, and what each is for. The one for simulated people is
#: in `believable list`.
PRINTED = {"open": "for participants", "preview": "to try it yourself"}


def announce(published: Sequence[PublishedFolder], first_link: str | None, base_url: str) -> None:
    """What to open, always in the same order: the start page, the researcher's way in, then the
    links of each study.
    """
    click.echo(f"\n{'Start page':<20} {base_url}/")
    click.echo(f"{'Console':<20} {base_url}/console")
    if first_link is not None:
        click.echo(
            f"{'  the first time':<20} {first_link}  (one-time link: you choose the password)"
        )
    for study in published:
        click.echo(f"\n{study.title}")
        for kind, purpose in PRINTED.items():
            click.echo(f"  {purpose:<18} {study.links[kind]}")
        if study.note:
            click.echo(f"  Note: {study.note}")


#: Between two looks whether the server answers yet.
LOOK_S = 0.05


def say_when_serving(host: str, port: int) -> None:
    """Start a thread that says so as soon as the first process answers, and not before."""
    threading.Thread(target=_await_answer, args=(host, port), daemon=True).start()


def _await_answer(host: str, port: int) -> None:
    reached = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(
        host, host
    )  # every address, this one too
    pause = threading.Event()
    while not _answers(reached, port):
        pause.wait(LOOK_S)
    click.echo("\nServing. Stop with Ctrl-C.")


def _answers(host: str, port: int) -> bool:
    import http.client

    connection = http.client.HTTPConnection(host, port, timeout=60)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status < 500
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


@click.command("gallery")
@setting("--host", default="127.0.0.1", help="Address to listen on.")
@setting("--port", type=click.IntRange(1, 65535), default=8010)
def gallery(host: str, port: int) -> None:
    """Try every instrument and player in the browser.

    One page for each, running as in a study: change its parameters, use it, and see what it records
    as it happens. Needs no study; what is entered is forgotten when the gallery stops.

    \b
    Example:
      believable gallery
      believable gallery --port 9000
    """
    from believable.web.gallery import serve

    check_port(host, port)
    click.echo(f"Gallery           http://{host}:{port}/gallery")
    say_when_serving(host, port)
    serve(host, port)
