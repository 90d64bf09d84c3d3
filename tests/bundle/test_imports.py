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
    assert [(row["reason"], row["count"]) for row in bundle["exclusions"].rows()] == [("damaged", 1)]
    everything = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert b"PROLIFIC" not in everything


def test_the_real_export_becomes_a_valid_package(tmp_path: Path, public_data: Callable[[str], Path]) -> None:
    export = public_data("pagan_auditory_qa") / "raw_pagan_export.csv"
    result = CliRunner().invoke(group, ["import", "pagan", str(export), "--out", str(tmp_path / "out")], catch_exceptions=False)
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
