"""The documentation reads easily: lines fit on a screen, sentences are plain English, and names of
modules and functions exist.
"""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
NAMED = [
    pytest.param(page, id=str(page.relative_to(ROOT))) for page in (ROOT / "README.md", *PAGES)
]
LONGEST = 120
#: Per 10,000 words of the pages that people wrote.
MOST = 5
#: Made from the records and docstrings of the package, whose own tests read their sentences.
GENERATED = {
    *("bundle.md", "cli.md", "instruments.md", "players.md"),
    *("python.md", "statistics.md", "study-file.md", "wire.md"),
}
PATTERNS = {
    "'what is …' as a noun": (
        r"\b[Ww]hat (?:is|was|were|are|it|they|people|a|the|one|somebody|nobody)\b"
    ),
    "'where' for 'if'": r"\bwhere (?:there|it|they|nothing|none|nobody|that)\b",
    "somebody, nobody, whoever": r"\b(?:[Ss]ome|[Nn]o|[Aa]ny|[Ee]very)body\b|\b[Ww]hoever\b",
    "tell, told": r"\b(?:tells?|told)\b",
    "stand, come, beside, anew, mend": r"\b(?:stands?(?!-in)|stood|comes?|beside|anew|mend\w*)\b",
    "so many, so long, so often": r"\b[Ss]o (?:many|much|long|often|far|few)\b",
    "of its own, go on": r"\b(?:of (?:its|their|one's) own|go(?:es|ing)? on)\b",
}
MODULE = re.compile(r"`(believable(?:\.\w+)+)(?:\(.*?\))?`")
FILE = re.compile(r"`((?:src/believable/)?[a-z_]+(?:/[\w-]+)+\.(?:py|js|html|yaml))`")


@cache
def written() -> str:
    return "\n".join(page.read_text("utf-8") for page in PAGES if page.name not in GENERATED)


@pytest.mark.parametrize("page", NAMED)
def test_lines_fit_on_a_screen(page: Path) -> None:
    lines = page.read_text("utf-8").splitlines()
    wide = [number for number, line in enumerate(lines, 1) if len(line) > LONGEST]
    assert wide == [], f"{page.name}: more than {LONGEST} characters in lines {wide}"


@pytest.mark.parametrize("name", PATTERNS)
def test_sentences_are_plain_english(name: str) -> None:
    found = len(re.findall(PATTERNS[name], written()))
    assert 10_000 * found / len(written().split()) <= MOST


def exists(name: str) -> bool:
    """A module, or a name in one."""
    parts = name.split(".")
    for size in range(len(parts), 0, -1):
        try:
            value: object = importlib.import_module(".".join(parts[:size]))
        except ModuleNotFoundError:
            continue
        for part in parts[size:]:
            value = getattr(value, part, None)
        return value is not None
    return False


@pytest.mark.parametrize("page", NAMED)
def test_names_of_the_package_exist(page: Path) -> None:
    names = set(MODULE.findall(page.read_text("utf-8")))
    others = {"believable.db", "believable.service", "believable.d.ts"}
    others |= {f"believable.{part}s" for part in ("agent", "instrument", "page", "player")}
    assert sorted(name for name in names - others if not exists(name)) == []


@pytest.mark.parametrize("page", NAMED)
def test_files_of_the_repository_exist(page: Path) -> None:
    places = (ROOT, ROOT / "src/believable", ROOT / "src/believable/web/static", ROOT / "src")
    named = {name for name in FILE.findall(page.read_text("utf-8")) if not name.startswith("/")}
    ours = {name for name in named if (ROOT / "src/believable" / name.split("/")[0]).is_dir()}
    ours |= {name for name in named if name.split("/")[0] in {"src", "tests", "docs", "bench"}}
    missing = {name for name in ours if not any((place / name).is_file() for place in places)}
    assert sorted(missing) == []
