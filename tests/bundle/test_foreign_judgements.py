"""Yes/no judgements and ratings that another tool collected: the numbers come out again, and bad
lines are refused.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from believable.bundle.foreign_judgements import RatingScale, read_judgements
from believable.bundle.read import read
from believable.cli import group
from believable.core.errors import InvalidInput

TURING_TESTS = Path(__file__).resolve().parents[3] / "shared" / "data" / "turing_tests"

#: Called human, of all answers, per kind of caption: experts of the captioning test in Zhang et
#: al., arXiv 2211.13087 (MIT licence, kreimanlab/TuringTest, commit 1615edb). Counts only.
CAPTIONS = {
    "human": (60, 110),
    "blip": (8, 22),
    "clipcap": (8, 22),
    "git": (13, 22),
    "microsoft_api": (6, 22),
    "ofa": (10, 22),
}


def call(*arguments: Any) -> str:
    result = CliRunner().invoke(
        group, [str(argument) for argument in arguments], catch_exceptions=False
    )
    assert result.exit_code == 0, result.output
    return result.output


def write_lines(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n")
    return path


def analysed(tmp_path: Path, file: Path, *options: object) -> dict[str, list[dict[str, str]]]:
    call("import", "judgements", file, "--out", tmp_path / "bundle", *options)
    call("analyse", tmp_path / "bundle", "--out", tmp_path / "results")
    tables = {}
    for path in (tmp_path / "results" / "tables").glob("*.csv"):
        with path.open(newline="") as opened:
            tables[path.stem] = list(csv.DictReader(opened))
    return tables


def shares_by_condition(bundle: Path) -> dict[str, tuple[int, int]]:
    """Count straight from the bundle's tidy table, without the analysis."""
    table = read(bundle)["judgements"]
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    rows = zip(
        table["condition"].values, table["question"].values, table["value_text"].values, strict=True
    )
    for condition, question, answer in rows:
        if question == "answer":
            counts[condition][0] += answer == "human"
            counts[condition][1] += 1
    return {condition: (called, n) for condition, (called, n) in counts.items()}


def test_published_counts_of_a_turing_test_come_out(tmp_path: Path) -> None:
    lines, judges = ["judge,stimulus,condition,answer"], 11
    for condition, (called, n) in CAPTIONS.items():
        lines += [
            f"j{number % judges},{condition}-{number},{condition},{'human' if number < called else 'machine'}"
            for number in range(n)
        ]
    tables = analysed(tmp_path, write_lines(tmp_path / "captions.csv", *lines))
    assert shares_by_condition(tmp_path / "bundle") == CAPTIONS
    assert {
        row["group"]: (int(row["yes"]), int(row["answers"]))
        for row in tables["called_human_groups"]
    } == CAPTIONS


@pytest.mark.skipif(
    not TURING_TESTS.is_dir(),
    reason="needs the folder shared/data/turing_tests beside the repository",
)
@pytest.mark.parametrize(
    "study", ["caption-2025-experts", "color-2022", "gaze-fv-2022", "word-2025-chatgpt"]
)
def test_whole_turing_tests_come_out(tmp_path: Path, study: str) -> None:
    expected = json.loads((TURING_TESTS / "expected.json").read_text())[study]["all_rows"][
        "per_agent"
    ]
    lines = ["judge,trial,stimulus,condition,answer,rt_ms"]
    with gzip.open(TURING_TESTS / "judgements.csv.gz", "rt") as file:
        for row in csv.DictReader(file):
            if row["study"] == study and row["answer"]:
                cells = (
                    row["judge"],
                    f"{row['phase']}{row['trial']}{row['slot']}",
                    row["stimulus"],
                )
                lines.append(",".join((*cells, row["agent"], row["answer"], row["rt_ms"])))
    call(
        "import",
        "judgements",
        write_lines(tmp_path / "turing.csv", *lines),
        "--out",
        tmp_path / "bundle",
    )
    shares = shares_by_condition(tmp_path / "bundle")
    assert {agent: n for agent, (_, n) in shares.items()} == {
        agent.replace("-", "_"): own["n"] for agent, own in expected.items()
    }
    for agent, own in expected.items():
        called, n = shares[agent.replace("-", "_")]
        assert called / n == pytest.approx(own["called_human"], abs=5e-5)


def test_ratings_come_out_with_their_means(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    values = {"human": rng.integers(3, 8, 60), "bot": rng.integers(1, 6, 60)}
    lines = ["judge,stimulus,agent,rating,why"]
    for condition, own in values.items():
        lines += [
            f"j{index // 6},{condition}{index % 6},{condition},{value},because"
            for index, value in enumerate(own)
        ]
    tables = analysed(tmp_path, write_lines(tmp_path / "ratings.csv", *lines), "--scale", 1, 7)
    found = {row["group"]: float(row["mean"]) for row in tables["rating_groups"]}
    assert found == {condition: pytest.approx(own.mean()) for condition, own in values.items()}


def test_any_scale_and_names_of_agents_are_kept(tmp_path: Path) -> None:
    lines = [
        "judge,stimulus,condition,rating,colour",
        "a,1,human,0.5,red",
        "a,2,gpt-4o,-2,red",
        "b,1,human,,red",
        "b,2,gpt-4o,3,red",
    ]
    file = write_lines(tmp_path / "own.csv", *lines)
    printed = call("import", "judgements", file, "--scale", "-3", "3", "--out", tmp_path / "bundle")
    assert (
        "2 judges, 4 judgements, 0 with an answer, 3 with a rating; conditions human, gpt_4o"
        in printed
    )
    assert "condition 'gpt-4o' is called gpt_4o" in printed
    assert "columns that were not read: colour" in printed
    bundle = read(tmp_path / "bundle")
    assert bundle["answers"]["value_number"].values.tolist() == [0.5, -2.0, 3.0]
    assert set(bundle["participants"]["definition"].values) == set(bundle.definitions)


@pytest.mark.parametrize(
    ("lines", "scale", "words"),
    [
        (
            ["judge,stimulus,answer", "a,1,human"],
            None,
            "expected a column `condition`, got judge, stimulus, answer",
        ),
        (
            ["judge,stimulus,condition", "a,1,x"],
            None,
            "expected a column `answer` .*`called_human`.* or `rating`",
        ),
        (["judge,stimulus,condition,rating", "a,1,x,3"], None, "State them: --scale LOW HIGH"),
        (
            ["judge,stimulus,condition,rating", "a,1,x,9"],
            (1, 7),
            "csv:2: expected a rating from 1 to 7, got '9'",
        ),
        (
            ["judge,stimulus,condition,rating", "a,1,x,good"],
            (1, 7),
            "csv:2: expected a number in `rating`, got 'good'",
        ),
        (
            ["judge,stimulus,condition,answer", "a,1,x,maybe"],
            None,
            "csv:2: expected human or agent in `answer`.*got 'maybe'",
        ),
        (
            ["judge,stimulus,condition,called_human", "a,1,x,2"],
            None,
            "csv:2: expected 1 or 0 in `called_human`, got '2'",
        ),
        (
            ["judge,stimulus,condition,answer", "a,1,x,ai", "a,1,x,ai"],
            None,
            "csv:3: a has judged '1' already, in line 2",
        ),
        (
            ["judge,stimulus,condition,answer", "a,,x,ai"],
            None,
            "csv:2: expected a judge, a stimulus and a condition",
        ),
        (
            ["judge,stimulus,condition,answer", "a,1,x-y,ai", "a,2,x y,ai"],
            None,
            "'x-y' and 'x y' both become the id 'x_y'",
        ),
        (
            ["judge,stimulus,condition,answer,called_human", "a,1,x,ai,0"],
            None,
            "expected one of `answer` and `called_human`",
        ),
        (["judge,stimulus,condition,answer"], None, "there is no line with a judgement"),
    ],
)
def test_lines_that_cannot_be_read_are_refused(
    tmp_path: Path, lines: list[str], scale: tuple[float, float] | None, words: str
) -> None:
    file = write_lines(tmp_path / "own.csv", *lines)
    with pytest.raises(InvalidInput, match=words):
        read_judgements(
            file, scale=None if scale is None else RatingScale(low=scale[0], high=scale[1])
        )
