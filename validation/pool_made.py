"""A pool of real size, from the first recording to the last join, by the commands that users type:

    python -m validation.pool_made                  300 matched pairs of ten seconds
    python -m validation.pool_made --clips 12       a trial run

Records people and an agent from the same starts, makes matched pairs of films, checks the study,
serves it on two servers and lets 200 people join at the same moment. Prints how long each step
takes. Exits with 1 if recording and rendering take more than fifteen minutes of two cores, if views
differ by more than one, or if serving renders anything. On a busy machine the time is that of two
cores which do nothing else: the processor time, halved. Needs /proc.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from validation.local_servers import Postgres, postgres_folder
from validation.pools import JoinedPeople, drill

#: Seconds of two cores for recording and rendering.
MOST_S, CORES = 15 * 60, 2
#: How often processor times are read.
SAMPLED_S = 0.2
COMMAND = "from believable.cli import main; main()"
PEOPLE, AGENT = "standin_human", "standin_agent"
#: An agent of the maze that keeps its direction for a while.
WALKER = """\
import random


def agent(seed):
    rng = random.Random(seed)
    way, left = (1, 0), 0

    def act(view):
        nonlocal way, left
        if not left:
            way, left = rng.choice([(1, 0), (-1, 0), (0, 1), (0, -1)]), rng.randint(10, 40)
        left -= 1
        return (*way, view["p"][2], 0, 0)

    return act
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedStep:
    """A command with its wall time, and the processor time of it and of its children."""

    name: str
    wall_s: float
    processor_s: float
    printed: str

    @property
    def two_cores_s(self) -> float:
        """The time on two cores that do nothing else: no command uses more than both."""
        return min(self.wall_s, self.processor_s / CORES)

    def __str__(self) -> str:
        return (
            f"{self.name:<22}{self.wall_s:8.0f} s  processor {self.processor_s:6.0f} s"
            f"  two cores {self.two_cores_s:6.0f} s"
        )


def timed(name: str, arguments: Sequence[str], folder: Path) -> TimedStep:
    """Run a command of `believable` in a folder."""
    began_s = time.monotonic()
    with (folder / f"{name}.log".replace(" ", "-")).open("w+", encoding="utf-8") as log:
        running = subprocess.Popen(
            [sys.executable, "-c", COMMAND, *arguments],
            cwd=folder,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        spent: dict[int, float] = {}
        while running.poll() is None:
            spent.update(processor_times(running.pid))
            time.sleep(SAMPLED_S)
        log.seek(0)
        printed = log.read()
    if running.returncode != 0:
        raise RuntimeError(f"{name}: {printed}")
    wall_s, processor_s = time.monotonic() - began_s, sum(spent.values())
    step = TimedStep(name=name, wall_s=wall_s, processor_s=processor_s, printed=printed)
    sys.stdout.write(f"{step}\n")
    sys.stdout.flush()
    return step


def processor_times(session: int) -> dict[int, float]:
    """The processor seconds to date of every process of a session, by its id. Workers are no
    children of the command, so that the system does not add them up.
    """
    if sys.platform == "win32":
        raise SystemExit("pool_made reads processor times from /proc. Run it on Linux.")
    ticks = os.sysconf("SC_CLK_TCK")
    found = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        if int(fields[3]) == session:
            found[int(file.parent.name)] = (int(fields[11]) + int(fields[12])) / ticks
    return found


def make_pool(folder: Path, clips: int, seconds: int) -> list[TimedStep]:
    """A study with pools of this many matched pairs."""
    (folder / "walker.py").write_text(WALKER, encoding="utf-8")
    record = ("record", "maze")
    each = ("--runs", str(clips), "--seed", "1", "--seconds", str(seconds))
    new = ("new", "my-study", "--protocol", "hntt")
    sources = (f"--clips={PEOPLE}=people", f"--clips={AGENT}=runs")
    return [
        timed("record people", (*record, "people", "--scripted", *each), folder),
        timed("record the agent", (*record, "runs", "--agent", "walker.py", *each), folder),
        timed("new", new, folder),
        timed("render", ("stimuli", "pool", "my-study", *sources, "--trials", "6"), folder),
        timed("check", ("check", "my-study"), folder),
    ]


def films_of(study: Path) -> dict[Path, int]:
    """Every film of the study with its time of change."""
    return {file: file.stat().st_mtime_ns for file in study.rglob("*.mp4")}


def is_kept(steps: Sequence[TimedStep], joined: JoinedPeople, *, rendered: int) -> bool:
    making = [step for step in steps if step.name.startswith(("record", "render"))]
    within = sum(step.two_cores_s for step in making) <= MOST_S
    return within and joined.passed and rendered == 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clips", type=int, default=300)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--folder", type=Path, help="Work here, and keep the study.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="believable-pool-") as scratch:
        folder = options.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        steps = make_pool(folder, options.clips, options.seconds)
        study = folder / "my-study"
        before = films_of(study)
        postgres = Postgres(postgres_folder())
        try:
            with tempfile.TemporaryDirectory(prefix="believable-hosts-") as hosts:
                database = postgres.new_database()
                joined = drill(study, Path(hosts), database, people=options.people, servers=2)
        finally:
            postgres.end()
        rendered = len(set(films_of(study).items()) ^ set(before.items()))
    sys.stdout.write(f"{steps[3].printed}{steps[-1].printed}")
    sys.stdout.write(f"{joined}\nfilms made while serving: {rendered}\n")
    return 0 if is_kept(steps, joined, rendered=rendered) else 1


if __name__ == "__main__":
    sys.exit(main())
