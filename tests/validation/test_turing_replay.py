"""Real judgements, stopped as soon as the answer is known."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from believable.core.errors import InvalidInput
from validation.turing_replay import (
    AGENT,
    PERSON,
    TuringStudy,
    differences,
    main,
    read_studies,
    replay_study,
)

WITNESS: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data" / "turing_tests" / "shares.json").read_text()
)
PUBLIC = Path(__file__).parents[3] / "shared" / "data" / "turing_tests"
STUDIES = pytest.mark.parametrize("name", sorted(WITNESS))


def study_of(name: str) -> TuringStudy:
    columns = np.array(WITNESS[name]["judges"], np.float64).T
    return TuringStudy(
        name=name,
        recognised={PERSON: columns[0], AGENT: columns[2]},
        shown={PERSON: columns[1], AGENT: columns[3]},
    )


@STUDIES
def test_the_fixed_analysis_gives_the_expected_figures(name: str) -> None:
    assert list(differences(study_of(name), {"analysed": WITNESS[name]["expected"]})) == []


@STUDIES
def test_the_rule_gives_the_committed_verdicts(name: str) -> None:
    expected, found = WITNESS[name]["replayed"], replay_study(study_of(name))
    assert found.form == expected["form"]
    for verdict in ("different", "equivalent"):
        assert getattr(found, verdict) == expected[verdict]
        if expected[verdict]:
            assert getattr(found, f"{verdict}_at") == expected[f"{verdict}_at"]


def test_a_wrong_figure_is_reported() -> None:
    study = study_of("word-2023-inlab")
    wrong = replace(study, recognised={**study.recognised, PERSON: study.recognised[PERSON] + 1})
    lines = list(differences(wrong, {"analysed": WITNESS[study.name]["expected"]}))
    assert any("accuracy_on_humans" in line for line in lines)


def test_judges_who_choose_between_two_count_by_their_choices() -> None:
    study = study_of("conversation-live-2025")
    assert len(study.shares) == 47
    assert study.rule.form == "symmetric"


@pytest.mark.skipif(not PUBLIC.is_dir(), reason="the public judgements are not here")
def test_the_public_files_give_the_committed_counts(capsys: pytest.CaptureFixture[str]) -> None:
    for study in read_studies(PUBLIC):
        rows = sorted(
            map(
                list,
                zip(
                    *(study.recognised[PERSON], study.shown[PERSON]),
                    *(study.recognised[AGENT], study.shown[AGENT]),
                    strict=True,
                ),
            )
        )
        assert rows == WITNESS[study.name]["judges"]
    assert main([str(PUBLIC), "--orders", "5"]) == 0
    assert "| color-2022 | 65 | t | 0.582" in capsys.readouterr().out


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"judgements\.csv\.gz: no such file"):
        read_studies(tmp_path)


def test_only_analysed_judgements_of_people_and_agents_count(tmp_path: Path) -> None:
    rows = "study,judge,shown_kind,correct,analysed\n" + "".join(
        f"s,1,{kind},{correct},{analysed}\n"
        for kind, correct, analysed in (
            ("human", 1, 1),
            ("human", 0, 0),
            ("agent", 0, 1),
            ("", 1, 1),
        )
    )
    with gzip.open(tmp_path / "judgements.csv.gz", "wt", encoding="utf-8") as file:
        file.write(rows)
    (study,) = read_studies(tmp_path)
    assert study.accuracies == {
        "accuracy_on_humans": 1.0,
        "accuracy_on_agents": 0.0,
        "balanced_accuracy": 0.5,
    }
