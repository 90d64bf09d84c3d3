"""`believable demo`: everything at once, to look at."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from believable.app.options import AnyPath, argument, option, options, setting, use_case
from believable.app.serve import AddressOptions
from believable.app.settings import Settings
from believable.app.study_data import DataOptions, remember_address
from believable.cli.demo_studies import coming_studies, prepare_all, ready_folders, without_people
from believable.cli.derive import derive
from believable.cli.serve import announce, check_port, publish
from believable.core.child_python import python_command
from believable.core.processes import Child
from believable.web.app import serve
from believable.web.start_page import tell_preparation

#: More than a visitor will watch.
PARTICIPANTS = 100_000
GAP_S = 12.0


@options
class DemoOptions(AddressOptions):
    folder: AnyPath = argument("Folder of the studies.", default="demo-study", kw_only=False)
    protocol: Sequence[str] = option(
        "Only this ready-made study; believable list --protocols has them. Repeatable.  [default:"
        " the five protocols]",
        default=(),
        metavar="NAME",
    )
    finished: int = setting(
        "Simulated participants who finish each study before you look.", default=24, ge=0
    )
    quiet: bool = option("Without simulated participants.", default=False)


@use_case(DemoOptions)
def demo(options: DemoOptions) -> None:
    """Serve the ready studies with live simulated participants.

    Makes a study for each protocol in FOLDER (default: demo-study) unless it is there already. The
    first is served at once; the others are made in the background, and the start page shows how far
    they are. Some simulated participants finish each; in the first, others join every few seconds
    while you look.
    """
    folder, host, port = Path(options.folder), options.host, options.port
    check_port(host, port)
    folders = ready_folders(folder, options.protocol)
    data = DataOptions(data=folder / ".believable")
    settings = data.settings(folders, f"http://{host}:{port}")
    published, first_link = publish(replace(settings, study_folders=(folders[0],)))
    remember_address(settings.data_dir, settings.base_url)
    announce(published, first_link, settings.base_url)
    link = published[0].links["simulated"]
    with (
        prepared_behind(settings, 0 if options.quiet else options.finished),
        simulated_people(folders[0], link, come=not options.quiet),
    ):
        serve(replace(settings, listed="preview"), host, port)


command = derive(
    demo,
    json_option=False,
    example="""
      believable demo
      believable demo clips-demo --protocol clips
      believable demo --port 9000
    """,
)(lambda nothing: None)


@contextmanager
def prepared_behind(settings: Settings, finished: int) -> Iterator[None]:
    """A separate process makes the other studies; it ends with the server."""
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
    """They run in a separate process, wait for the server, and end with it."""
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
