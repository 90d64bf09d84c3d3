"""A study that changes while it runs: one wording and one recording are replaced after 10 of 40
sessions.
"""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from believable.bundle.read import read
from believable.cli import group
from believable.core.errors import BelievableError

OLD, NEW = "How human-like did the player act?", "How much did the player act like a person?"
REASON = "The prompt was unclear, and the clip showed another player."


def believe(*arguments: object) -> str:
    result = CliRunner().invoke(group, [str(argument) for argument in arguments])
    if isinstance(result.exception, BelievableError):
        return str(result.exception)
    assert result.exit_code == 0, (result.output, result.exception)
    return result.output


def take_part(study: Path, n: int, seed: int) -> None:
    """Simulated sessions that count as participants: only these make a study one that runs."""
    result = CliRunner().invoke(
        group,
        ["simulate", str(study), "--participants", str(n), "--seed", str(seed), "--drop-out", "0"],
    )
    assert result.exit_code == 0, (result.output, result.exception)
    with sqlite3.connect(study / ".believable" / "believable.db") as database:
        (last,) = database.execute(
            "select coalesce(max(number), 0) from sessions where link_kind = 'open'"
        ).fetchone()
        database.execute(
            "update sessions set link_kind = 'open', number = number + ? where link_kind ="
            " 'simulated'",
            (last,),
        )


def change(study: Path) -> None:
    text = (study / "study.yaml").read_text()
    assert OLD in text
    (study / "study.yaml").write_text(text.replace(OLD, NEW))
    believe("new", study.with_name("other"), "--template", "rate-clips", "--seed", 9)
    clip = Path("stimuli", "east_script.replay.json.gz")
    shutil.copy(study.with_name("other") / clip, study / clip)


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    room = tmp_path_factory.mktemp("changed")
    study = room / "study"
    believe("new", study, "--template", "rate-clips")
    text = (study / "study.yaml").read_text()
    (study / "study.yaml").write_text(
        text.replace("below: 0.33", "below: 0.9").replace("n: 40}", "n: 12}")
    )
    believe("preregister", study)
    take_part(study, 10, 1)
    change(study)
    checked = believe("check", study)
    assert "revise" in checked  # otherwise `serve` would start and never end
    refused = believe("serve", study)
    revised = believe("revise", study, "--reason", REASON)
    rechecked = believe("check", study)
    take_part(study, 30, 2)
    believe("export", study, "--out", room / "bundle")
    believe("report", study, "--out", room / "report", "--formats", "")
    results = json.loads((room / "report" / "results.json").read_text())
    page = (room / "report" / "report.html").read_text()
    return {"room": room, "study": study, "results": results, "page": page} | {
        "checked": checked,
        "refused": refused,
        "revised": revised,
        "rechecked": rechecked,
    }


@pytest.mark.parametrize("said", ["checked", "refused"])
def test_check_and_serve_list_the_changes_and_ask_for_a_reason(
    changed: dict[str, Any], said: str
) -> None:
    for words in (OLD, NEW, "media of stimulus east_script", "believable revise", "--reason"):
        assert words in changed[said]


def test_a_stated_reason_settles_it(changed: dict[str, Any]) -> None:
    assert "Version 2" in changed["revised"]
    assert "revise" not in changed["rechecked"]


def table(changed: dict[str, Any], name: str) -> list[dict[str, Any]]:
    tables = {
        table["name"]: table
        for section in changed["results"]["sections"]
        for table in section["tables"]
    }
    columns = [column["name"] for column in tables[name]["columns"]]
    return [dict(zip(columns, row, strict=True)) for row in tables[name]["rows"]]


def test_the_report_lists_versions_with_sessions_and_reason(changed: dict[str, Any]) -> None:
    versions = table(changed, "versions")
    assert [(row["version"], row["sessions"]) for row in versions] == [(1, 10), (2, 30)]
    assert versions[1]["reason"] == REASON
    assert versions[1]["after_registration"] == "yes"
    changes = {row["path"]: (row["was"], row["now"]) for row in table(changed, "version_changes")}
    assert (OLD, NEW) in changes.values()
    assert "media of stimulus east_script" in changes
    for digest in changed["results"]["source"]["definitions"]:
        assert digest in changed["page"] or digest[:12] in changed["page"]
    assert OLD in changed["results"]["methods"]
    assert NEW in changed["results"]["methods"]


def test_a_change_after_the_registration_is_a_deviation_and_nothing_stays_confirmatory(
    changed: dict[str, Any],
) -> None:
    assert any(
        "version 2, with 30 of 40 sessions, has 2 changes" in words
        for words in changed["results"]["deviations"]
    )
    statuses = {
        finding["status"]
        for section in changed["results"]["sections"]
        for finding in section["findings"]
    }
    assert "confirmatory" not in statuses


def test_the_versions_are_compared_by_a_test(changed: dict[str, Any]) -> None:
    rows = {row["quantity"]: row for row in table(changed, "version_tests")}
    assert {"clip.humanness", "clip.judgement"} <= set(rows)
    assert all(0 < row["p_value"] <= row["p_adjusted"] <= 1 for row in rows.values())
    by_size = sorted(rows.values(), key=lambda row: row["p_value"])
    steps = [min(1.0, row["p_value"] * (len(by_size) - place)) for place, row in enumerate(by_size)]
    assert [row["p_adjusted"] for row in by_size] == pytest.approx(
        [max(steps[: place + 1]) for place in range(len(steps))]
    )


def test_a_stimulus_is_known_by_id_and_digest(changed: dict[str, Any]) -> None:
    bundle = read(changed["room"] / "bundle")
    for name in ("shown", "judgements", "trials", "answers"):
        pairs = set(
            zip(
                bundle[name]["stimulus"].cells(),
                bundle[name]["stimulus_digest"].cells(),
                strict=True,
            )
        )
        assert len({digest for stimulus, digest in pairs if stimulus == "east_script"}) == 2, name
        assert len({digest for stimulus, digest in pairs if stimulus == "north_script"}) == 1, name


def test_included_is_the_analysed_set_and_every_exclusion_has_its_reason(
    changed: dict[str, Any],
) -> None:
    bundle = read(changed["room"] / "bundle")
    people = {str(row["session"]): bool(row["included"]) for row in bundle["participants"].rows()}
    assert sum(people.values()) == changed["results"]["funnel"][-1]["after"]
    out = {
        str(row["session"])
        for row in bundle["exclusions"].rows()
        if row["applied"] and row["scope"] == "session"
    }
    assert out == {session for session, included in people.items() if not included}
    reasons = Counter(row["reason"] for row in bundle["exclusions"].rows())
    assert reasons["too_fast"] > 0
    with (changed["room"] / "report" / "tables" / "exclusions.csv").open() as file:
        reported = Counter(
            row["reason"]
            for row in csv.DictReader(line for line in file if not line.startswith("#"))
        )
    assert reasons == reported
    humanness = [row for row in bundle["judgements"].rows() if row["question"] == "humanness"]
    assert all(people[str(row["session"])] == row["included"] for row in humanness)


def test_a_bundle_whose_definition_matches_no_session_is_refused(
    changed: dict[str, Any], tmp_path: Path
) -> None:
    bundle = tmp_path / "bundle"
    shutil.copytree(changed["room"] / "bundle", bundle)
    pinned = set()
    for path in sorted((bundle / "materials").glob("definition-*.json")):
        pinned.add(hashlib.sha256(path.read_bytes()).hexdigest()[:12])
        path.write_text(path.read_text().replace("Person or program?", "Program or person?"))
    lines = []
    for line in (bundle / "SHA256SUMS").read_text().splitlines():
        name = line.partition("  ")[2]
        lines.append(f"{hashlib.sha256((bundle / name).read_bytes()).hexdigest()}  {name}\n")
    (bundle / "SHA256SUMS").write_text("".join(lines))
    said = believe("analyse", bundle, "--out", tmp_path / "results")
    assert "sessions are pinned to the definition" in said
    assert any(name in said for name in pinned)
    assert not (tmp_path / "results").exists()
