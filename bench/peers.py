"""Other products beside ours: what one answer, and a page with the next one, cost the server in
processor time.

    python bench/peers.py                 all peers that can be installed, in one table
    python bench/peers.py --only otree    one of them

Peers are installed by name from their registries, each in an environment of its own in the user's
cache (`--cache`), when it is not there yet: Potato (PyPI, `potato-annotation`), oTree (PyPI,
`otree`), express (npm, with a file per person and fsync, the usual back end of experiments in the
browser). One that cannot be installed or started is named and left out.

The same client drives each server: so many people in a closed loop, each waiting for the answer
before the next request. What counts is the processor time of the server and all its children. All
store an answer durably before acknowledging it; Potato and oTree run as their documentation says
(`potato start`, `otree prodserver` on SQLite).
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from believable.simulate.server import free_port
from calibration import calibration_ms, cpu_s
from pages import ARRIVAL, CYCLE
from pages import run as run_ours

#: How long a peer may take to answer for the first time.
START_S = 120.0
AT_ONCE = 20


class PeerMissing(Exception):
    """A peer that cannot be installed or started here, and why."""


@dataclass(frozen=True, slots=True)
class Row:
    """Milliseconds of the server's processor; None: the product has no such step."""

    name: str
    arriving_ms: float | None
    page_ms: float | None
    answer_ms: float | None
    note: str = ""


def tree_cpu_s(pid: int) -> float:
    """Processor time of a process and all its descendants that still live."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int(
                    (entry / "stat").read_text().rsplit(")", 1)[1].split()[1]
                )
            except (OSError, IndexError):
                continue
    family = {pid}
    while True:
        more = {child for child, parent in parents.items() if parent in family} - family
        if not more:
            break
        family |= more
    total = 0.0
    for member in family:
        try:
            total += cpu_s(member)
        except (OSError, IndexError):
            continue
    return total


@dataclass(slots=True)
class PeerServer:
    """A peer's server as a child process with everything it starts."""

    command: list[str]
    folder: Path
    port: int
    environment: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def __enter__(self) -> PeerServer:
        log = (self.folder / "server.log").open("wb")
        self.process = subprocess.Popen(
            self.command,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, **self.environment},
            start_new_session=True,
        )
        deadline_s = time.monotonic() + START_S
        while time.monotonic() < deadline_s and self.process.poll() is None:
            try:
                httpx.get(self.url, timeout=5)
            except httpx.TransportError:
                time.sleep(0.2)
            else:
                return self
        words = (self.folder / "server.log").read_text(encoding="utf-8", errors="replace")[-600:]
        self.__exit__()
        raise PeerMissing(f"its server did not start:\n{words}")

    def __exit__(self, *_: object) -> None:
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def installed(cache: Path, name: str, packages: list[str], program: str) -> Path:
    """The folder of a Python environment with these packages, made when it is not there yet."""
    folder = cache / name
    if not (folder / "bin" / program).exists():
        shutil.rmtree(folder, ignore_errors=True)
        try:
            subprocess.run([sys.executable, "-m", "venv", folder], check=True, capture_output=True)
            subprocess.run(
                [folder / "bin" / "pip", "-q", "install", *packages],
                check=True,
                capture_output=True,
                timeout=900,
            )
        except (subprocess.SubprocessError, OSError) as error:
            raise PeerMissing(f"could not be installed: {str(error)[-200:]}") from None
    return folder


async def costs(
    pid: int, n_people: int, act: Callable[[int], Awaitable[None]], n_times: int
) -> float:
    """Milliseconds of processor for each time that a person acts."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def person(number: int) -> None:
        async with gate:
            await act(number)

    before_s = tree_cpu_s(pid)
    await asyncio.gather(*[person(number) for number in range(n_people)])
    return 1000 * (tree_cpu_s(pid) - before_s) / n_people / n_times


# ----------------------------------------------------------------------------------------------
# express

EXPRESS = """\
const express = require("express");
const fs = require("node:fs");
const app = express();
app.use(express.json());
app.post("/answers/:person", (request, response) => {
  fs.open(`answers-${request.params.person}.jsonl`, "a", (error, file) => {
    if (error) return response.status(500).end();
    fs.write(file, JSON.stringify(request.body) + "\\n", () =>
      fs.fsync(file, () => fs.close(file, () => response.json({ ack: true }))));
  });
});
app.get("/", (request, response) => response.send("ready"));
app.listen(Number(process.argv[2]), "127.0.0.1");
"""
#: What one page of ours brings: four answers and the submission.
ANSWERS = {"level": 10, "human": "person", "sure": 4, "words": None}


def express(cache: Path, folder: Path, n_people: int, n_pages: int) -> Row:
    home = cache / "express"
    if shutil.which("node") is None or shutil.which("npm") is None:
        raise PeerMissing("node and npm are not installed")
    if not (home / "node_modules" / "express").is_dir():
        home.mkdir(parents=True, exist_ok=True)
        try:
            subprocess.run(
                ["npm", "install", "--prefix", home, "express"],
                check=True,
                capture_output=True,
                timeout=600,
            )
        except (subprocess.SubprocessError, OSError) as error:
            raise PeerMissing(f"could not be installed: {str(error)[-200:]}") from None
    script = home / "server.js"
    script.write_text(EXPRESS, encoding="utf-8")
    port = free_port()
    with PeerServer(["node", str(script), str(port)], folder, port) as server:
        return asyncio.run(_express(server, n_people, n_pages))


async def _express(server: PeerServer, n_people: int, n_pages: int) -> Row:
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:

        async def answer(person: int) -> None:
            for _ in range(n_pages):
                (await http.post(f"/answers/{person}", json=ANSWERS)).raise_for_status()

        answer_ms = await costs(server.pid, n_people, answer, n_pages)
    return Row(
        "express, fsync per answer", None, None, answer_ms, "stores only: no pages, no sessions"
    )


# ----------------------------------------------------------------------------------------------
# oTree

OTREE_SETTINGS = """\
from os import environ
SESSION_CONFIGS = [dict(name="pages", display_name="pages", app_sequence=["pages"], num_demo_participants=1)]
SESSION_CONFIG_DEFAULTS = dict(real_world_currency_per_point=1.0, participation_fee=0.0, doc="")
PARTICIPANT_FIELDS = []
SESSION_FIELDS = []
LANGUAGE_CODE = "en"
REAL_WORLD_CURRENCY_CODE = "USD"
USE_POINTS = True
ADMIN_USERNAME = "admin"
ADMIN_PASSWORD = "bench"
SECRET_KEY = "bench"
ROOMS = [dict(name="bench", display_name="bench")]
"""
OTREE_APP = """\
from otree.api import *
class C(BaseConstants):
    NAME_IN_URL = "pages"
    PLAYERS_PER_GROUP = None
    NUM_ROUNDS = {n_pages}
class Subsession(BaseSubsession):
    pass
class Group(BaseGroup):
    pass
class Player(BasePlayer):
    level = models.IntegerField(min=-100, max=100)
    human = models.StringField(choices=["person", "program", "unsure"])
    sure = models.IntegerField(choices=[1, 2, 3, 4, 5, 6, 7])
    words = models.LongStringField(blank=True)
class Answers(Page):
    form_model = "player"
    form_fields = ["level", "human", "sure", "words"]
page_sequence = [Answers]
"""
OTREE_PAGE = (
    "{{ block title }}Page{{ endblock }}\n{{ block content }}\n{{ formfields }}\n{{ next_button"
    " }}\n{{ endblock }}\n"
)


def otree(cache: Path, folder: Path, n_people: int, n_pages: int) -> Row:
    environment = installed(cache, "otree", ["otree"], "otree")
    app = folder / "pages"
    app.mkdir(parents=True)
    for name in ("_static/global", "_templates/global"):
        (folder / name).mkdir(parents=True)
    (folder / "_templates/global/Page.html").write_text(
        '{{ extends "otree/Page.html" }}\n', encoding="utf-8"
    )
    (folder / "settings.py").write_text(OTREE_SETTINGS, encoding="utf-8")
    (folder / "requirements.txt").write_text("otree\n", encoding="utf-8")
    (app / "__init__.py").write_text(OTREE_APP.format(n_pages=n_pages + 1), encoding="utf-8")
    (app / "Answers.html").write_text(OTREE_PAGE, encoding="utf-8")
    program, port = str(environment / "bin" / "otree"), free_port()
    path = f"{environment / 'bin'}{os.pathsep}{os.environ['PATH']}"  # it starts itself by name
    variables = {"OTREE_PRODUCTION": "1", "OTREE_REST_KEY": "bench", "PATH": path}
    made = subprocess.run(
        [program, "resetdb", "--noinput"],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, **variables},
    )
    if made.returncode != 0:
        raise PeerMissing(
            f"its database could not be made: {made.stdout[-300:]}{made.stderr[-300:]}"
        )
    with PeerServer([program, "prodserver", str(port)], folder, port, variables) as server:
        return asyncio.run(_otree(server, n_people, n_pages))


async def _otree(server: PeerServer, n_people: int, n_pages: int) -> Row:
    fields = {"level": "10", "human": "person", "sure": "4", "words": ""}
    async with httpx.AsyncClient(base_url=server.url, timeout=120, follow_redirects=True) as http:
        body = {"session_config_name": "pages", "num_participants": n_people}
        reply = await http.post("/api/sessions", json=body, headers={"otree-rest-key": "bench"})
        reply.raise_for_status()
        link = reply.json()["session_wide_url"]
        address: dict[int, str] = {}

        async def arrive(person: int) -> None:
            address[person] = str(
                (await http.get(re.sub(r"^https?://[^/]+", "", link))).raise_for_status().url
            )

        async def page(person: int) -> None:
            for _ in range(n_pages):
                reached = str(
                    (await http.post(address[person], data=fields)).raise_for_status().url
                )
                if reached == address[person]:
                    raise RuntimeError("oTree did not take the answers")
                address[person] = reached

        arriving_ms = await costs(server.pid, n_people, arrive, 1)
        page_ms = await costs(server.pid, n_people, page, n_pages)
    return Row("oTree, SQLite", arriving_ms, page_ms, None)


# ----------------------------------------------------------------------------------------------
# Potato

POTATO = """\
port: {port}
server_name: bench
annotation_task_name: bench
task_dir: .
output_annotation_dir: out
output_annotation_format: json
data_files: [items.json]
item_properties: {{id_key: id, text_key: text}}
user_config: {{allow_all_users: true, users: []}}
alert_time_each_instance: 10000000
require_password: false
annotation_schemes:
  - {{annotation_type: slider, name: level, description: "How much?", min_value: -100, max_value: 100, starting_value: 0}}
  - {{annotation_type: radio, name: human, description: "Who was it?", labels: [person, program, unsure]}}
  - {{annotation_type: likert, name: sure, description: "How sure are you?", size: 7, min_label: not at all, max_label: very}}
  - {{annotation_type: text, name: words, description: In your own words}}
html_layout: default
base_html_template: default
header_file: default
site_dir: default
"""


def potato(cache: Path, folder: Path, n_people: int, n_pages: int) -> Row:
    environment = installed(cache, "potato", ["potato-annotation"], "potato")
    items = "".join(
        f'{{"id": "item{n}", "text": "Please look at film {n} again."}}\n'
        for n in range(1, n_pages + 2)
    )
    folder.mkdir(parents=True)
    (folder / "items.json").write_text(items, encoding="utf-8")
    port = free_port()
    (folder / "config.yaml").write_text(POTATO.format(port=port), encoding="utf-8")
    command = [str(environment / "bin" / "potato"), "start", "config.yaml", "-p", str(port)]
    with PeerServer(command, folder, port) as server:
        return asyncio.run(_potato(server, n_people, n_pages))


def shown_item(html: str) -> str:
    """The item that a page of Potato asks about: which one comes next is its own choice."""
    field = re.search(r'<input[^>]*\bid="instance_id"[^>]*>', html) or re.search(
        r'<input[^>]*\bname="instance_id"[^>]*>', html
    )
    value = None if field is None else re.search(r'\bvalue="([^"]*)"', field[0])
    if value is None:
        raise RuntimeError(f"Potato's page names no item: {html[:200]!r}")
    return value[1]


async def _potato(server: PeerServer, n_people: int, n_pages: int) -> Row:
    people = [
        httpx.AsyncClient(base_url=server.url, timeout=120, follow_redirects=True)
        for _ in range(n_people)
    ]
    current: dict[int, str] = {}

    async def arrive(person: int) -> None:
        form = {"email": f"p{person}", "pass": "", "action": "signup"}
        await people[person].get("/")
        reply = await people[person].post("/auth", data=form)
        reply.raise_for_status()
        current[person] = shown_item(
            (await people[person].get("/annotate")).raise_for_status().text
        )

    async def page(person: int) -> None:
        for _ in range(n_pages):
            item = current[person]
            annotations = {
                "level:::slider": "10",
                "human:::person": "person",
                "sure:::4": "4",
                "words:::text_box": "",
            }
            body = {"instance_id": item, "annotations": annotations, "span_annotations": []}
            (await people[person].post("/updateinstance", json=body)).raise_for_status()
            body = {"action": "next_instance", "instance_id": item}
            current[person] = shown_item(
                (await people[person].post("/annotate", json=body)).raise_for_status().text
            )
            if current[person] == item:
                raise RuntimeError("Potato did not go on to the next item")

    arriving_ms = await costs(server.pid, n_people, arrive, 1)
    page_ms = await costs(server.pid, n_people, page, n_pages)
    for person in people:
        await person.aclose()
    return Row("Potato", arriving_ms, page_ms, None)


# ---------------------------------------------------------------------------------------------- the
# table


def believable(cache: Path, folder: Path, n_people: int, n_pages: int) -> Row:
    beginning, _ = run_ours(folder, max(n_pages, 26), n_people, None)
    return Row(
        "believable",
        beginning.sum(*ARRIVAL),
        beginning.sum(*CYCLE),
        beginning.steps["events"],
        "answer: a batch of 5 events",
    )


SERVERS: dict[str, Callable[[Path, Path, int, int], Row]] = {
    "believable": believable,
    "potato": potato,
    "otree": otree,
    "express": express,
}


def table(rows: list[Row]) -> str:
    ours = rows[0]

    def cell(value: float | None, own: float | None) -> str:
        if value is None:
            return "–"
        return (
            f"{value:.2f}" if own is None or value == own else f"{value:.2f} ({value / own:.1f}×)"
        )

    lines = [
        "| server | arriving, ms | a page and the next, ms | an answer stored, ms | |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        cells = [
            cell(row.arriving_ms, ours.arriving_ms),
            cell(row.page_ms, ours.page_ms),
            cell(row.answer_ms, ours.answer_ms),
        ]
        lines.append(f"| {row.name} | {' | '.join(cells)} | {row.note} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    parser.add_argument(
        "--cache", type=Path, default=home / "believable-bench", help="where peers are installed"
    )
    parser.add_argument(
        "--only", nargs="+", choices=[name for name in SERVERS if name != "believable"]
    )
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--pages", type=int, default=12)
    options = parser.parse_args()
    print(
        f"calibration loop {calibration_ms():.1f} ms; milliseconds of the server's processor",
        flush=True,
    )
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="believable-peers-") as name:
        for server, measure in SERVERS.items():
            if options.only and server not in ("believable", *options.only):
                continue
            try:
                folder = Path(name) / server
                folder.parent.mkdir(parents=True, exist_ok=True)
                if server == "express":
                    folder.mkdir()
                rows.append(measure(options.cache, folder, options.people, options.pages))
                print(f"{server}: measured", flush=True)
            except (PeerMissing, httpx.HTTPError, RuntimeError, KeyError) as error:
                if server == "believable":
                    raise
                print(f"{server}: left out: {error}", flush=True)
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
