"""The how-tos for parts are followed to the letter: their files are written as they are printed,
their checks pass, and their commands work in this order.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import believable
from tests.how_to import DOCS, PAGES, commands_of, files_of, installed_package
from tests.programs import ROOT, run

#: Calls the tests that a page shows, in the process of the package.
CHECKS = """
import runpy, sys
for path in sys.argv[1:]:
    tests = [test for name, test in runpy.run_path(path).items() if name.startswith("test_")]
    assert tests
    for test in tests:
        test()
"""
#: The parts that a page needs beside its own.
NEEDED = {"protocol": ("instrument",)}


def pass_checks(folder: Path) -> None:
    done = run("-c", CHECKS, *sorted((folder / "tests").glob("*.py")), site=folder)
    assert done.returncode == 0, done.stderr


def follow(page: str, folder: Path) -> None:
    """Run every command of a page in the package's folder."""
    for command in commands_of(page):
        done = run(*command, site=folder, folder=folder)
        assert done.returncode == 0, (command, done.stdout, done.stderr)


@pytest.mark.parametrize("part", [part for part in PAGES if part != "agent"])
def test_a_part_is_built_checked_and_used_as_its_page_says(part: str, tmp_path: Path) -> None:
    installed_package(tmp_path, *NEEDED.get(part, ()), part)
    pass_checks(tmp_path)
    follow(PAGES[part], tmp_path)


def test_a_study_of_nothing_but_own_parts_goes_from_its_recording_to_its_report(
    tmp_path: Path,
) -> None:
    installed_package(tmp_path, *PAGES)
    follow("extend.md", tmp_path)
    (table,) = (tmp_path / "ducks-data").glob("data/*tap_press_data.csv")
    header, *rows = [line.split(",") for line in table.read_text().splitlines()]
    assert header[-2:] == ["media_ms", "strength"]
    assert rows
    assert {row[-1] for row in rows} == {"3"}
    assert "tap_press" in (tmp_path / "ducks-data" / "documentation" / "codebook.csv").read_text()
    (played,) = (tmp_path / "ducks-data").glob("data/*rounds_data.csv")
    assert len(played.read_text().splitlines()) == 4
    report = (tmp_path / "ducks-report" / "report.html").read_text()
    assert "The share of glad people was" in report


@pytest.mark.slow
def test_scripts_of_the_page_have_the_types_that_it_promises(tmp_path: Path) -> None:
    compiler = ROOT / "node_modules" / ".bin" / "tsc"
    if not compiler.exists():
        pytest.skip("TypeScript is not installed: make lint installs it")
    installed_package(tmp_path, "instrument", "player")
    config = tmp_path / "tsconfig.json"
    (folder,) = believable.__path__
    config.write_text(config.read_text().replace("FOLDER", folder))
    done = subprocess.run([compiler, "-p", config], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    widget = tmp_path / "acme_believable" / "tap" / "widget.js"
    widget.write_text(widget.read_text().replace("params.strength", "params.strenght"))
    done = subprocess.run([compiler, "-p", config], capture_output=True, text=True, check=False)
    assert "strenght" in done.stdout


def test_every_page_about_adding_something_is_followed() -> None:
    pages = {f"how-to/{file.name}" for file in (DOCS / "how-to").glob("add-a*.md")}
    assert pages == {*PAGES.values(), *IN_OUR_TREE}
    assert all(files_of(page) for page in PAGES.values())


#: Pages about parts that only we add.
IN_OUR_TREE = ("how-to/add-a-console-page.md", "how-to/add-a-statistic.md")


def copy_tree(target: Path, *folders: str) -> None:
    """A clone with these folders, to which a page adds something."""
    for name in folders:
        shutil.copytree(
            ROOT / name, target / name, ignore=shutil.ignore_patterns("__pycache__", "data")
        )
    for file in (*(ROOT / "tests").glob("*.py"), ROOT / "pyproject.toml"):
        shutil.copy(file, target / file.relative_to(ROOT))


def apply_change(change: str, file: Path, n_places: int = 1) -> None:
    """Replace the lines with a minus by those with a plus."""
    lines = change.splitlines(keepends=True)
    old, new = ("".join(line[1:] for line in lines if line[0] == sign) for sign in "-+")
    assert file.read_text().count(old) == n_places
    file.write_text(file.read_text().replace(old, new))


def pass_tests(folder: Path, *tests: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "0", *tests],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def changes_of(page: str) -> list[str]:
    return re.findall(r"```diff\n(.*?)```", (DOCS / page).read_text("utf-8"), re.S)


@pytest.mark.slow
def test_a_statistic_is_added_to_a_clone_as_its_page_says(tmp_path: Path) -> None:
    """The page's own test passes, every function has a witness, and the script gives its output."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        pytest.skip("Rscript is not installed")
    copy_tree(tmp_path, "src", "tests/oracles", "tests/stats", "validation")
    page = "how-to/add-a-statistic.md"
    for name, text in files_of(page).items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    ((folder, command),) = re.findall(
        r"^cd (\S+)\n(Rscript .*)$", (DOCS / page).read_text("utf-8"), re.M
    )
    subprocess.run([rscript, *command.split()[1:]], cwd=tmp_path / folder, check=True)
    witness, again = changes_of(page)
    apply_change(witness, tmp_path / "validation" / "witnesses.py")
    apply_change(again, tmp_path / "tests" / "oracles" / "test_rerun.py")
    rerun = "tests/oracles/test_rerun.py::test_the_script_gives_the_committed_output"
    pass_tests(
        tmp_path,
        "tests/stats/test_mean_difference.py",
        "tests/oracles/test_complete.py",
        f"{rerun}[mean_difference]",
    )


@pytest.mark.slow
def test_a_console_page_is_added_to_a_clone_as_its_page_says(tmp_path: Path) -> None:
    """A copy of the source takes the files and the change; the page's own test and those of every
    route pass.
    """
    copy_tree(tmp_path, "src", "tests/web", "validation")
    page = "how-to/add-a-console-page.md"
    for name, text in files_of(page).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (change,) = changes_of(page)
    apply_change(change, tmp_path / "src" / "believable" / "web" / "console" / "__init__.py", 2)
    console = "tests/web/console"
    tested = [f"{console}/test_links_page.py", f"{console}/test_rights.py"]
    pass_tests(tmp_path, *tested, "tests/web/test_routes_refuse.py")
