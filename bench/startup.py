"""What it takes until `believable serve` answers, of two versions of the source in turn.

    git worktree add /tmp/before COMMIT
    python bench/startup.py /tmp/before/src src            10 starts of each
    python bench/startup.py /tmp/before/src src --starts 3

Each serves its own new `hntt` study, published before the first start that counts. Processor time
of the server until `/health` answers, median; exits with 1 when the second version needs more than
the first.
"""

from __future__ import annotations

import argparse
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import psutil

LONGEST_S = 120.0


def environment(source: Path) -> dict[str, str]:
    """Compiled modules are kept, whatever the caller's environment says: otherwise compiling is
    what is measured.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(source.resolve())}


def new_study(source: Path, folder: Path) -> Path:
    command = [sys.executable, "-m", "believable", "new", str(folder), "--protocol", "hntt"]
    subprocess.run(command, env=environment(source), check=True, capture_output=True)
    return folder


def start_s(source: Path, study: Path) -> float:
    """Processor seconds of the server and its children until it answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "believable", "serve", str(study), "--port", str(port)]
    server = subprocess.Popen(
        command, env=environment(source), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    process = psutil.Process(server.pid)
    try:
        until = time.monotonic() + LONGEST_S
        while time.monotonic() < until:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5):
                    break
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.02)
        else:
            raise SystemExit(f"{source}: the server did not answer within {LONGEST_S:g} s.")
        used = [
            process.cpu_times(),
            *(child.cpu_times() for child in process.children(recursive=True)),
        ]
        return sum(times.user + times.system for times in used)
    finally:
        server.terminate()
        server.wait()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "sources",
        nargs=2,
        type=Path,
        help="Two folders that hold the package, the earlier one first.",
    )
    parser.add_argument("--starts", type=int, default=10)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="believable-starts-") as room:
        studies = [
            new_study(source, Path(room) / f"study{number}")
            for number, source in enumerate(arguments.sources)
        ]
        served = list(zip(arguments.sources, studies, strict=True))
        for source, study in served:
            start_s(source, study)  # publishes, and compiles what is not compiled yet
        times: list[list[float]] = [[], []]
        for _ in range(arguments.starts):
            for kept, (source, study) in zip(times, served, strict=True):
                kept.append(start_s(source, study))
    before_s, now_s = map(statistics.median, times)
    for source, kept in zip(arguments.sources, times, strict=True):
        print(
            f"{source}: median {statistics.median(kept):.3f} s, {min(kept):.3f} to {max(kept):.3f}"
        )
    print(f"ratio {now_s / before_s:.3f}")
    return int(now_s > before_s)


if __name__ == "__main__":
    sys.exit(main())
