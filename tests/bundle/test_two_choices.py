"""Choices between two that were made elsewhere: what is read, what is refused, and that published
values come out.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from believable.analysis.run import run
from believable.bundle.read import read
from believable.bundle.two_choices import read_choices
from believable.cli import group
from believable.core.errors import InvalidInput, NotFound
from believable.study.declaration import DeclaredPlan

PAIRS = 6


def call(*arguments: Any) -> str:
    result = CliRunner().invoke(
        group, [str(argument) for argument in arguments], catch_exceptions=False
    )
    assert result.exit_code == 0, result.output
    return result.output


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "choices.csv"
    path.write_text(text)
    return path


def table(results: Path, name: str) -> list[dict[str, str]]:
    with open(results / "tables" / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("study", ["1", "2"])
def test_the_published_accuracies_come_out_of_imported_choices(
    tmp_path: Path, public_data: Callable[[str], Path], study: str
) -> None:
    """The public data are each judge's share of right choices of six, and mean uncertainty: rows
    that give those shares.
    """
    folder = public_data("hntt")
    with open(folder / "hntt_long.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["study"] == study]
    shares = [float(row["value"]) for row in rows if row["measure"] == "accuracy"]
    certain = [float(row["value"]) for row in rows if row["measure"] == "uncertainty"]
    lines = ["judge,trial,correct,certainty,comment"]
    for judge, (share, mean) in enumerate(zip(shares, certain, strict=True)):
        lines += [
            f"j{judge},{pair},{int(pair < round(share * PAIRS))},{mean},-" for pair in range(PAIRS)
        ]
    path = written(tmp_path, "\n".join(lines) + "\n")
    printed = call("import", "choices", path, "--out", tmp_path / "bundle")
    assert (
        f"{len(shares)} judges, {PAIRS * len(shares)} pairs, 0 of them without a choice" in printed
    )
    assert (
        f"sides are not known for {PAIRS * len(shares)} of {PAIRS * len(shares)} pairs" in printed
    )
    assert "columns that were not read: comment" in printed
    # The published test is over judges: it is about the clips that were shown.
    plan = DeclaredPlan.model_validate(
        {"protocol": "hntt", "multiplicity": "none", "about": "these clips"}
    )
    analysis = run(read(tmp_path / "bundle"), plan=plan)
    mean, sd = json.loads((folder / "expected.json").read_text())["published_outputs"]["accuracy"][
        f"study{study}"
    ]
    findings: dict[str, Any] = {}
    for finding in analysis.findings:
        findings.setdefault(finding.outcome, finding)
    assert findings["accuracy"].estimate.value == pytest.approx(mean, abs=1e-9)
    assert findings["accuracy"].estimate.n == len(shares)
    assert findings["median_accuracy"].estimate.value == pytest.approx(
        float(np.median(shares)), abs=1e-9
    )
    assert findings["uncertainty"].estimate.value == pytest.approx(
        float(np.median(certain)), abs=1e-9
    )
    t = (mean - 0.5) / (sd * np.sqrt(len(shares) / (len(shares) - 1)) / np.sqrt(len(shares)))
    assert findings["accuracy"].test.statistic == pytest.approx(t, rel=1e-6)


def test_groups_of_judges_are_compared_as_published(
    tmp_path: Path, public_data: Callable[[str], Path]
) -> None:
    folder = public_data("hntt")
    with open(folder / "hntt_long.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["measure"] == "accuracy"]
    lines = ["judge,pair,correct,study"]
    for row in rows:
        right, judge = (
            round(float(row["value"]) * PAIRS),
            f"{row['study']}-{row['rank_within_measure']}",
        )
        lines += [f"{judge},{pair},{int(pair < right)},{row['study']}" for pair in range(PAIRS)]
    call(
        "import",
        "choices",
        written(tmp_path, "\n".join(lines) + "\n"),
        "--out",
        tmp_path / "bundle",
    )
    call("analyse", tmp_path / "bundle", "--protocol", "hntt", "--out", tmp_path / "results")
    expected = json.loads((folder / "expected.json").read_text())
    row = next(row for row in table(tmp_path / "results", "groups") if "ccuracy" in row["measure"])
    assert float(row["u"]) == expected["published_outputs"]["accuracy"]["mannwhitney_U"]
    assert float(row["p"]) == pytest.approx(
        expected["recomputed_from_reconstruction"]["accuracy"]["p_two_sided"], abs=1e-4
    )
    for side, study in (("first", "study1"), ("second", "study2")):
        assert float(row[f"mean_{side}"]) == pytest.approx(
            expected["published_outputs"]["accuracy"][study][0], abs=1e-9
        )


def test_familiarity_and_sides_are_read(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    lines = ["Judge,Pair,Chosen,Human,Agent,Certainty,Why,familiarity_game,familiarity_genre"]
    accuracy, game, genre = [], [], []
    for judge in range(30):
        game.append(int(rng.integers(1, 5)))
        genre.append(int(rng.integers(1, 5)))
        right = 0
        for pair in range(PAIRS):
            human, chosen = rng.choice(["left", "right"], 2)
            right += human == chosen
            lines.append(
                f"j{judge},p{pair},{chosen},{human},symbolic,2,it turned,{game[-1]},{genre[-1]}"
            )
        accuracy.append(right / PAIRS)
    call(
        "import",
        "choices",
        written(tmp_path, "\n".join(lines) + "\n"),
        "--out",
        tmp_path / "bundle",
    )
    shown = [row for row in read(tmp_path / "bundle")["shown"].rows() if row["session"] == "judge1"]
    assert {row["condition"] for row in shown} == {"human", "symbolic"}
    call("analyse", tmp_path / "bundle", "--protocol", "hntt", "--out", tmp_path / "results")
    design = np.column_stack([np.ones(30), game, genre])
    beta = np.linalg.lstsq(design, np.array(accuracy), rcond=None)[0]
    rows = table(tmp_path / "results", "familiarity")
    assert [row["term"] for row in rows] == ["intercept", "game", "genre"]
    assert [float(row["beta"]) for row in rows] == pytest.approx(beta.tolist(), abs=1e-9)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("person,pair,correct\na,1,1\n", "expected a column `judge`, got person, pair, correct"),
        (
            "judge,pair,certainty\na,1,1\n",
            "expected a column `correct` .1: the human one was chosen.",
        ),
        ("judge,pair,correct\n", "there is no line with a choice in it"),
        ("judge,pair,correct\na,1,1\na,1,0\n", ":3: a has judged pair '1' already, in line 2"),
        ("judge,pair,correct\na,1,maybe\n", ":2: expected 1 or 0 in `correct`, got 'maybe'"),
        (
            "judge,pair,chosen\na,1,left\n",
            ":2: expected in `chosen` human, the agent's name, or a side",
        ),
        ("judge,pair,chosen,human\na,1,left,up\n", ":2: expected a side in `human`"),
        (
            "judge,pair,correct,certainty\na,1,1,9\n",
            ":2: expected 1 .certain. to 5 .uncertain. in `certainty`, got '9'",
        ),
        ("judge,pair,correct,game\na,1,1,2\na,2,1,3\n", ":3: game of a is '3' here and '2' before"),
        ("judge,pair,correct\n,1,1\n", ":2: expected a judge and a pair, got '' and '1'"),
    ],
)
def test_what_cannot_be_read_says_where(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        read_choices(written(tmp_path, text))
    with pytest.raises(NotFound, match="Name the CSV file with the choices"):
        read_choices(tmp_path / "nothing.csv")


def test_a_choice_may_name_who_was_chosen_or_be_missing(tmp_path: Path) -> None:
    text = "judge,pair,chosen,agent\na,1,human,bot\na,2,bot,bot\na,3,,bot\n"
    (judge,) = read_choices(written(tmp_path, text)).judges
    assert [choice.chose_human for choice in judge.choices] == [True, False, None]
    assert read_choices(written(tmp_path, text)).n_open == 1


def test_unknown_sides_stay_unknown(tmp_path: Path) -> None:
    """Choices that only say `correct` are no evidence about a side, however many are right."""
    lines = [f"j{judge},p{pair},1" for judge in range(12) for pair in range(6)]
    path = written(tmp_path, "judge,pair,correct\n" + "\n".join(lines) + "\n")
    call("import", "choices", path, "--out", tmp_path / "bundle")
    shown = read(tmp_path / "bundle")["shown"]
    assert shown["label"].missing.all()
    call("analyse", tmp_path / "bundle", "--protocol", "hntt", "--out", tmp_path / "results")
    whole = json.loads((tmp_path / "results" / "results.json").read_text())
    pairs = next(section for section in whole["sections"] if section["name"] == "pairs")
    assert pairs["findings"] == []
    assert pairs["paragraphs"] == [
        "The sides of 72 trials are not known. They say nothing about a preference for a side."
    ]


def test_a_preference_for_a_side_is_tested_over_judges(tmp_path: Path) -> None:
    """Nine judges always choose the left, three always the right: twelve units of evidence, not
    72.
    """
    lines = []
    for judge in range(12):
        lines += [
            f"j{judge},p{pair},{'left' if judge < 9 else 'right'},{'left' if pair % 2 else 'right'}"
            for pair in range(6)
        ]
    path = written(tmp_path, "judge,pair,chosen,human\n" + "\n".join(lines) + "\n")
    call("import", "choices", path, "--out", tmp_path / "bundle")
    call("analyse", tmp_path / "bundle", "--protocol", "hntt", "--out", tmp_path / "results")
    whole = json.loads((tmp_path / "results" / "results.json").read_text())
    side = next(
        f for section in whole["sections"] for f in section["findings"] if f["outcome"] == "side"
    )
    assert "Player A (left) was chosen in 54 of 72 trials: a mean share of 0.75" in side["sentence"]
    expected = stats.ttest_1samp([1.0] * 9 + [0.0] * 3, 0.5).pvalue
    assert side["test"]["p_value"] == pytest.approx(
        expected
    )  # 54 of 72 trials as coins would give p < .001
