"""How many annotators can answer at once? Each of them sends a batch of events every second and
waits until it is durable.

    python bench/ingest.py             1,000 annotators, 10 events per second each, 30 s
    python bench/ingest.py --quick     a short run, for checking that nothing is lost

A real server (`believable serve`, SQLite, durable commits) runs in a process of its own; the load
comes from a second process that does nothing but write prepared bytes and read answers. Printed
beside, in the same run: the disk's own rate of durable commits, the same job with one commit per
request, and how fast the machine is. A latency counts from the moment a batch was due, not from
when it could be sent, so a slow server cannot hide its queue. Rates and cores are those between the
first batch and the last answer, however long that took; what joining costs is counted apart.

    python bench/ingest.py --search    the highest number of annotators that each way of committing keeps up with
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx
import uvloop

from believable.core.clock import WallClock
from believable.simulate.client import Participant
from believable.simulate.crowd import link_token
from believable.simulate.pace import RealPace
from believable.simulate.server import Server
from believable.store.engine import Store
from calibration import calibration_ms, cpu_s

STUDY = """\
believable: 1
title: Ingest benchmark
seed: 1
timeline:
  - form: {id: trace, questions: [{id: level, prompt: Level, slider: {min: -100, max: 100}}]}
  - finish: {}
"""


#: The load's first line: everybody is in, the measurement begins.
JOINED = "joined"
#: A server keeps up when the last answer comes this little after the last batch was due.
KEEPS_UP = 1.05


@dataclass(frozen=True, slots=True)
class Job:
    annotators: int
    seconds: int
    events_per_batch: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the load generator saw, with the sessions' chains as it computed them: token → (last
    event, head).
    """

    latencies_ms: list[float]
    refused: int
    unanswered: int
    sent_late_p99_ms: float
    cpu_s: float
    elapsed_s: float
    chains: dict[str, tuple[int, str]]


# ---------------------------------------------------------------------------------------------- the
# load


class Line(asyncio.Protocol):
    """One annotator's keep-alive connection: sends the next due batch as soon as the last one was
    answered.
    """

    def __init__(self, batches: list[bytes], last_acks: list[bytes]) -> None:
        self._batches = batches
        self._last_acks = last_acks
        self._next = 0
        self._due_s: list[float] = []
        self._buffer = b""
        self._busy = False
        self.latencies_ms: list[float] = []
        self.late_ms: list[float] = []
        self.refused = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: asyncio.WriteTransport = transport  # type: ignore[assignment]  # uvloop's has no common base

    def due(self, now_s: float, due_s: float) -> None:
        self.late_ms.append((now_s - due_s) * 1000)
        self._due_s.append(due_s)
        if not self._busy:
            self._send()

    def _send(self) -> None:
        self._busy = True
        self._transport.write(self._batches[self._next])

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        head = self._buffer[:end].lower()
        at = head.index(b"content-length:") + 15
        stop = head.find(b"\r\n", at)
        length = int(head[at : stop if stop >= 0 else len(head)])
        if len(self._buffer) < end + 4 + length:
            return
        body = self._buffer[end + 4 : end + 4 + length]
        self._buffer = self._buffer[end + 4 + length :]
        self._answered(head.startswith(b"http/1.1 200"), body)

    def _answered(self, accepted: bool, body: bytes) -> None:
        self._busy = False
        if not accepted or body.replace(b" ", b"") != self._last_acks[self._next]:
            self.refused += 1
        else:
            self.latencies_ms.append((time.perf_counter() - self._due_s[self._next]) * 1000)
        self._next += 1
        if self._next < len(self._due_s):
            self._send()


def event_body(seq: int, now_ms: int) -> str:
    data = {"question": "level", "value": (seq * 7) % 201 - 100}
    event = {
        "kind": "answer.change",
        "trial": 0,
        "at_ms": now_ms + 100 * seq,
        "mono_ms": 100 * seq,
        "data": data,
    }
    return json.dumps(event, separators=(",", ":"))


def prepare(person: Participant, job: Job, host: str) -> tuple[list[bytes], list[bytes], str]:
    """All requests of one annotator as bytes, the answers to expect, and the chain's head in the
    end.
    """
    head, now_ms = person.head_at(0), WallClock().now_ms()
    requests, answers = [], []
    for second in range(job.seconds):
        first = second * job.events_per_batch + 1
        events = [
            (seq, event_body(seq, now_ms)) for seq in range(first, first + job.events_per_batch)
        ]
        for _, body in events:
            head = hashlib.sha256(f"{head}\n{body}".encode()).hexdigest()
        payload = json.dumps(
            {"epoch": person.epoch, "events": events}, separators=(",", ":")
        ).encode()
        start = (
            f"POST /s/{person.token}/events HTTP/1.1\r\nhost: {host}\r\ncontent-type:"
            " application/json\r\n"
        )
        requests.append(f"{start}content-length: {len(payload)}\r\n\r\n".encode() + payload)
        answers.append(b'{"ack":%d}' % (first + job.events_per_batch - 1))
    return requests, answers, head


async def join_all(url: str, link: str, count: int) -> list[Participant]:
    """Sessions for everybody, through the real routes."""
    gate = asyncio.Semaphore(16)
    async with httpx.AsyncClient(base_url=url, timeout=60) as http:

        async def join() -> Participant:
            async with gate:
                person = Participant(http, RealPace(WallClock()))
                await person.join(link)
                await person.claim()
                return person

        return list(await asyncio.gather(*[join() for _ in range(count)]))


async def load(url: str, link: str, job: Job) -> Outcome:
    host, port = url.removeprefix("http://").split(":")
    people = await join_all(url, link, job.annotators)
    print(JOINED, flush=True)
    loop = asyncio.get_running_loop()
    lines: list[Line] = []
    chains = {}
    for person in people:
        requests, answers, head = prepare(person, job, f"{host}:{port}")
        chains[person.token] = (job.seconds * job.events_per_batch, head)
        _, line = await loop.create_connection(
            lambda r=requests, a=answers: Line(r, a), host, int(port)
        )
        lines.append(line)
    cpu_began_s = time.process_time()
    start_s = time.perf_counter() + 0.5
    for tick in range(job.seconds * job.annotators):
        due_s = start_s + tick / job.annotators
        while (now_s := time.perf_counter()) < due_s:
            await asyncio.sleep(min(0.002, due_s - now_s))
        lines[tick % job.annotators].due(now_s, due_s)
    deadline_s = time.perf_counter() + 60
    expected = job.seconds * job.annotators
    while (
        time.perf_counter() < deadline_s
        and sum(len(li.latencies_ms) + li.refused for li in lines) < expected
    ):
        await asyncio.sleep(0.05)
    elapsed_s = time.perf_counter() - start_s
    latencies = [ms for line in lines for ms in line.latencies_ms]
    refused = sum(line.refused for line in lines)
    late = sorted(ms for line in lines for ms in line.late_ms)
    return Outcome(
        latencies,
        refused,
        expected - len(latencies) - refused,
        late[int(0.99 * len(late))],
        time.process_time() - cpu_began_s,
        elapsed_s,
        chains,
    )


# ----------------------------------------------------------------------------------------------
# yardsticks


def durable_commits_per_s(folder: Path, seconds: float) -> float:
    """What the disk can do: one row per commit, nothing else."""
    connection = sqlite3.connect(folder / "raw.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, body TEXT)")
    body, count, start_s = "x" * 120, 0, time.perf_counter()
    while time.perf_counter() - start_s < seconds:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO rows (body) VALUES (?)", (body,))
        connection.execute("COMMIT")
        count += 1
    connection.close()
    return count / (time.perf_counter() - start_s)


# ---------------------------------------------------------------------------------------------- one
# run


@dataclass(frozen=True, slots=True)
class Result:
    lost: int
    duplicated: int
    changed: int
    p50_ms: float
    p99_ms: float
    worst_ms: float
    batches_per_s: float
    unanswered: int
    refused: int
    server_cpu_share: float
    join_cpu_ms: float
    elapsed_s: float
    generator_cpu_share: float
    sent_late_p99_ms: float


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


def stored(database: Path, chains: dict[str, tuple[int, str]]) -> tuple[int, int, int]:
    """Events lost, duplicated, and sessions whose stored chain differs, as the database itself
    says.
    """
    connection = sqlite3.connect(database)
    rows = dict(connection.execute("SELECT token_hash, id FROM sessions").fetchall())
    heads = dict(connection.execute("SELECT id, head_hash FROM sessions").fetchall())
    lost = duplicated = changed = 0
    for token, (last, head) in chains.items():
        session = rows[hashlib.sha256(token.encode()).hexdigest()]
        numbers = [
            row[0]
            for row in connection.execute("SELECT seq FROM events WHERE session = ?", (session,))
        ]
        lost += len(set(range(1, last + 1)) - set(numbers))
        duplicated += len(numbers) - len(set(numbers))
        changed += heads[session] != head
    connection.close()
    return lost, duplicated, changed


def run(folder: Path, job: Job, environment: dict[str, str]) -> Result:
    study = folder / "study"
    study.mkdir(parents=True)
    (study / "study.yaml").write_text(STUDY, encoding="utf-8")
    with Server([study], data_dir=folder / "data", environment=environment) as server:
        with Store.open(
            f"sqlite:///{folder / 'data' / 'believable.db'}", clock=WallClock()
        ) as store:
            link = link_token(store, study.name)
        before_s = cpu_s(server.pid)
        command = [
            sys.executable,
            __file__,
            "--generate",
            f"{server.url}/join/{link}",
            json.dumps(asdict(job)),
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as generator:
            assert generator.stdout is not None
            first = generator.stdout.readline().strip()
            joined_s = cpu_s(server.pid)
            output = generator.stdout.read()
        if first != JOINED or generator.returncode != 0:
            raise RuntimeError(f"the load ended with {generator.returncode}: {first}{output}")
        seen = Outcome(**json.loads(output))
        server_s = cpu_s(server.pid) - joined_s
    chains = {token: (last, head) for token, (last, head) in seen.chains.items()}
    lost, duplicated, changed = stored(folder / "data" / "believable.db", chains)
    return Result(
        lost=lost,
        duplicated=duplicated,
        changed=changed,
        p50_ms=statistics.median(seen.latencies_ms) if seen.latencies_ms else float("nan"),
        p99_ms=percentile(seen.latencies_ms, 0.99),
        worst_ms=max(seen.latencies_ms, default=float("nan")),
        batches_per_s=len(seen.latencies_ms) / seen.elapsed_s,
        unanswered=seen.unanswered,
        refused=seen.refused,
        server_cpu_share=server_s / seen.elapsed_s,
        join_cpu_ms=1000 * (joined_s - before_s) / job.annotators,
        elapsed_s=seen.elapsed_s,
        generator_cpu_share=seen.cpu_s / seen.elapsed_s,
        sent_late_p99_ms=seen.sent_late_p99_ms,
    )


def show(name: str, result: Result) -> None:
    print(f"{name}")
    print(
        f"  lost {result.lost}, duplicated {result.duplicated}, chains that differ"
        f" {result.changed},",
        end=" ",
    )
    print(f"refused {result.refused}, unanswered {result.unanswered}")
    print(
        f"  acknowledged after p50 {result.p50_ms:.1f} ms, p99 {result.p99_ms:.1f} ms, worst"
        f" {result.worst_ms:.1f} ms"
    )
    print(
        f"  {result.batches_per_s:.0f} batches/s over {result.elapsed_s:.1f} s; server"
        f" {result.server_cpu_share:.2f} cores,",
        end=" ",
    )
    print(f"joining {result.join_cpu_ms:.1f} ms of processor each;", end=" ")
    print(
        f"generator {result.generator_cpu_share:.2f} cores, sent late p99"
        f" {result.sent_late_p99_ms:.1f} ms"
    )


def keeps_up(result: Result, job: Job) -> bool:
    return (
        result.refused == result.unanswered == 0
        and result.elapsed_s <= KEEPS_UP * job.seconds + 0.5
    )


def highest_rate(folder: Path, job: Job, environment: dict[str, str]) -> tuple[int, int]:
    """Annotators that the server keeps up with, and the fewest with which it did not: doubled, then
    halved between.
    """
    kept, failed, count = 0, 0, max(1, job.annotators // 8)
    while not failed or failed - kept > kept // 8 + 1:
        tried = Job(count, job.seconds, job.events_per_batch)
        result = run(folder / f"{count}", tried, environment)
        print(
            f"  {count} annotators: {result.batches_per_s:.0f} batches/s, p99"
            f" {result.p99_ms:.0f} ms",
            flush=True,
        )
        if keeps_up(result, tried):
            kept = count
        else:
            failed = count
        count = 2 * kept if not failed else (kept + failed) // 2
    return kept, failed


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--annotators", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--events", type=int, default=10, help="events per batch")
    parser.add_argument(
        "--quick", action="store_true", help="100 annotators for 3 s, without the comparison"
    )
    parser.add_argument(
        "--search",
        action="store_true",
        help="find the highest rate that is sustained, for each way",
    )
    parser.add_argument(
        "--dir", type=Path, help="where the database lies (default: a temporary folder)"
    )
    parser.add_argument("--json", type=Path, help="write the figures here too")
    parser.add_argument("--generate", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.generate:
        address, job_json = options.generate
        url, _, link = address.partition("/join/")
        outcome = uvloop.run(load(url, link, Job(**json.loads(job_json))))
        # Not by `print`: with PYTHONUNBUFFERED what does not go into the pipe at once would be
        # lost.
        with open(sys.stdout.fileno(), "w", encoding="utf-8", closefd=False) as whole:
            whole.write(json.dumps(asdict(outcome)))
        return 0
    job = (
        Job(100, 3, options.events)
        if options.quick
        else Job(options.annotators, options.seconds, options.events)
    )
    with tempfile.TemporaryDirectory(dir=options.dir, prefix="believable-ingest-") as name:
        folder = Path(name)
        machine_ms = calibration_ms()
        disk = durable_commits_per_s(folder, 0.5 if options.quick else 3.0)
        print(
            f"machine: {os.cpu_count()} cores, calibration loop {machine_ms:.1f} ms; disk:"
            f" {disk:.0f} durable commits/s"
        )
        print(
            f"job: {job.annotators} annotators, 1 batch of {job.events_per_batch} events per second"
            f" each, {job.seconds} s"
        )
        if options.search:
            for words, environment in (
                ("group commit", {}),
                ("one commit per request", {"BELIEVABLE_GROUP_LIMIT": "1"}),
            ):
                print(words)
                kept, failed = highest_rate(folder / words.replace(" ", "-"), job, environment)
                print(f"{words}: sustains {kept} batches/s, not {failed}")
            return 0
        grouped = run(folder / "grouped", job, {})
        show("group commit", grouped)
        single = None
        if not options.quick:
            single = run(folder / "single", job, {"BELIEVABLE_GROUP_LIMIT": "1"})
            show("one commit per request", single)
            print(
                "one commit per request / group commit: p50"
                f" ×{single.p50_ms / grouped.p50_ms:.2f},",
                end=" ",
            )
            print(
                f"p99 ×{single.p99_ms / grouped.p99_ms:.2f}, CPU"
                f" ×{single.server_cpu_share / grouped.server_cpu_share:.2f}"
            )
    if options.json:
        figures = {
            "machine_ms": machine_ms,
            "durable_commits_per_s": disk,
            "job": asdict(job),
            "grouped": asdict(grouped),
        }
        figures |= {"single": asdict(single)} if single else {}
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    good = (
        grouped.lost
        == grouped.duplicated
        == grouped.changed
        == grouped.unanswered
        == grouped.refused
        == 0
    )
    return 0 if good and (options.quick or grouped.p99_ms < 500) else 1


if __name__ == "__main__":
    sys.exit(main())
