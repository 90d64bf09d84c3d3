"""The analysis of a design of one's own against R (lme4, lmerTest, binom.test) on committed
simulated judgements.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from believable.analysis.findings import Analysis, Cell
from believable.analysis.own_design.group_contrasts import share_contrast
from believable.analysis.own_design.measured_rows import MeasuredRows, answers_as_yes
from believable.analysis.run import run
from believable.bundle import memory
from believable.protocols.templates import TEMPLATES
from believable.stats.counts import fisher
from believable.study.load import load

ORACLE = Path(__file__).resolve().parents[2] / "oracles" / "own_design"
INPUT = json.loads((ORACLE / "input.json").read_text("utf-8"))
OUTPUT = json.loads((ORACLE / "output.json").read_text("utf-8"))


def analysed(template: str, answers: list[dict[str, Any]], shown: list[dict[str, Any]]) -> Analysis:
    definition = load(TEMPLATES[template].folder)
    people = [{"session": name} for name in dict.fromkeys(row["session"] for row in answers)]
    tables = {"participants": people, "answers": answers, "shown": shown}
    assert definition.study.analysis is not None
    plan = definition.study.analysis.model_copy(
        update={"stopping": None}
    )  # tests of hypotheses are shown
    return run(memory.bundle(tables, definition), plan=plan)


@pytest.fixture(scope="module")
def clips() -> Analysis:
    answers = []
    for question, trial in (("humanness", "likert"), ("judgement", "choice")):
        columns = INPUT[question]
        for place, (person, group, stimulus, number, text) in enumerate(
            zip(
                *(columns[name] for name in ("person", "group", "stimulus", "number", "text")),
                strict=True,
            )
        ):
            answers.append(
                {
                    "session": person,
                    "position": place,
                    "trial": "clip",
                    "question": question,
                    "kind": trial,
                    "condition": group,
                    "stimulus": stimulus,
                    "value_number": number,
                    "value_text": text,
                }
            )
    return analysed("rate-clips", answers, [])


@pytest.fixture(scope="module")
def pairs() -> Analysis:
    answers: list[dict[str, Any]] = []
    shown: list[dict[str, Any]] = []
    columns = INPUT["chosen"]
    for place, (person, first, second, side) in enumerate(
        zip(*(columns[name] for name in ("person", "first", "second", "side")), strict=True)
    ):
        names = [name for name in (first, second) if name != "person"]
        trial = "agent_a_agent_b" if len(names) == 2 else f"person_{names[0]}"
        page = {"session": person, "position": place, "trial": trial}
        answers.append({**page, "question": "chosen", "kind": "preference", "value_text": side})
        shown += [
            {**page, "player": player, "condition": name}
            for player, name in enumerate((first, second))
        ]
    return analysed("compare-agents", answers, shown)


def row(analysis: Analysis, table: str, name: str) -> Mapping[str, Cell]:
    record = next(candidate for candidate in analysis.tables if candidate.name == table)
    cells = next(cells for cells in record.rows if cells[0] == name)
    return dict(zip((column.name for column in record.columns), cells, strict=True))


@pytest.mark.parametrize("r", OUTPUT["means"], ids=lambda r: "-".join(r["pair"]))
def test_means_and_their_differences_as_in_lmer(clips: Analysis, r: dict[str, Any]) -> None:
    first, second = r["pair"]
    name, sign = f"{first} − {second}", 1
    names = [
        cells[0]
        for table in clips.tables
        if table.name == "humanness_contrasts"
        for cells in table.rows
    ]
    if name not in names:  # a hypothesis names this pair the other way round
        name, sign = f"{second} − {first}", -1
    own = row(clips, "humanness_contrasts", name)
    assert own["method"] == "value ~ group + (1 + group | person) + (1 | stimulus)"
    assert own["estimate"] == pytest.approx(sign * r["estimate"], rel=1e-4)
    assert own["statistic"] == pytest.approx(sign * r["t"], rel=2e-3)
    assert own["df"] == pytest.approx(r["df"], rel=1e-2)
    assert own["effect"] == pytest.approx(sign * r["dz"], rel=1e-9)
    declared_greater = name == "imitation − script"
    expected = float(stats.t(r["df"]).sf(r["t"])) if declared_greater else r["p"]
    assert own["p"] == pytest.approx(expected, rel=1e-2)
    for group, mean in zip(r["pair"], r["means"], strict=True):
        assert row(clips, "humanness_groups", group)["mean"] == pytest.approx(mean, rel=1e-12)


@pytest.mark.parametrize("r", OUTPUT["shares"], ids=lambda r: "-".join(r["pair"]))
def test_odds_ratios_as_in_glmer(r: dict[str, Any]) -> None:
    columns = {
        name: np.array(INPUT["judgement"][name], dtype=object)
        for name in ("person", "group", "stimulus", "text")
    }
    person = np.unique(columns["person"].astype(str), return_inverse=True)[1]
    nothing = np.full(len(person), None, dtype=object)
    answered = MeasuredRows(
        person=person,
        group=columns["group"],
        stimulus=columns["stimulus"],
        item=nothing,
        number=np.full(len(person), np.nan),
        text=columns["text"],
    )
    test = share_contrast(
        answers_as_yes(answered, ["person"]), *r["pair"], alternative="two-sided", level=0.95
    ).test
    assert test.estimate is not None
    assert float(np.log(float(test.estimate.value or 0))) == pytest.approx(r["log_odds"], abs=5e-3)
    assert test.statistic == pytest.approx(r["z"], rel=2e-2)


@pytest.mark.parametrize("r", OUTPUT["choices"], ids=lambda r: "-".join(r["pair"]))
def test_choices_as_in_binom_test(pairs: Analysis, r: dict[str, Any]) -> None:
    first, second = r["pair"]
    own = row(pairs, "chosen_pairs", f"{first} over {second}")
    assert (own["first"], own["choices"], own["undecided"]) == (r["won"], r["n"], 0)
    declared = ("agent_a", "agent_b"), ("person", "agent_a")
    assert own["p"] == pytest.approx(
        r["greater"] if (first, second) in declared else r["p"], rel=1e-9
    )
    assert [own["share_low"], own["share_high"]] == pytest.approx(r["ci"], rel=1e-9)


@pytest.mark.parametrize(("table", "r"), list(zip(INPUT["fisher"], OUTPUT["fisher"], strict=True)))
def test_fisher_as_in_r(table: list[list[int]], r: dict[str, Any]) -> None:
    for side, p in zip(("two-sided", "less", "greater"), r["p"], strict=True):
        assert fisher(table, alternative=side).p_value == pytest.approx(p, rel=1e-9)
    estimate = fisher(table).estimate
    assert estimate is not None
    if r["odds"] != "Inf":
        assert estimate.value == pytest.approx(r["odds"], rel=1e-3)
        assert [estimate.low, estimate.high] == pytest.approx(r["ci"], rel=1e-2)


def test_fisher_of_an_empty_row_says_why() -> None:
    assert fisher([[0, 0], [3, 4]]).reason == "a row or a column of the table is empty"
