"""A stranger's study folder: opening it runs none of its code, follows none of its links, and
writes nothing outside of it.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from believable.core.errors import InvalidInput
from believable.worlds.gym.gym_environment import make_environment
from tests import programs

BELIEVABLE = Path(sys.executable).with_name("believable")
#: Modules that our own processes import: each would be found in the current folder if that were on
#: the path.
LIBRARIES = (
    "numpy",
    "click",
    "pydantic",
    "sqlalchemy",
    "uvicorn",
    "starlette",
    "believable",
    "threadpoolctl",
    "vl_convert",
)
#: Imported by Python itself when it starts or looks for a module, and by name.
CUSTOMISING = ("sitecustomize", "usercustomize", "conftest")
PLANTED = """\
import os, sys
with open({witness!r}, "a") as file:
    file.write(f"{{__name__}} {{sys.argv}}\\n")
raise SystemExit(86)
"""


@pytest.fixture
def witness(tmp_path: Path) -> Path:
    """What ran of the study folder is written here."""
    return tmp_path / "ran.txt"


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An ordinary study. Do not change it: copy it."""
    folder = tmp_path_factory.mktemp("ordinary") / "study"
    programs.believable("new", folder, "--protocol", "hntt")
    return folder


@pytest.fixture
def hostile(ordinary: Path, tmp_path: Path, witness: Path) -> Path:
    """An ordinary study, in a folder that has a Python file for every module that anything could
    import.
    """
    folder = Path(shutil.copytree(ordinary, tmp_path / "stranger"))
    names = [
        *(name for name in sys.stdlib_module_names if name != "antigravity"),
        *LIBRARIES,
        *CUSTOMISING,
    ]
    for name in names:
        (folder / f"{name}.py").write_text(PLANTED.format(witness=str(witness)))
    (folder / "planted.pth").write_text("import threading\n")
    entry = folder / "planted-1.0.dist-info"
    entry.mkdir()
    (entry / "METADATA").write_text("Metadata-Version: 2.1\nName: planted\nVersion: 1.0\n")
    (entry / "entry_points.txt").write_text(
        "[believable.instruments]\nplanted = antigravity_planted:PLANTED\n"
    )
    (folder / "antigravity_planted.py").write_text(PLANTED.format(witness=str(witness)))
    extension = folder / "extensions" / "planted"
    extension.mkdir(parents=True)
    (extension / "__init__.py").write_text(PLANTED.format(witness=str(witness)))
    return folder


def run(command: Sequence[object], folder: Path, *, expected: tuple[int, ...] = (0,)) -> str:
    # A shell does not protect its user's programs; a process of ours may protect its children.
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=plain,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert done.returncode in expected, done.stdout + done.stderr
    return done.stdout


def loaded_before_any_package(folder: Path) -> list[str]:
    """What `python -m NAME` imports before NAME gets a chance to do anything."""
    folder.mkdir()
    (folder / "first.py").write_text("import sys\nprint(*sys.modules)\n")
    return run([sys.executable, "-m", "first"], folder).split()


#: Several commands in one process, begun as the installed program is: from a script elsewhere.
COMMANDS = """\
import json, sys
from believable.cli import main
if __name__ == "__main__":
    for words, expected in json.loads(sys.argv[1]):
        sys.argv = ["believable", *words]
        try:
            main()
        except SystemExit as ended:
            assert ended.code in expected, (words, ended.code)
"""


def test_commands_run_nothing_of_the_folder_they_stand_in(
    hostile: Path, witness: Path, tmp_path: Path
) -> None:
    power = ["--participants", "8", "--studies", "20", "--workers", "2"]
    commands = [
        (["check", "."], (0, 1, 3)),
        (["power", ".", *power], (0,)),
        (["simulate", ".", "--participants", "4"], (0,)),
        (["export", ".", "--simulated", "--out", "bundle"], (0,)),
        (["report", "bundle", "--out", "written"], (0,)),
    ]
    script = tmp_path / "bin" / "commands"
    script.parent.mkdir()
    script.write_text(COMMANDS, encoding="utf-8")
    run([sys.executable, script, json.dumps(commands)], hostile)
    assert (hostile / "written").is_dir()
    assert not witness.exists(), witness.read_text()


def test_serving_runs_nothing_of_the_folder_it_stands_in(
    hostile: Path, witness: Path, free_port: int
) -> None:
    command = [str(BELIEVABLE), "serve", ".", "--port", str(free_port), "--workers", "2"]
    server = subprocess.Popen(
        command, cwd=hostile, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        assert server.stdout is not None
        lines = []
        for line in server.stdout:  # ends by itself if the server does
            lines.append(line)
            if "Serving." in line:
                break
        assert lines[-1:] == ["Serving. Stop with Ctrl-C.\n"], "".join(lines)
        assert not witness.exists(), witness.read_text()
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate()


def test_python_m_believable_leaves_the_current_folder_off_the_path(
    hostile: Path, witness: Path, tmp_path: Path
) -> None:
    """Python itself imports a few modules before it looks for ours; `python -P -m believable`
    protects from these, too.
    """
    run([sys.executable, "-P", "-m", "believable", "check", "."], hostile, expected=(0, 1, 3))
    assert not witness.exists(), witness.read_text()
    for name in [*loaded_before_any_package(tmp_path / "empty"), "believable"]:
        (hostile / f"{name}.py").unlink(missing_ok=True)
    run([sys.executable, "-m", "believable", "check", "."], hostile, expected=(0, 1, 3))
    assert not witness.exists(), witness.read_text()


@pytest.mark.parametrize(
    ("link", "command"),
    [
        (".believable", ("simulate", ".", "--participants", "1")),
        (".believable/address.txt", ("list", ".")),
        ("preregistration", ("preregister", ".")),
        ("preregistration/osf.md", ("preregister", ".")),
        ("power.json", ("power", ".", "--participants", "8", "--studies", "10", "--workers", "1")),
    ],
)
def test_a_link_in_the_folder_leads_to_no_writing_elsewhere(
    ordinary: Path, tmp_path: Path, link: str, command: tuple[str, ...]
) -> None:
    folder, outside = shutil.copytree(ordinary, tmp_path / "study"), tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("kept")
    (folder / link).parent.mkdir(exist_ok=True)
    (folder / link).symlink_to(outside if "." not in link[1:] else outside / "kept.txt")
    done = programs.run(*command, folder=folder)
    assert done.returncode == 4, done.stdout + done.stderr
    assert "which is outside of" in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in outside.iterdir()] == ["kept.txt"]
    assert (outside / "kept.txt").read_text() == "kept"


def test_a_study_cannot_name_a_module_of_python_to_be_run() -> None:
    pytest.importorskip("gymnasium")
    with pytest.raises(InvalidInput, match="is a module of Python"):
        make_environment("antigravity:CartPole-v1", {})
    assert "antigravity" not in sys.modules
