"""Imported annotations become a bundle like any other."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import frictionless
from click.testing import CliRunner

from believable.bundle.read import read
from believable.cli import group
from believable.recordings.importers.pagan import read_pagan

HEAD = "OriginalName,DatabaseName,Participant,SessionID,Timestamp,VideoTime,Value,ExternalPID"


def test_the_command_writes_a_bundle_and_reports_damage(tmp_path: Path) -> None:
    export = tmp_path / "export.csv"
    export.write_text(
        f"{HEAD}\nvideo,DB_1,p1,S1,1700000000000,0,0,PROLIFIC77\nvideo,DB_1,p1,S1,1700000000500,480.5,-1,PROLIFIC77\n"
        "video,DB_1,p2,S1,1700000000000,0,3,PROLIFIC88\nbroken\n"
    )
    arguments = ["import", "pagan", str(export), "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(group, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert "2 traces, 3 of 4 rows used" in result.output
    assert "1 rows left out: more or fewer cells than the header (lines 5)" in result.output
    bundle = read(tmp_path / "out")
    assert bundle["participants"]["session"].cells() == ("S1", "S1.2")
    assert bundle["participants"]["participant"].cells() == ("P1", "P2")
    assert [(row["session"], row["media_ms"], row["value"]) for row in bundle["traces"].rows()] == [
        ("S1", 0.0, 0.0),
        ("S1", 480.5, -1.0),
        ("S1.2", 0.0, 3.0),
    ]
    assert [(row["reason"], row["count"]) for row in bundle["exclusions"].rows()] == [
        ("damaged", 1)
    ]
    everything = b"".join(
        path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()
    )
    assert b"PROLIFIC" not in everything


def test_the_real_export_becomes_a_valid_package(
    tmp_path: Path, public_data: Callable[[str], Path]
) -> None:
    export = public_data("pagan_auditory_qa") / "raw_pagan_export.csv"
    result = CliRunner().invoke(
        group,
        ["import", "pagan", str(export), "--out", str(tmp_path / "out")],
        catch_exceptions=False,
    )
    assert "92 traces, 11187 of 14711 rows used" in result.output
    bundle = read(tmp_path / "out")
    assert len(bundle["traces"]) == 11_187
    again = read_pagan(tmp_path / "out" / "results" / "traces-pagan.csv")
    assert (len(again.traces), again.report.used, again.report.findings) == (92, 11_187, ())
    assert "extra_group" in bundle["participants"].columns
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = frictionless.Package(str(tmp_path / "out" / "datapackage.json")).validate()
    assert report.valid, report.flatten(["name", "type", "note"])


def import_prepared(tmp_path: Path, *, block: bool) -> tuple[str, list[str]]:
    """Two sessions of three people each, who saw different clips under one name."""
    lines = ["session,participant,stimulus,bin_250ms,value" + (",block" if block else "")]
    for session in ("s1", "s2"):
        for who in ("a", "b", "c"):
            lines += [
                f"{session},{who},clip,{index},{index}" + (f",{session}" if block else "")
                for index in range(4)
            ]
    (tmp_path / "traces.csv").write_text("\n".join(lines) + "\n")
    arguments = ["import", "traces", str(tmp_path / "traces.csv"), "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(group, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output, list(dict.fromkeys(read(tmp_path / "out")["traces"]["stimulus"].cells()))


def test_one_name_in_two_sessions_of_several_people_is_a_warning(tmp_path: Path) -> None:
    printed, stimuli = import_prepared(tmp_path, block=False)
    assert stimuli == ["clip"]
    assert "warning: clip is in 2 sessions of several people each (s1, s2)" in printed
    assert "add a column block" in printed
    assert "add a column block" in (tmp_path / "out" / "documentation" / "import.txt").read_text()


def test_blocks_are_never_pooled(tmp_path: Path) -> None:
    printed, stimuli = import_prepared(tmp_path, block=True)
    assert stimuli == ["s1/clip", "s2/clip"]
    assert "warning" not in printed


def test_one_session_per_person_is_no_reason_to_warn(tmp_path: Path) -> None:
    lines = ["session,participant,stimulus,bin_250ms,value"]
    lines += [f"s{who},p{who},clip,{index},{index}" for who in range(5) for index in range(4)]
    (tmp_path / "traces.csv").write_text("\n".join(lines) + "\n")
    result = CliRunner().invoke(
        group, ["import", "traces", str(tmp_path / "traces.csv"), "--out", str(tmp_path / "out")]
    )
    assert "warning" not in result.output


def test_videos_of_pagan_have_the_names_that_the_researcher_gave(tmp_path: Path) -> None:
    rows = [
        "film &amp; tone,DB_1,p1,S1,1700000000000,0,0,",
        "same,DB_2,p1,S2,1700000000000,0,0,",
        "same,DB_3,p1,S3,1700000000000,0,0,",
    ]
    (tmp_path / "export.csv").write_text("\n".join([HEAD, *rows]) + "\n")
    result = CliRunner().invoke(
        group, ["import", "pagan", str(tmp_path / "export.csv"), "--out", str(tmp_path / "out")]
    )
    assert result.exit_code == 0, result.output
    # Two videos of one name could not be told apart, so they keep PAGAN's ids.
    assert read(tmp_path / "out")["traces"]["stimulus"].cells() == ("film & tone", "DB_2", "DB_3")
