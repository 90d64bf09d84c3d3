"""Simulated participants on videos that the author supplies: what is assumed is what the report
finds.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from believable.analysis.exclusions import apply
from believable.bundle.read import read
from believable.cli import group
from believable.contracts.registries import INSTRUMENTS
from believable.simulate.client import Participant
from believable.study.declaration import ExclusionRule
from believable.web.participant.questions import localise
from validation.video_means import MEANS, rows_of, study_file, write_study


def believable(*words: str, fails: bool = False) -> Result:
    result = CliRunner().invoke(group, list(words), standalone_mode=False)
    assert (result.exception is not None) == fails, f"{words}: {result.exception}\n{result.output}"
    return result


@pytest.fixture(scope="module")
def pilot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pilot") / "five"
    pytest.importorskip("av", reason="needs the video extra")
    write_study(folder)
    checked = believable("check", str(folder)).output
    assert "0 problems" in checked, checked
    believable("simulate", str(folder), "--participants", "60", "--seed", "4")
    believable("export", str(folder), "--simulated", "--out", str(folder.parent / "bundle"))
    return folder


@pytest.mark.slow
def test_the_report_finds_the_assumed_means(pilot: Path) -> None:
    report = pilot.parent / "report"
    believable("report", str(pilot), "--out", str(report), "--formats", "")
    found = {row["group"]: row for row in rows_of(report / "tables" / "humanness_groups.csv")}
    for condition, mean in MEANS.items():
        assert float(found[condition]["mean_low"]) < mean < float(found[condition]["mean_high"]), (
            found[condition]
        )
    # The row that checks attention, whose right answer is 2, is not in the mean: else 5.5 would
    # become 4.3.
    for row in rows_of(report / "tables" / "godspeed_groups.csv"):
        half = (float(row["mean_high"]) - float(row["mean_low"])) / 2
        # Of ten intervals at 95 % one may miss; one that is half as wide again (99.7 %) may not.
        assert abs(float(row["mean"]) - MEANS[row["group"]]) < 1.5 * half, row


def test_rows_that_check_attention_decide_who_is_excluded(pilot: Path) -> None:
    bundle = read(pilot.parent / "bundle")
    rows = [row for row in bundle["answers"].rows() if row["item"] == "attend"]
    assert {bool(row["correct"]) for row in rows if row["value_number"] == 2} == {True}
    failed = {str(row["session"]) for row in rows if row["value_number"] != 2}
    assert failed, "some simulated participants are careless"
    kept = apply(bundle, ()).sessions
    for rule in (
        ExclusionRule(rule="failed_check"),
        ExclusionRule.model_validate(
            {"rule": "answer", "answer": "clip.godspeed.attend", "is": [1, 3, 4, 5, 6, 7]}
        ),
    ):
        assert set(kept) - set(apply(bundle, (rule,)).sessions) == failed & set(kept)


def test_every_language_of_the_study_is_used(pilot: Path) -> None:
    languages = [row["language"] for row in read(pilot.parent / "bundle")["participants"].rows()]
    assert min(languages.count(language) for language in ("en", "de")) > 15


def test_an_export_without_real_sessions_names_the_simulated_ones(pilot: Path) -> None:
    output = believable("export", str(pilot), "--out", str(pilot.parent / "real")).output
    assert "The study has 60 simulated sessions. Export them with: believable export" in output
    assert "--simulated" in output


def test_another_truth_is_simulated(pilot: Path, tmp_path: Path) -> None:
    data = ("--data", str(tmp_path / "data"))
    believable(
        "simulate", str(pilot), "--participants", "12", "--truth", "humanness_human=1.2", *data
    )
    believable("export", str(pilot), "--simulated", "--out", str(tmp_path / "bundle"), *data)
    rows = read(tmp_path / "bundle")["answers"].rows()
    own = [
        row["value_number"]
        for row in rows
        if (row["condition"], row["question"]) == ("human", "humanness")
    ]
    assert np.mean(own) < 2.5


def test_a_stimulus_that_is_not_recognised_ends_the_command(
    pilot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = Participant.open_medium

    async def another(self: Participant, address: str) -> bytes:
        return await served(self, address) + b"!"

    monkeypatch.setattr(Participant, "open_medium", another)
    words = ("simulate", str(pilot), "--participants", "2", "--data", str(tmp_path / "data"))
    assert "cannot recognise a stimulus" in str(believable(*words, fails=True).exception)


@pytest.mark.parametrize(
    ("rule", "warning"),
    [
        ("{rule: answer, answer: clip.godspeed.attend, is: [2]}", "complete simulated sessions."),
        (
            "{rule: answer, answer: clip.godspeed.alive, is: [3, 4, 5]}",
            "complete simulated sessions.",
        ),
        ("{rule: answer, answer: clip.godspeed, is: [2]}", "has 3 rows"),
        ("{rule: answer, answer: clip.godspeed.attent, is: [2]}", "Did you mean 'attend'?"),
        ("{rule: answer, answer: clip.humanness.attend, is: [2]}", "has no rows"),
        (
            "{rule: answer, answer: clip.humanness, is: [8]}",
            "unknown answer of 'clip.humanness': '8'",
        ),
    ],
)
def test_check_tries_exclusion_rules(pilot: Path, tmp_path: Path, rule: str, warning: str) -> None:
    study = shutil.copytree(pilot, tmp_path / "study", ignore=shutil.ignore_patterns(".believable"))
    text = study_file()
    (study / "study.yaml").write_text(
        text[: text.index("    - {rule: failed_check}")] + f"    - {rule}\n", "utf-8"
    )
    output = believable("check", str(study)).output
    line = next(
        line for line in output.splitlines() if "analysis.exclusions[0]" in line and warning in line
    )
    assert line.startswith(
        f"study.yaml:{len((study / 'study.yaml').read_text('utf-8').splitlines())} "
    )


def test_the_right_point_of_an_attention_row_never_reaches_a_browser() -> None:
    kind = INSTRUMENTS["matrix"]
    params = kind.params.model_validate(
        {"points": 7, "rows": ["calm", {"value": "attend", "attention": 2}]}
    )
    assert kind.attention(params) == {"attend": 2}
    assert "attention" not in str(localise(params, "en"))
