"""The published comparison of two groups of judges, from its public per-participant distributions,
through the whole analysis.
"""

from __future__ import annotations

import copy
import csv
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from believable.analysis.run import run
from believable.bundle.memory import bundle

DATA = Path(__file__).resolve().parents[2] / "data" / "hntt"


@pytest.fixture(scope="module")
def published():
    values = defaultdict(list)
    with (DATA / "hntt_long.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            values[row["measure"], f"s{row['study']}"].append(float(row["value"]))
    return values, json.loads((DATA / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def groups(published, studies):
    """The table of groups. Which judge had which values together is not public: it matters for none
    of these numbers.
    """
    tree = copy.deepcopy(studies.COMPARING)
    tree |= {
        "conditions": ["human", "hybrid", "symbolic"],
        "stimuli": [],
        "arms": {"study": ["s1", "s2"]},
    }
    tables = {name: [] for name in ("participants", "answers", "shown")}
    for arm in ("s1", "s2"):
        columns = (
            published[0][measure, arm] for measure in ("accuracy", "uncertainty", "hybrid_share")
        )
        for number, (accuracy, uncertainty, hybrid) in enumerate(zip(*columns, strict=True)):
            session = f"{arm}-{number}"
            tables["participants"].append({"session": session, "arm_study": arm})
            right, unsure, hybrids = round(6 * accuracy), round(6 * uncertainty), round(4 * hybrid)
            for position in range(10):
                against = (
                    ("human", ("hybrid", "symbolic")[position % 2])
                    if position < 6
                    else ("hybrid", "symbolic")
                )
                first = position < right if position < 6 else position - 6 < hybrids
                page = {
                    "session": session,
                    "trial": "pairs",
                    "trial_key": f"pairs{position}",
                    "position": position,
                }
                tables["shown"] += [
                    page | {"player": side, "condition": who, "stimulus": f"{who}{position}"}
                    for side, who in enumerate(against)
                ]
                chosen = {
                    "question": "which",
                    "kind": "preference",
                    "value_text": "first" if first else "second",
                }
                tables["answers"].append(page | chosen)
                if position < 6:
                    point = unsure // 6 + (position < unsure % 6)
                    tables["answers"].append(
                        page | {"question": "certainty", "kind": "certainty", "value_number": point}
                    )
    analysis = run(bundle(tables, studies.definition_of(tree), simulated=False))
    table = next(table for table in analysis.tables if table.name == "groups")
    names = [column.name for column in table.columns]
    return {row[1]: dict(zip(names, row, strict=True)) for row in table.rows}, analysis


@pytest.mark.parametrize("measure", ["accuracy", "uncertainty"])
def test_means_spreads_u_and_the_two_sided_p(published, groups, measure):
    row = groups[0][measure.capitalize()]
    printed, again = (
        published[1]["published_outputs"][measure],
        published[1]["recomputed_from_reconstruction"][measure],
    )
    for group, study in (("first", "study1"), ("second", "study2")):
        mean, population_sd = printed[study]
        assert row[f"mean_{group}"] == pytest.approx(mean, rel=1e-12)
        assert row[f"sd_{group}"] * np.sqrt(29 / 30) == pytest.approx(population_sd, rel=1e-9), (
            "printed with n, ours with n − 1"
        )
    assert row["u"] == printed["mannwhitney_U"]
    assert row["p"] == pytest.approx(again["p_two_sided"], abs=5e-7)
    assert row["p"] / 2 == pytest.approx(again["p_one_sided"], abs=5e-7), (
        "half of it is what was printed"
    )


def test_agents_against_each_other_without_the_phantom_participant(published, groups):
    row = groups[0]["hybrid over symbolic"]
    true = published[1]["recomputed_from_reconstruction"]["hybrid_true_n30"]
    assert [row["mean_first"], row["mean_second"]] == pytest.approx(true["means"])
    assert [row["n_first"], row["n_second"]] == [30, 30]
    assert row["u"] == true["U_min"]
    assert row["p"] == pytest.approx(true["p_two_sided"], abs=5e-7)
    printed = published[1]["published_outputs"]["hybrid_vs_symbolic"]
    assert 30 * row["mean_first"] / 31 == pytest.approx(printed["study1"][0]), (
        "31 entries, the first of them nobody"
    )


def test_the_sentences_say_two_sided(groups):
    sentences = [finding.sentence for finding in groups[1].findings if finding.outcome == "groups"]
    assert len(sentences) == 3
    assert all("two-sided" in sentence for sentence in sentences)
    assert any("U = 341.0, p = .091, two-sided" in sentence for sentence in sentences)
