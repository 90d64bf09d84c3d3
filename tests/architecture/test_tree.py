"""What the tree looks like: readable sizes, telling names, and nothing of anybody's machine in
it.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "managers"}
TEXT_SUFFIXES = {
    ".py",
    ".md",
    ".js",
    ".css",
    ".html",
    ".toml",
    ".yaml",
    ".yml",
    ".json",
    ".cff",
    ".txt",
    ".lock",
    ".mako",
    "",
}

#: Homes, work folders and package registries: true on one machine, wrong on every other.
MACHINE = re.compile(
    r"/home/\w+|/Users/\w+|/root/\w|(?<![\w.])/work/\w+|(?<![\w.])/tmp/team|C:\\\\Users"
    r"|(?i:https?://)[\w.-]*(?:pypi\.org|pythonhosted\.org|registry\.npmjs\.org|artifactory|nexus)[\w./-]*"
    r"|--(?:extra-)?index-url\s+http"
)


def tracked() -> list[Path]:
    names = (
        subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
        .stdout.decode()
        .split("\0")
    )
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


FILES = [file for file in tracked() if file.suffix in TEXT_SUFFIXES]
CODE = [file for file in FILES if file.suffix in {".py", ".js", ".css", ".html"}]


def name_of(file: Path) -> str:
    return str(file.relative_to(ROOT))


def test_names_say_what_is_inside() -> None:
    vague = [
        name_of(file)
        for file in CODE
        if VAGUE_NAMES & {part.removesuffix(file.suffix) for part in file.parts}
    ]
    assert vague == []


def test_nothing_of_a_machine_is_in_the_tree() -> None:
    others = [
        file for file in FILES if file != Path(__file__).resolve()
    ]  # here are the patterns themselves
    texts = {name_of(file): file.read_text(encoding="utf-8") for file in others}
    assert {name: places for name, text in texts.items() if (places := MACHINE.findall(text))} == {}


@pytest.mark.parametrize(
    "text",
    ["see /home/anna/x", "in /work/main/src", "https://pypi.org/simple/x", "--index-url http://x"],
)
def test_a_machine_path_is_found(text: str) -> None:
    assert MACHINE.search(text)


def test_every_test_file_mirrors_a_folder_of_the_source() -> None:
    others = {
        "architecture",
        "browser",
        "data",
        "faults",
        "red_team",
        "js",
        "mutants",
        "oracles",
        "bench",
        "deploy",
        "docs",
        "e2e",
        "agent_package",
        "validation",
    }
    packages = {
        folder.name for folder in (ROOT / "src" / "believable").iterdir() if folder.is_dir()
    }
    folders = {
        file.relative_to(ROOT / "tests").parts[0]
        for file in tracked()
        if file.is_relative_to(ROOT / "tests")
    }
    folders = {name for name in folders if (ROOT / "tests" / name).is_dir()}
    assert folders <= packages | others


def test_browser_tests_are_where_make_looks_for_them() -> None:
    """Each of its runs collects only what it needs; elsewhere a browser test would be left out by
    all of them.
    """
    listed = re.search(
        r"^WITH_BROWSER := (.+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert listed is not None
    folders = [ROOT / name for name in listed[1].split()]
    marked = [
        file
        for file in CODE
        if file.is_relative_to(ROOT / "tests")
        and re.search(r"pytest\.mark\.(browser|timing)\b", file.read_text(encoding="utf-8"))
    ]
    assert len(marked) > 3
    outside = [
        name_of(file)
        for file in marked
        if not any(file.is_relative_to(folder) for folder in folders)
    ]
    assert outside == []
