"""The tutorial's commands, one after the other, with fewer participants than a reader would
take.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from believable.cli import group

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "tutorial.md"
PARTICIPANTS = "5"
#: Pictures as files are tested with the reports; here they would only take time.
SHORTER = {
    "report": ["--formats", "svg"],
    "publish": ["--formats", ""],
    "simulate": ["--drop-out", "0"],
}


def blocks() -> list[tuple[str, str]]:
    return re.findall(
        r"^```(sh|diff|console)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.S | re.M
    )


def run(line: str) -> str:
    program, command, *arguments = shlex.split(line)
    assert program == "believable"
    arguments = [
        PARTICIPANTS if before == "--participants" else one
        for before, one in zip(["", *arguments], arguments, strict=False)
    ]
    result = CliRunner().invoke(
        group, [command, *arguments, *SHORTER.get(command, [])], catch_exceptions=False
    )
    assert result.exit_code == 0, f"{line}\n{result.output}"
    return result.output


def apply(diff: str, file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    changes = re.findall(r"^-(.*)\n\+(.*)$", diff, re.M)
    assert changes
    for old, new in changes:
        assert text.count(f"{old}\n") == 1, old
        text = text.replace(f"{old}\n", f"{new}\n")
    file.write_text(text, encoding="utf-8")


def test_every_command_works_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = {}
    for kind, text in blocks():
        if kind == "diff":
            apply(text, tmp_path / "my-study" / "study.yaml")
        elif kind == "sh":
            for line in text.splitlines():
                told[line] = run(line)
    assert "34" in told["believable power --test paired_t --effect 0.5"]
    first = (tmp_path / "first-report" / "report.html").read_text(encoding="utf-8")
    assert "Which of the two navigates like a person?" in first
    assert 'class="finding confirmatory"' not in first
    last = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert "Does our agent walk like a person?" in last
    assert 'class="finding confirmatory"' in last
    assert (tmp_path / "release" / "bundle" / "datapackage.json").is_file()
    assert (tmp_path / "release" / "preregistration" / "plan.json").is_file()


def test_pages_and_pictures_it_points_to_are_there() -> None:
    found = re.findall(r"\]\(([^)#]+)\)", PAGE.read_text(encoding="utf-8"))
    assert len(found) > 8
    assert [one for one in found if not (DOCS / one).is_file()] == []


def test_what_is_not_run_is_a_command_all_the_same() -> None:
    shown = [line for kind, text in blocks() if kind == "console" for line in text.splitlines()]
    assert shown == ["make demo", "believable serve my-study"]
    assert "demo:" in (DOCS.parent / "Makefile").read_text(encoding="utf-8")
