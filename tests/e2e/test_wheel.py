"""The wheel in a new environment outside the repository: demo, study, report; and what the plain
package does without extras.

What the package depends on is taken from the environment of the tests by its path; the package
itself is the wheel's.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import httpx
import pytest

from believable.simulate.server import free_port
from tests.waiting import wait_until

pytestmark = pytest.mark.timeout(1200)
ROOT = Path(__file__).resolve().parents[2]
#: Extras as they are imported.
OPTIONAL = (
    "av",
    "PIL",
    "glmm",
    "numba",
    "gymnasium",
    "vizdoom",
    "psycopg",
    "distributed",
    "obstore",
    "vl_convert",
    "minari",
)
WITHOUT_EXTRAS = f"""
import importlib.abc, os, sys

class NotInstalled(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {OPTIONAL!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

if "PLAIN" in os.environ:
    sys.meta_path.insert(0, NotInstalled())
"""
#: Every study that can be started, without extras: made, or refused with the extra's name and
#: nothing left behind.
EVERY_STUDY = """
from pathlib import Path
from click.testing import CliRunner
from believable.cli import group
from believable.cli.exit_codes import UNCHECKED as EXIT_UNCHECKED
from believable.cli.exit_codes import exit_code
from believable.protocols import READY_STUDIES
from believable.protocols.templates import TEMPLATES

started = 0
for option, names in (("--protocol", [*READY_STUDIES.names]), ("--template", [*TEMPLATES.names])):
    for name in names:
        folder = Path("plain") / name
        result = CliRunner().invoke(group, ["new", str(folder), option, name])
        if result.exit_code == 0:
            started += 1
            continue
        assert exit_code(result.exception) == EXIT_UNCHECKED, (name, result.exception)
        assert "believable[" in str(result.exception), result.exception
        assert not folder.exists(), f"{name}: a half-made folder"
        assert [*Path("plain").glob(".*")] == [], f"{name}: a draft is left"
assert started >= len(TEMPLATES.names), started
print(started, "started")
"""


class NewMachine:
    """An environment with the wheel, in a folder that knows nothing of the repository."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        self.folder = folder
        venv.create(folder / "venv", with_pip=True)
        self.python = folder / "venv" / "bin" / "python"
        self.run(
            self.python,
            "-m",
            "pip",
            "install",
            "-q",
            "--no-index",
            "--no-deps",
            "--no-compile",
            wheel,
        )
        (packages,) = (folder / "venv" / "lib").glob("*/site-packages")
        (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
        (packages / "sitecustomize.py").write_text(WITHOUT_EXTRAS)

    def run(self, *command: object, plain: bool = False) -> str:
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "OMP_NUM_THREADS": "1"}
        environment |= {"PLAIN": "1"} if plain else {}
        done = subprocess.run(
            [*map(str, command)],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def believable(self, *words: str) -> str:
        return self.run(self.python.with_name("believable"), *words)


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> NewMachine:
    folder = tmp_path_factory.mktemp("machine")
    built = tmp_path_factory.mktemp("built")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(built)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = built.glob("*.whl")
    return NewMachine(folder, wheel)


def test_the_description_leads_to_nothing_that_does_not_travel(machine: NewMachine) -> None:
    words = machine.run(
        machine.python,
        "-c",
        "import importlib.metadata as m; print(m.metadata('believable').get_payload())",
    )
    assert "Find out whether people believe an agent" in words
    links = re.findall(r"\]\(([^)]*)\)", words)
    assert links
    assert [link for link in links if not link.startswith("https://")] == []


def test_from_the_wheel_to_demo_study_and_report(machine: NewMachine) -> None:
    where = machine.run(
        machine.python, "-c", "import believable; print(believable.__file__)"
    ).strip()
    assert Path(where).is_relative_to(machine.folder), "the wheel's own package is used"
    port = free_port()
    command = [
        str(machine.python.with_name("believable")),
        "demo",
        "--protocol",
        "trace",
        "--quiet",
        "--port",
        str(port),
    ]
    demo = subprocess.Popen(
        command, cwd=machine.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        assert "Two games in a maze" in _page(f"http://127.0.0.1:{port}/", demo)
    finally:
        demo.send_signal(signal.SIGINT)
        _, words = demo.communicate(timeout=120)
    assert "Traceback" not in words
    machine.believable("new", "mine", "--blank")
    machine.believable("check", "mine")
    machine.believable("simulate", "mine", "--participants", "4", "--drop-out", "0")
    machine.believable("report", "mine", "--out", "report", "--formats", "")
    assert "Simulated" in (machine.folder / "report" / "report.html").read_text(encoding="utf-8")


def _page(address: str, server: subprocess.Popen[str]) -> str:
    def look() -> str:
        assert server.poll() is None, "the server ended"
        try:
            return httpx.get(address, timeout=60).text
        except httpx.TransportError:
            return ""

    return wait_until(look, f"{address} does not answer", 600)


def test_without_extras_every_study_is_made_or_refused_whole(machine: NewMachine) -> None:
    assert "started" in machine.run(machine.python, "-c", EVERY_STUDY, plain=True)
