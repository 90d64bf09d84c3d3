"""`believable publish`: nothing leaves that tells who somebody is."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from ruamel.yaml import YAML

from believable.bundle.cells import csv_line, neutralise
from believable.bundle.package import EVENTS
from believable.bundle.read import read
from believable.cli import group
from believable.core import event_chain
from believable.core.errors import Conflict, NotFound, Refused
from believable.report.redact import reseal

SECRET = "It walked stiffly. Write to anna.b@example.org or ask Dr. Jones"


def publish(*arguments: str) -> Result:
    return CliRunner().invoke(
        group, ["publish", *arguments, "--formats", "", "--licence", "CC-BY-4.0"]
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("published") / "study"
    for command in (
        ["new", str(made), "--protocol", "hntt"],
        ["simulate", str(made), "--participants", "5", "--drop-out", "0", "--care", "1"],
    ):
        result = CliRunner().invoke(group, command, catch_exceptions=False)
        assert result.exit_code == 0, result.output
    return made


@pytest.fixture
def bundle(folder: Path, tmp_path: Path) -> Path:
    target = tmp_path / "data" / "bundle"
    target.parent.mkdir()
    command = ["export", str(folder), "--simulated", "--out", str(target)]
    result = CliRunner().invoke(group, command, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return target


def plant(bundle: Path, *, dash: bool = False) -> str:
    """Lets the first participant write the secret as a reason, with its beginning typed before; the
    session's id.

    `dash`: the id begins with `-`, which tables write as `'-`, as ids made by earlier versions may.
    """
    path = bundle / EVENTS
    with gzip.open(path, "rt", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    bodies = [json.loads(line["body"]) for line in lines]
    session = lines[0]["session"]
    mine = [place for place, line in enumerate(lines) if line["session"] == session]
    place = next(place for place in mine if "why" in bodies[place]["data"].get("answers", {}))
    position = bodies[place]["trial"]
    bodies[place]["data"]["answers"]["why"] = SECRET
    typed = next(
        one
        for one in mine
        if bodies[one]["trial"] == position and bodies[one]["data"].get("question") == "why"
    )
    bodies[typed]["data"]["value"] = SECRET[:40]
    for line, body in zip(lines, bodies, strict=True):
        line["body"] = json.dumps(body)
    named = f"-{session[1:]}" if dash else session
    for place in mine:
        lines[place]["session"] = named
    heads = {
        name: event_chain.extend(
            event_chain.origin(name), [line["body"] for line in lines if line["session"] == name]
        )
        for name in {line["session"] for line in lines}
    }
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    for table in (bundle / "data").glob("*.csv"):
        with table.open(newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            is_mine = row.get("session") == session
            if is_mine:
                row["session"] = neutralise(named)
            if row.get("receipt"):
                row["receipt"] = heads[named if is_mine else row["session"]]
            if is_mine and row.get("position") == str(position) and row.get("question") == "why":
                row["value_text"] = SECRET
        if rows:
            table.write_text(
                csv_line(list(rows[0])) + "".join(csv_line(list(row.values())) for row in rows)
            )
    reseal(bundle)
    read(bundle)
    return str(named)


def everything(folder: Path) -> str:
    found = []
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".gz":
            found.append(gzip.decompress(path.read_bytes()).decode())
        elif path.is_file() and path.suffix not in (".png", ".pdf"):
            found.append(path.read_text(encoding="utf-8"))
    return "\n".join(found)


def test_a_release_holds_data_study_report_and_papers(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "release"
    result = publish(str(folder), "--out", str(out), "--author", 'A. "Nonym"')
    assert result.exit_code == 0, result.output
    assert result.exception is None
    names = {path.name for path in out.iterdir()}
    assert names == {
        "bundle",
        "study",
        "report",
        "README.md",
        "CITATION.cff",
        "LICENSE",
        "release.json",
        "SHA256SUMS",
    }
    assert read(out / "bundle").simulated
    assert (out / "report" / "report.html").is_file()
    assert not (out / "study" / "stimuli").exists()
    assert "**Simulated: no person took part." in (out / "README.md").read_text()
    assert "CC-BY-4.0" in (out / "LICENSE").read_text()
    cited = YAML(typ="safe").load((out / "CITATION.cff").read_text())
    assert cited["type"] == "dataset"
    assert cited["authors"] == [{"name": 'A. "Nonym"'}]
    for line in (out / "SHA256SUMS").read_text().splitlines():
        digest, _, name = line.partition("  ")
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest


def test_findings_are_listed_with_place_and_cure_and_nothing_is_written(
    bundle: Path, tmp_path: Path
) -> None:
    plant(bundle)
    out = tmp_path / "release"
    result = publish(str(bundle), "--out", str(out))
    assert isinstance(result.exception, Refused)
    text = str(result.exception)
    assert re.search(
        r"\b[0-9a-f]{8}  e-mail address in \S+answers\S+ line \d+, column value_text:"
        r" “.*anna.b@example.org",
        text,
    )
    assert "name in" in text
    assert "Remove it" in text
    assert "--redact ID" in text
    assert not out.exists()


@pytest.mark.parametrize("dash", [False, True])
def test_redacting_takes_it_out_everywhere_and_the_bundle_still_verifies(
    bundle: Path, tmp_path: Path, dash: bool
) -> None:
    session = plant(bundle, dash=dash)
    out = tmp_path / "release"
    result = publish(str(bundle), "--out", str(out), "--redact", "all")
    assert result.exception is None, result.output
    released = everything(out)
    assert "anna.b" not in released
    assert "Dr. Jones" not in released
    assert "[e-mail address removed]" in released
    assert SECRET[:40] not in released, "nor what was typed on the way"
    before, after = read(bundle), read(out / "bundle")
    receipts = [
        {row["session"]: row["receipt"] for row in one["participants"].rows()}
        for one in (before, after)
    ]
    assert receipts[0].keys() == receipts[1].keys()
    assert receipts[0][session] != receipts[1][session]
    assert "the receipts of 1 sessions were made" in (out / "README.md").read_text()


def test_accepting_needs_every_id(bundle: Path, tmp_path: Path) -> None:
    plant(bundle)
    out = tmp_path / "release"
    ids = re.findall(
        r"^  ([0-9a-f]{8})  ", str(publish(str(bundle), "--out", str(out)).exception), re.M
    )
    assert len(ids) == 2
    some = publish(str(bundle), "--out", str(out), "--accept", ids[0])
    assert isinstance(some.exception, Refused)
    assert ids[0] not in str(some.exception)
    result = publish(
        str(bundle), "--out", str(out), *(part for id_ in ids for part in ("--accept", id_))
    )
    assert result.exception is None
    assert "but for 2 places that were read" in (out / "README.md").read_text()
    wrong = publish(str(bundle), "--out", str(out), "--accept", "00000000")
    assert isinstance(wrong.exception, NotFound)


def test_something_else_is_never_overwritten(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    result = publish(str(folder), "--out", str(tmp_path / "mine"))
    assert isinstance(result.exception, Conflict)
    assert (tmp_path / "mine" / "thesis.tex").read_text() == "years of work"


def test_an_unknown_licence_is_refused(folder: Path, tmp_path: Path) -> None:
    command = ["publish", str(folder), "--out", str(tmp_path / "r"), "--licence", "CC-BY-40"]
    assert "CC-BY-4.0" in str(CliRunner().invoke(group, command).exception)


def test_times_of_a_release_tell_no_clock(bundle: Path, tmp_path: Path) -> None:
    """Times count from each session's first event; receipts are those of the events as they are in
    the release.
    """
    with gzip.open(bundle / EVENTS, "rt", encoding="utf-8") as file:
        assert min(json.loads(line)["received_ms"] for line in file) > 10**12
    release = tmp_path / "release"
    assert publish(str(bundle), "--out", str(release), "--redact", "all").exit_code == 0
    with gzip.open(release / "bundle" / EVENTS, "rt", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    firsts: dict[str, int] = {}
    for line in lines:
        times = line["received_ms"], json.loads(line["body"])["at_ms"]
        assert all(0 <= time < 10**9 for time in times)
        firsts[line["session"]] = min(firsts.get(line["session"], 10**9), *times)
    assert set(firsts.values()) == {0}
    people = read(release / "bundle")["participants"]
    for session, receipt in zip(people["session"].values, people["receipt"].values, strict=True):
        bodies = [line["body"] for line in lines if line["session"] == session]
        if receipt is not None:
            assert receipt == event_chain.extend(event_chain.origin(session), bodies)
    assert "no clock tells when somebody took part" in (release / "README.md").read_text("utf-8")
