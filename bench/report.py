"""How long does a large study take from data to published figure, and where does the time go?

    python bench/report.py             1,000 participants, 2 traces of 60 s each
    python bench/report.py --quick     60 participants, for checking that it works
    python bench/report.py --protocol qa --participants 3000

Simulated participants take the ready-made study of a protocol on a virtual clock, straight into a
bundle, which is written as a folder. A process of its own then reads and verifies it, analyses it,
and writes the report: page, figures as SVG, PDF and PNG, tables as CSV and LaTeX. Its time and peak
memory are measured; printed beside, in the same run: how fast the machine is. It fails above 2 GiB;
the aim (60 s, of `qa` 25 s) is for a quiet machine of two cores and is reported, not judged.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from believable.analysis.run import run
from believable.bundle.folder import BundleFolder
from believable.bundle.read import Bundle, read
from believable.bundle.session_records import StudyRecord
from believable.bundle.write import tables_of
from believable.protocols import READY_STUDIES
from believable.report.figure_files import FORMATS, picture, script
from believable.report.page import page, write_report
from believable.simulate import straight
from believable.study.load import load
from calibration import calibration_ms

PARTICIPANTS = 1_000
QUICK = 60
#: Of the protocols whose reports had an aim.
AIM_S = {"trace": 60.0, "qa": 25.0}
MEMORY_GATE_MIB = 2048.0
SEED = 1

T = TypeVar("T")


def make(folder: Path, protocol: str, participants: int) -> Bundle:
    """The simulated study as a bundle on disk."""
    READY_STUDIES[protocol].copy(folder / "study")
    definition = load(folder / "study")
    made = straight.bundle(definition, participants, np.random.default_rng(SEED))
    study = StudyRecord(
        id=protocol,
        title=made.title,
        definitions={definition.hash: definition.to_json()},
        simulated=True,
    )
    tables = tables_of([definition])
    with BundleFolder(folder / "bundle", study, tables) as target:
        for table in tables:
            for row in made[table.name].rows():
                target.row(table.name, row)
        for digest, text in study.definitions.items():
            target.text(f"materials/definition-{digest[:12]}.json", text, "Study definition.")
    return made


class Steps:
    """Seconds by step, in order."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def __call__(self, name: str, work: Callable[[], T]) -> T:
        begun_s = time.perf_counter()
        try:
            return work()
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begun_s


def job(folder: Path) -> None:
    """What is measured. Drawing is timed apart from the writing of everything else."""
    step = Steps()
    bundle = step("read and verify", lambda: read(folder / "bundle"))
    analysis = step("analyse", lambda: run(bundle))
    step("drawing library", script)
    made = step("draw the figures and lay out the page", lambda: page(analysis))
    pictures = step(
        "figures as SVG, PDF and PNG",
        lambda: [picture(drawing, form) for drawing in made.drawings.values() for form in FORMATS],
    )
    begun_s = time.perf_counter()
    write_report(analysis, folder / "report", formats=())
    again_s = step.seconds["draw the figures and lay out the page"]
    step.seconds["tables and results"] = max(0.0, time.perf_counter() - begun_s - again_s)
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    told = {
        "steps": step.seconds,
        "peak_mib": peak_mib,
        "analysed": analysis.funnel[-1].after,
        "figures": len(made.drawings),
        "files": len(pictures),
        "tables": len(analysis.tables),
        "page_mib": len(made.html.encode()) / 2**20,
    }
    sys.stdout.write(json.dumps(told))


def main() -> int:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--quick", action="store_true")
    options.add_argument(
        "--protocol", choices=["clips", "hntt", "qa", "replay", "trace"], default="trace"
    )
    options.add_argument("--participants", type=int, default=PARTICIPANTS)
    options.add_argument("--job", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.job:
        job(Path(given.job))
        return 0
    participants = QUICK if given.quick else given.participants
    with tempfile.TemporaryDirectory(prefix="believable-bench-") as room:
        made = make(Path(room), given.protocol, participants)
        print(f"machine: {os.cpu_count()} cores, calibration loop {calibration_ms():.1f} ms")
        rows = f"{len(made['traces'])} rows of traces, {len(made['answers'])} answers"
        print(f"job: {given.protocol}, {participants} participants, {rows}")
        command = [sys.executable, __file__, "--job", room]
        begun_s = time.perf_counter()
        told = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        whole_s = time.perf_counter() - begun_s
    steps: dict[str, float] = told["steps"]
    total_s = sum(steps.values())
    for name, seconds in steps.items():
        print(f"  {name:<40} {seconds:6.2f} s  {seconds / total_s:5.1%}")
    print(
        f"{told['analysed']} sessions analysed, {told['figures']} figures in {told['files']} files,"
        f" {told['tables']} tables, page {told['page_mib']:.1f} MiB"
    )
    aim_s = AIM_S.get(given.protocol)
    aim = "" if aim_s is None else f"aim {aim_s:.0f} s: {'met' if total_s < aim_s else 'missed'}; "
    print(
        f"total {total_s:.1f} s ({aim}process {whole_s:.1f} s),"
        f" peak memory {told['peak_mib']:.0f} MiB (gate {MEMORY_GATE_MIB:.0f})"
    )
    return 0 if told["peak_mib"] < MEMORY_GATE_MIB else 1


if __name__ == "__main__":
    sys.exit(main())
