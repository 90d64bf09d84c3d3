"""A researcher looks around while people answer: does anybody wait longer for it?

    python bench/browsing.py             500 annotators, 5,000 finished sessions, rounds without and with a researcher in turn
    python bench/browsing.py --pause 0   the researcher opens the next page as soon as the last is there
    python bench/browsing.py --export    and takes the whole dataset away meanwhile, once a round

A real server (`believable serve`, one process, SQLite, durable commits) has finished sessions with
three texts each. Annotators send a batch of ten events every second, as in `bench/ingest.py`; a
latency counts from the moment a batch was due. The researcher opens overview, monitor, sessions,
one session, review and export, and pauses between pages. Printed: how long the researcher's pages
took, median and 99th percentile of the annotators' acknowledgements of every round, and of all
rounds together with their ratio. Exit code 1: the ratio of 99th percentiles is above 1.2, or a
batch was not answered.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import httpx

import ingest
from believable.core.clock import WallClock
from believable.simulate.crowd import link_token
from believable.simulate.server import Server
from believable.store.engine import Store
from calibration import calibration_ms, cpu_s
from review import STUDY, _login, fill, own_words

MOST_RATIO = 1.2
SLIDER = "        - {id: level, prompt: Level, slider: {min: -100, max: 100}}\n"
PAGES = (
    "",
    "/monitor",
    "/monitor.json",
    "/sessions",
    "/sessions/real/{number}",
    "/review?show=all&at={number}-1-2",
    "/export",
)


@dataclass(slots=True)
class Researcher:
    """Opens one page after the other until told to stop; `took_ms` by page."""

    url: str
    token: str
    pause_s: float
    sessions: int
    exports: bool
    took_ms: dict[str, list[float]] = field(default_factory=dict)

    def look_around(self, stop: threading.Event) -> None:
        with httpx.Client(base_url=self.url, timeout=120) as http:
            http.cookies.set("believable_console", self.token, domain="127.0.0.1", path="/console")
            if self.exports:
                self._take_away(http)
            visits = 0
            while not stop.is_set():
                page = PAGES[visits % len(PAGES)]
                number = 1 + visits * 7919 % self.sessions
                self._open(http, page, page.format(number=number))
                visits += 1
                stop.wait(self.pause_s)

    def _open(self, http: httpx.Client, page: str, path: str) -> httpx.Response:
        begun_s = time.perf_counter()
        answer = http.get(f"/console/studies/study{path}")
        answer.raise_for_status()
        self.took_ms.setdefault(page or "overview", []).append(
            1000 * (time.perf_counter() - begun_s)
        )
        return answer

    def _take_away(self, http: httpx.Client) -> None:
        token = re.search(
            r'name="csrf" value="([^"]+)"', self._open(http, "/export", "/export").text
        )
        assert token is not None
        begun_s = time.perf_counter()
        form = {"csrf": token[1], "pool": "real"}
        http.post(
            "/console/studies/study/export", data=form, headers={"origin": self.url}
        ).raise_for_status()
        self.took_ms.setdefault("dataset", []).append(1000 * (time.perf_counter() - begun_s))


@dataclass(frozen=True, slots=True)
class BrowsingRound:
    latencies_ms: list[float]
    unanswered: int
    server_cores: float


def answered(
    server: Server, link: str, job: ingest.Job, researcher: Researcher | None
) -> BrowsingRound:
    """One round: annotators join, then the measurement begins, and the researcher with it."""
    command = [
        sys.executable,
        ingest.__file__,
        "--generate",
        f"{server.url}/join/{link}",
        json.dumps(asdict(job)),
    ]
    stop = threading.Event()
    looking = (
        threading.Thread(target=researcher.look_around, args=(stop,))
        if researcher is not None
        else None
    )
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as generator:
        assert generator.stdout is not None
        if generator.stdout.readline().strip() != ingest.JOINED:
            raise RuntimeError("the load did not join")
        before_s = cpu_s(server.pid)
        if looking is not None:
            looking.start()
        output = generator.stdout.read()
    cores = cpu_s(server.pid) - before_s
    stop.set()
    if looking is not None:
        looking.join()
    seen = ingest.Outcome(**json.loads(output))
    return BrowsingRound(
        seen.latencies_ms, seen.unanswered + seen.refused, cores / (seen.elapsed_s + 0.5)
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--annotators", type=int, default=500)
    parser.add_argument("--sessions", type=int, default=5_000)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument(
        "--pause", type=float, default=1.0, help="seconds between the researcher's pages"
    )
    parser.add_argument(
        "--export",
        action="store_true",
        help="the researcher also exports the dataset, once a round",
    )
    options = parser.parse_args()
    job = ingest.Job(options.annotators, options.seconds, 10)
    with tempfile.TemporaryDirectory(prefix="believable-browsing-") as name:
        study = Path(name) / "study"
        study.mkdir()
        (study / "study.yaml").write_text(
            STUDY.replace("  - finish", SLIDER + "  - finish"), encoding="utf-8"
        )
        with Server([study], data_dir=Path(name) / "data") as server:
            with Store.open(
                f"sqlite:///{Path(name) / 'data' / 'believable.db'}", clock=WallClock()
            ) as store:
                link = link_token(store, "study")
                fill(store, options.sessions, own_words)
                token = _login(store)
            print(
                f"calibration loop {calibration_ms():.1f} ms; {options.annotators} annotators,"
                f" {options.sessions} sessions"
            )
            first = Researcher(server.url, token, 0.0, options.sessions, exports=False)
            taken_in = threading.Event()
            threading.Timer(
                20.0, taken_in.set
            ).start()  # the review takes the texts in, which it does once
            first.look_around(taken_in)
            researcher = Researcher(
                server.url, token, options.pause, options.sessions, exports=options.export
            )
            rounds: dict[bool, list[BrowsingRound]] = {False: [], True: []}
            for number in range(options.rounds):
                for browsing in (False, True) if number % 2 == 0 else (True, False):
                    seen = answered(server, link, job, researcher if browsing else None)
                    rounds[browsing].append(seen)
                    words = "with" if browsing else "without"
                    print(
                        f"round {number + 1} {words:<8} p50"
                        f" {ingest.percentile(seen.latencies_ms, 0.5):.1f} ms, p99"
                        f" {ingest.percentile(seen.latencies_ms, 0.99):.1f} ms, unanswered"
                        f" {seen.unanswered}, server {seen.server_cores:.2f} cores",
                        flush=True,
                    )
    for page, times_ms in researcher.took_ms.items():
        print(
            f"  {page:<32} {statistics.median(times_ms):6.0f} ms, slowest {max(times_ms):6.0f} ms,"
            f" {len(times_ms)} times"
        )
    all_ms = {
        browsing: [ms for seen in kind for ms in seen.latencies_ms]
        for browsing, kind in rounds.items()
    }
    for share in (0.5, 0.99):
        without, beside = (ingest.percentile(all_ms[browsing], share) for browsing in (False, True))
        print(
            f"p{100 * share:.0f}: {without:.1f} ms without, {beside:.1f} ms with a researcher,"
            f" ratio {beside / without:.2f}"
        )
    complete = all(seen.unanswered == 0 for kind in rounds.values() for seen in kind)
    return 0 if complete and beside / without <= MOST_RATIO else 1


if __name__ == "__main__":
    sys.exit(main())
