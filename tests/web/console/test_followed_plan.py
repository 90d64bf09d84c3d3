"""The console and the command line follow the same plan: the one in study.yaml, compared with the
registered one.
"""

from __future__ import annotations

import asyncio
import csv
import html
import io
import json
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from believable.cli import group
from believable.core.processes import in_child
from believable.report.live_records import LiveReport, ReportRequest
from believable.web.app import Settings
from believable.web.console.export_page import WRITE_ZIP
from believable.web.console.live_results import compute_result
from believable.web.export_request import ExportRequest

from .conftest import BASE, living, turning

#: The exclusion that the plan changes after it was registered and everyone took part: it leaves out
#: more sessions.
REGISTERED, CHANGED = "below: 0.33", "below: 0.95"


def believe(*arguments: object) -> None:
    result = CliRunner().invoke(
        group, [str(argument) for argument in arguments], catch_exceptions=False
    )
    assert result.exit_code == 0, result.output


def edit_plan(study: Path, old: str, new: str) -> None:
    text = (study / "study.yaml").read_text("utf-8")
    assert old in text
    (study / "study.yaml").write_text(text.replace(old, new), "utf-8")


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("followed") / "study"
    believe("new", made, "--template", "rate-clips")
    believe("preregister", made)
    believe("simulate", made, "--participants", "12", "--drop-out", "0", "--seed", "2")
    edit_plan(made, REGISTERED, CHANGED)
    return made


def request(study: Path, room: Path) -> ReportRequest:
    data = study / ".believable"
    return ReportRequest(
        database=f"sqlite:///{data / 'believable.db'}",
        study="study",
        simulated=True,
        blinded=False,
        media_dir=str(data / "media"),
        folder=str(study),
        script=str(room / "library.js"),
        base="/watch",
        drafts=str(room),
    )


def test_the_console_lists_the_deviations_of_the_command_line(study: Path, tmp_path: Path) -> None:
    believe("report", study, "--out", tmp_path / "report", "--formats", "")
    results: dict[str, Any] = json.loads((tmp_path / "report" / "results.json").read_text("utf-8"))
    changed = [words for words in results["deviations"] if "0.95" in words]
    assert changed
    live = asyncio.run(compute_result(request(study, tmp_path)))
    assert not live.error
    page = html.unescape(live.html)
    for words in results["deviations"]:
        assert words[1:] in page, "a sentence there begins with a capital"
    assert (
        live.analysed
        == results["funnel"][-1]["after"]
        < live.came
        == results["funnel"][0]["before"]
    )
    assert f"there are {live.analysed}." in live.stopping


def test_the_console_exports_the_analysed_set_of_the_command_line(
    study: Path, tmp_path: Path
) -> None:
    believe("export", study, "--simulated", "--out", tmp_path / "bundle")
    wish = ExportRequest(
        database=f"sqlite:///{study / '.believable' / 'believable.db'}",
        study="study",
        simulated=True,
        recruiter_hashes=False,
        media_dir=study / ".believable" / "media",
        folder=tmp_path,
        study_folder=study,
    )
    with zipfile.ZipFile(in_child(WRITE_ZIP, wish)) as archive:
        name = next(name for name in archive.namelist() if name.endswith("participants_data.csv"))
        rows = list(csv.DictReader(io.StringIO(archive.read(name).decode("utf-8"))))
    text = next((tmp_path / "bundle").rglob("*participants_data.csv")).read_text("utf-8")
    assert [row["included"] for row in rows] == [
        row["included"] for row in csv.DictReader(io.StringIO(text))
    ]
    assert {row["included"] for row in rows} == {"true", "false"}


def test_results_are_computed_again_when_the_plan_changes(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing(wish: ReportRequest) -> LiveReport:
        return LiveReport(html="results")

    monkeypatch.setattr("believable.web.console.live_results.compute_result", nothing)
    settings = Settings(data_dir=study / ".believable", study_folders=(study,), base_url=BASE)

    def is_fresh() -> bool:
        return bool(owner.get("/console/studies/study/results.json?pool=simulated").json()["fresh"])

    with turning() as loop, living(settings, loop) as world:
        owner = world.log_in()
        until = time.monotonic() + 60
        while not is_fresh():
            assert time.monotonic() < until
            time.sleep(0.01)
        edit_plan(study, CHANGED, "below: 0.9")
        assert not is_fresh(), "the page must not call results of another plan up to date"
        edit_plan(study, "below: 0.9", CHANGED)
