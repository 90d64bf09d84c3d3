"""Sequential studies on real servers: the same judges give the same decision, wherever they go.

    python -m validation.sequential_servers                       both studies
    python -m validation.sequential_servers --pictures FOLDER     the console, as a browser shows it

Simulated judges take `hntt`, and a ladder of six agents whose judges are aimed at the pairs without
an answer. The same judges come to one server, to one that is killed and started again, and to two
servers in turn. Shares, draws and answers must be equal, and recruiting must close. Exits with 1
otherwise. With --pictures, Chromium visits the monitor after each group of judges, and the results.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from believable.app.new import new
from believable.app.simulate import simulate
from believable.core.clock import WallClock
from believable.core.seeds import derive
from believable.protocols.variants import change_study
from believable.recordings.file import write
from believable.simulate.crowd import link_token
from believable.simulate.server import Server
from believable.store import evidence
from believable.store.clip_draws import draws_of
from believable.store.engine import Connection, Store
from believable.store.tables.collected import sessions
from believable.worlds.maze.standins import walk
from validation.local_servers import Postgres, postgres_folder

AGENTS = (
    "standin_human",
    "standin_careful",
    "standin_brisk",
    "standin_wavering",
    "standin_halting",
    "standin_agent",
)
SIZES = ((1366, 625), (1920, 1080))
PASSWORD = "three unrelated words"


@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialStudy:
    """A study, what is planted in its judges, and how many come in each group."""

    name: str
    make: Callable[[Path], None]
    truth: tuple[str, ...]
    groups: tuple[int, ...]


def make_hntt(folder: Path) -> None:
    """Six clips, the same for all judges."""
    new(folder, protocol="hntt")
    rule = {"rule": "sequential", "until": "both", "margin": 0.1, "n": 60}
    change_study(folder / "study.yaml", {"analysis": {"about": "these clips", "stopping": rule}})


def make_ladder(folder: Path) -> None:
    """Six agents with pools of clips. The rule weighs each of five agents against people, and each
    judge gets five pairs.
    """
    new(folder, protocol="ladder")
    shutil.rmtree(folder / "stimuli")
    people, *agents = AGENTS
    stimuli = []
    for number in range(CLIPS):
        for agent in AGENTS:
            name = f"{agent}_{number:02d}"
            file = folder / "stimuli" / f"{name}.replay.json.gz"
            file.parent.mkdir(exist_ok=True)
            write(walk(derive(1, "pool", number), agent, ticks=120), file)
            stimuli.append(
                {
                    "id": name,
                    "file": f"stimuli/{file.name}",
                    "condition": agent,
                    "scenario": f"maze_{number:02d}",
                }
            )
    claims = [
        {
            "id": f"H{number}",
            "text": f"{agent} is told from people.",
            "outcome": "strength",
            "about": f"{agent}-{people}",
        }
        for number, agent in enumerate(agents, start=1)
    ]
    stopping = {
        "rule": "sequential",
        "until": "both",
        "margin": 0.15,
        "n": 60,
        "clip_sd": 0.1,
        "assign": "aimed",
    }
    change_study(
        folder / "study.yaml",
        {
            "draw": "pool",
            "stimuli": stimuli,
            "timeline": {"trials": {"order": "random", "sample": 5}},
            "analysis": {"hypotheses": claims, "stopping": stopping},
        },
    )


#: Clips of each agent of the ladder.
CLIPS = 24
STUDIES = (
    SequentialStudy(name="hntt", make=make_hntt, truth=("skill=1.6",), groups=(3, 5, 8, 44)),
    SequentialStudy(
        name="ladder",
        make=make_ladder,
        truth=("span=8", "clip_sd=0.1", "judge_sd=0.2"),
        groups=(4, 8, 12, 36),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Everything that the rule stored: shares in the order of closing, answers, and the draws of
    each session by its number. `turned_away`: how many judges came too late.
    """

    shares: Any
    verdicts: Any
    draws: Any
    turned_away: int

    @property
    def judges(self) -> int:
        return int(self.shares.judges)


def decision_of(database: str, study: str, turned_away: int) -> Decision:
    def read(conn: Connection) -> Decision:
        rows = conn.execute(
            sessions.select().where(sessions.c.study == study, sessions.c.link_kind == "simulated")
        )
        numbers = {row.id: row.number for row in rows}
        drawn = draws_of(conn, list(numbers))
        return Decision(
            shares=evidence.get_shares(conn, study, "simulated"),
            verdicts=evidence.get_verdicts(conn, study, "simulated"),
            draws={numbers[session]: entries for session, entries in drawn.items()},
            turned_away=turned_away,
        )

    with Store.open(database, clock=WallClock()) as store:
        return store.read(read)


@contextmanager
def servers_on(
    folder: Path, study: Path, count: int, database: str | None
) -> Iterator[tuple[list[Server], str, str]]:
    """Servers of a study, the database, and the token of the link for simulated judges."""
    with ExitStack() as stack:
        host = folder / "host"
        url = database or f"sqlite:///{host / 'believable.db'}"
        key = folder / "secret.key"
        key.write_text("1f" * 32 + "\n", encoding="ascii")
        (folder / "media").mkdir()
        environment = {"BELIEVABLE_KEY_FILE": str(key), "BELIEVABLE_MEDIA": str(folder / "media")}
        running = [
            stack.enter_context(
                Server(
                    [study],
                    data_dir=host if number == 0 else folder / f"host-{number}",
                    database=database,
                    environment=environment,
                )
            )
            for number in range(count)
        ]
        with Store.open(url, clock=WallClock()) as store:
            link = link_token(store, study.name)
        yield running, url, link


Seen = Callable[[Server, str], None]


def run_judges(
    case: SequentialStudy,
    study: Path,
    folder: Path,
    *,
    servers: int = 1,
    database: str | None = None,
    killed: bool = False,
    seen: Seen | None = None,
) -> Decision:
    """All groups of judges, one judge after the other, each group at the next server."""
    folder.mkdir()
    with servers_on(folder, study, servers, database) as (running, url, link):
        turned_away = 0
        for number, judges in enumerate(case.groups):
            server = running[number % servers]
            visits = simulate(
                study,
                participants=judges,
                http=f"{server.url}/join/{link}",
                data=folder / "client",
                seed=number + 1,
                drop_out=0.0,
                gap=0.001,
                workers=1,
                truth=case.truth,
            ).visits
            turned_away += sum(visit.outcome == "turned_away" for visit in visits)
            sys.stdout.write(
                f"  {folder.name}, group {number + 1}: {dict(Counter(visit.outcome for visit in visits))}\n"
            )
            sys.stdout.flush()
            if seen is not None:
                seen(server, f"{case.name}-{number + 1}")
            if killed:
                server.kill()
                server.start()
        if seen is not None:
            seen(running[0], f"{case.name}-report")
        return decision_of(url, study.name, turned_away)


def aimed_shares(decision: Decision) -> list[str]:
    """How often each pair was drawn, in the first and the last third of the sessions."""
    numbers = sorted(decision.draws)
    third = len(numbers) // 3
    lines = []
    for words, chosen in (("first third", numbers[:third]), ("last third", numbers[-third:])):
        counts = Counter(
            entry.name for number in chosen for entry in decision.draws[number] if entry.probability
        )
        if counts:
            listed = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
            lines.append(f"  pairs drawn in the {words}: {listed}")
    return lines


@contextmanager
def console(folder: Path) -> Iterator[Seen]:
    """A researcher in Chromium, who looks at the monitor and takes pictures. The browser has a
    thread of its own, since it runs an event loop.
    """
    folder.mkdir(parents=True, exist_ok=True)
    opened: dict[str, Any] = {}

    def begin() -> None:
        opened["driver"] = sync_playwright().start()
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = opened["driver"].chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu"]
        )
        opened["page"] = browser.new_page()
        opened["page"].set_default_timeout(300_000)

    def look(server: Server, name: str) -> None:
        page = opened["page"]
        if server.url not in opened:
            link = re.search(r"(http://\S+)\s+\(one-time link", server.log.read_text("utf-8"))
            if link is not None:
                page.goto(link.group(1))
                page.wait_for_function("document.activeElement.type === 'password'")
                for key in ("Tab", "Enter"):
                    page.keyboard.type(PASSWORD)
                    page.keyboard.press(key)
                page.get_by_role("heading", name="Studies").wait_for()
            opened[server.url] = True
        study = name.partition("-")[0]
        monitor = f"{server.url}/console/studies/{study}/monitor?pool=simulated"
        report = name.endswith("report")
        page.goto(monitor.replace("monitor", "results") if report else monitor)
        if report:
            page.get_by_text(re.compile(r"Recruiting ended with judge \d+")).first.wait_for()
        else:
            page.locator("#evidence-words").wait_for()
            words = page.locator("#evidence-words").inner_text()
            sys.stdout.write(f"  monitor: {words}\n")
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            page.screenshot(path=str(folder / f"{name}-{width}.png"), full_page=report)

    with ThreadPoolExecutor(1) as thread:
        thread.submit(begin).result()
        try:
            yield lambda server, name: thread.submit(look, server, name).result()
        finally:
            thread.submit(lambda: opened["driver"].stop()).result()


#: The ways in which the same judges come.
WAYS = ("killed and started again", "one server", "two servers")


def run_way(case_name: str, way: str, study: Path, folder: Path, pictures: Path | None) -> Decision:
    """One way, in a process of its own. The first one is looked at."""
    case = next(case for case in STUDIES if case.name == case_name)
    began_s, place = time.monotonic(), folder / f"{case.name}-{way.replace(' ', '-')}"
    with ExitStack() as stack:
        database = None
        if way == "two servers":
            postgres = Postgres(postgres_folder())
            stack.callback(postgres.end)
            database = postgres.new_database()
        seen = None
        if way == WAYS[0] and pictures is not None:
            seen = stack.enter_context(console(pictures))
        decision = run_judges(
            case,
            study,
            place,
            servers=2 if way == "two servers" else 1,
            database=database,
            killed=way == WAYS[0],
            seen=seen,
        )
    answers = ", ".join(
        f"{given.agent} {given.verdict} at judge {given.judges}" for given in decision.verdicts
    )
    sys.stdout.write(
        f"{case.name}, {way}: {decision.judges} judges, {decision.turned_away} turned away;"
        f" {answers} ({time.monotonic() - began_s:.0f} s)\n"
    )
    sys.stdout.flush()
    return decision


def compare(case: SequentialStudy, folder: Path, pictures: Path | None) -> bool:
    """Whether all ways give the same decision, and recruiting closes."""
    study = folder / case.name
    case.make(study)
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(len(WAYS), mp_context=spawn) as crew:
        running = [crew.submit(run_way, case.name, way, study, folder, pictures) for way in WAYS]
        first, *others = (way.result() for way in running)
    same = all(
        (other.shares, other.verdicts, other.draws) == (first.shares, first.verdicts, first.draws)
        for other in others
    )
    sys.stdout.write("\n".join([*aimed_shares(first), f"  same decision: {same}", ""]))
    return same and first.turned_away > 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--study", choices=[case.name for case in STUDIES], action="append")
    options = parser.parse_args(arguments)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory(prefix="believable-sequential-") as scratch:
        met = [
            compare(case, Path(scratch), options.pictures)
            for case in STUDIES
            if options.study is None or case.name in options.study
        ]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
