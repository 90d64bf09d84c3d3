"""Agreement of coders equals outside witnesses; undefined values are explained; disagreements come
worst first.
"""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest

from believable.coding.coder_agreement import agreement, kappa_table
from believable.coding.labels import Label, Mark
from believable.coding.phrases import planted_for, read_reason, simulated_coder, write_reason
from believable.study.codebook import Code, Codebook, ready

HERE = Path(__file__).resolve()
DATA = HERE.parents[1] / "data" / "agreement"
ORACLE = HERE.parents[1] / "oracles" / "coding"
BOOK = ready("hntt")


def coded(n: int = 60, error: float = 0.15) -> dict[int, dict[str, Mark]]:
    rng = random.Random(9)
    found = {}
    for number in range(1, n + 1):
        truth = read_reason("hntt", write_reason(planted_for("hntt"), rng).text)
        found[number] = {
            name: simulated_coder(BOOK, truth, rng, error=error) for name in ("kim", "lee")
        }
    return found


def test_kappa_of_every_code_equals_scikit_learn() -> None:
    """The labels and scikit-learn's κ are committed; `oracle.py` beside them makes them anew."""
    given = json.loads((ORACLE / "input.json").read_text())
    expected = json.loads((ORACLE / "output.json").read_text())
    marks = {
        int(number): {
            coder: Mark(labels=tuple(Label(*key) for key in keys), done=True)
            for coder, keys in both.items()
        }
        for number, both in given["marks"].items()
    }
    found = agreement(BOOK, marks)
    rows = {
        f"{row.code} {row.direction or ''} {row.side or ''}".strip(): row
        for row in (*found.rows, *found.by_side)
    }
    assert set(rows) == set(expected["kappa"])
    for name, value in expected["kappa"].items():
        assert rows[name].kappa.value == (
            None if value is None else pytest.approx(value, abs=1e-12)
        ), name
    defined = [expected["kappa"][f"{row.code} {row.direction or ''}".strip()] for row in found.rows]
    defined = [one for one in defined if one is not None]
    assert found.average == pytest.approx(sum(defined) / len(defined))


def test_kappa_of_single_choice_codes_equals_irr() -> None:
    """Raters 2 and 3 of the psychiatric diagnoses, each diagnosis a code: R irr's κ, and each
    code's own by definition.
    """
    with (DATA / "irr_diagnoses.csv").open() as file:
        rows = list(csv.DictReader(file))
    expected = json.loads((DATA / "expected.json").read_text())["kappa2_diagnoses_2_3"]["kappa"]
    names = sorted({row[rater] for row in rows for rater in ("rater2", "rater3")})
    ids = {name: f"d{number}" for number, name in enumerate(names)}
    book = Codebook(
        id="d",
        pick="one",
        codes=tuple(Code(id=ids[name], label=name, definition="…") for name in names),
    )
    marks = {
        number: {
            rater: Mark(labels=(Label(ids[row[rater]]),), done=True)
            for rater in ("rater2", "rater3")
        }
        for number, row in enumerate(rows)
    }
    found = agreement(book, marks)
    # κ over all categories is the mean of the codes' κ weighted by 1 − their chance agreement's
    # complement (Fleiss 1981).
    weights = []
    for row in found.rows:
        a, b = (
            [any(label.code == row.code for label in both[name].labels) for both in marks.values()]
            for name in ("rater2", "rater3")
        )
        pa, pb = sum(a) / len(a), sum(b) / len(b)
        weights.append(1 - (pa * pb + (1 - pa) * (1 - pb)))
    pooled = sum(
        w * (row.kappa.value or 0) for w, row in zip(weights, found.rows, strict=True)
    ) / sum(weights)
    assert pooled == pytest.approx(expected, abs=1e-6)


def test_several_coders_with_gaps_have_alpha_and_the_mean_of_their_pairs() -> None:
    """Published codings of four coders, each of five categories a code."""
    with (DATA / "cac.raw4raters.csv").open() as file:
        rows = list(csv.DictReader(file))
    book = Codebook(
        id="c", codes=tuple(Code(id=f"c{n}", label=str(n), definition="…") for n in range(1, 6))
    )
    marks = {
        int(row["Units"]): {
            rater: Mark(labels=(Label(f"c{row[rater]}"),), done=True)
            for rater in row
            if rater != "Units" and row[rater]
        }
        for row in rows
    }
    found = agreement(book, marks)
    assert found.n_texts == 11  # unit 12 has one coder
    assert all(row.alpha.value is not None for row in found.rows)
    assert all(row.kappa.method.startswith("mean of Cohen") for row in found.rows)


def test_the_table_has_the_layout_of_the_literature() -> None:
    """Code × direction rows, agreement sample, overlap sample, averages last."""
    first, second = agreement(BOOK, coded(53)), agreement(BOOK, coded(99, error=0.2))
    rows = kappa_table(BOOK, first, second)
    assert [(row.label, row.direction) for row in rows[:4]] == [
        ("Smoothness of movement", "+"),
        ("Smoothness of movement", "-"),
        ("Goal directed", "+"),
        ("Goal directed", "-"),
    ]
    last = rows[-1]
    assert (last.label, last.code) == ("Average", None)
    assert last.agreement_sample == first.average
    assert last.overlap_sample == second.average
    assert rows[0].agreement_sample == first.rows[0].kappa.value


def test_an_undefined_kappa_is_explained_and_not_counted_as_zero() -> None:
    found = agreement(BOOK, coded(30))
    other = next(row for row in found.rows if row.code == "other")
    assert other.kappa.value is None
    assert "neither coder used the code" in (other.kappa.reason or "")
    assert found.undefined >= 1
    values = [row.kappa.value for row in found.rows if row.kappa.value is not None]
    assert found.average == pytest.approx(sum(values) / len(values))
    always = {n: {c: Mark(labels=(Label("unclear"),), done=True) for c in "ab"} for n in range(4)}
    row = next(
        row for row in agreement(ready("hntt_understood"), always).rows if row.code == "unclear"
    )
    assert "every time" in (row.kappa.reason or "")


def test_texts_that_a_coder_discarded_are_not_usable() -> None:
    marks = coded(20)
    marks[1]["kim"] = Mark(discard="cannot_tell", done=True)
    marks[1]["lee"] = Mark(labels=(Label("goal", "+", "more"),), done=True)
    found = agreement(BOOK, marks)
    assert found.n_texts == 20
    assert found.n_usable == 20 - sum(
        any(m.discard for m in both.values()) for both in marks.values()
    )
    assert found.discarding is not None
    assert found.disagreements[0].discards_differ or found.disagreements[0].distance == 1


def test_texts_that_one_coder_is_not_done_with_wait() -> None:
    marks = {
        1: {
            "kim": Mark(labels=(Label("goal", "+", "more"),), done=True),
            "lee": Mark(labels=(Label("goal", "+", "more"),)),
        }
    }
    found = agreement(BOOK, marks)
    assert (found.n_texts, found.coders, found.average) == (0, (), None)


def test_disagreements_come_worst_first_and_confusions_most_frequent_first() -> None:
    a, b, c = (
        Label("goal", "+", "more"),
        Label("receptivity", "+", "more"),
        Label("smoothness", "+", "more"),
    )
    marks = {
        1: {"kim": Mark(labels=(a, c), done=True), "lee": Mark(labels=(b, c), done=True)},
        2: {
            "kim": Mark(labels=(a,), done=True),
            "lee": Mark(labels=(b,), done=True, uncertain=True),
        },
        3: {"kim": Mark(labels=(c,), done=True), "lee": Mark(labels=(c,), done=True)},
    }
    found = agreement(BOOK, marks)
    assert [disagreement.number for disagreement in found.disagreements] == [2, 1]
    assert found.disagreements[0].distance == 1
    assert found.disagreements[0].uncertain
    assert found.disagreements[1].differing == (("goal", "+", "more"), ("receptivity", "+", "more"))
    assert [
        (confusion.first, confusion.second, confusion.count) for confusion in found.confusions
    ] == [(("goal", "+"), ("receptivity", "+"), 2)]
    assert found.identical == 1


def test_units_are_text_and_side() -> None:
    """The same code on the two sides is two answers, not one."""
    marks = {
        n: {
            "kim": Mark(labels=(Label("goal", "+", "more"),), done=True),
            "lee": Mark(labels=(Label("goal", "+", "less"),), done=True),
        }
        for n in range(5)
    }
    row = next(
        row for row in agreement(BOOK, marks).rows if (row.code, row.direction) == ("goal", "+")
    )
    assert (row.n_units, row.both, row.single, row.neither) == (10, 0, 10, 0)
    assert row.kappa.value == pytest.approx(-1)
    assert row.prevalence == 0.5
