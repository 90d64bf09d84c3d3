"""`believable serve`: the server for participants and researchers."""

from __future__ import annotations

import http.client
import os
import socket
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace

import click

from believable.app.serve import ServerPlan, configure_server
from believable.app.settings import PublishedFolder, Settings
from believable.app.study_data import load_study, remember_address
from believable.cli import pause_collector
from believable.cli.derive import derive
from believable.core.errors import Refused
from believable.core.object_storage import remember_storage
from believable.core.processes import in_child
from believable.core.system import end_this_process
from believable.store.database import owner_folder
from believable.web.app import oidc_client, prepare, serve
from believable.web.connections import checked_proxies


@derive(
    configure_server,
    name="serve",
    json_option=False,
    example="""
      believable serve my-study
      believable serve my-study --host 0.0.0.0 --base-url https://study.example.org \
--trusted-proxy 127.0.0.1
    """,
)
def command(plan: ServerPlan) -> None:
    if plan.end_with_input:
        threading.Thread(target=_end_with_input, name="input", daemon=True).start()
    check_port(plan.host, plan.port)
    settings = replace(
        plan.settings, trusted_proxies=checked_proxies(plan.settings.trusted_proxies)
    )
    oidc_client(settings)  # a wrong provider is reported before anything is written
    if plan.media is not None:
        remember_storage(owner_folder(settings.media_dir), plan.media)
    with pause_collector():
        published, first_link = publish(settings)
    remember_address(settings.data_dir, settings.base_url)
    announce(published, first_link, settings.base_url)
    say_when_serving(plan.host, plan.port)
    serve(settings, plan.host, plan.port, settings.workers)


def _end_with_input() -> None:
    """Wait until standard input closes, then end as if asked to: with the workers, and with
    everything stored.
    """
    while os.read(sys.stdin.fileno(), 4096):
        pass
    end_this_process()


def check_port(host: str, port: int) -> None:
    """Refuses a port that is in use, before anything is prepared."""
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
    """Check, prepare and publish. Media are read in a separate process, so that the server does
    not keep the decoder.
    """
    if any(load_study(folder).study.stimuli for folder in settings.study_folders):
        return in_child(prepare, settings, media_progress)
    return prepare(settings)


def media_progress(done: int, total: int) -> None:
    """Counts on one line in a terminal."""
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
    connection = http.client.HTTPConnection(host, port, timeout=60)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status < 500
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
