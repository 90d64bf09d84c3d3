"""A simulated coding from texts to the bundle's tables and back to shares: what was planted is
recovered.
"""

from __future__ import annotations

import random

import pytest

from believable.bundle import memory
from believable.bundle.tables import CODING_TABLES
from believable.coding import coded_bundle
from believable.coding.coder_agreement import agreement, by_sample
from believable.coding.phrases import CodingSettings, planted_for, write_reason
from believable.coding.proportions import proportions
from believable.coding.responses import Response
from believable.core.errors import InvalidInput, NotFound
from believable.study.codebook import Codebook, ready
from tests.coding.simulated_coding import simulate_coding


def texts(n_judges: int, per_judge: int, seed: int = 1) -> list[Response]:
    rng = random.Random(seed)
    return [
        Response(
            text=write_reason(planted_for("hntt"), rng).text,
            judge=f"s{judge}",
            session=f"s{judge}",
            position=number,
            run=0,
            trial_key=f"t{number}",
            trial="pair",
            question="why",
            conditions=("agent", "human"),
        )
        for judge in range(n_judges)
        for number in range(per_judge)
    ]


def simulated_bundle(book: Codebook, seed: int, n_judges: int = 140) -> object:
    rows = simulate_coding(
        book,
        texts(n_judges, 6, seed),
        phrases="hntt" if "understood" not in (book.ready or "") else "hntt_understood",
        seed=seed,
    )
    tables = {"codes": rows.codes, "code_labels": rows.labels, "code_final": rows.final}
    participants = [{"session": f"s{judge}"} for judge in range(n_judges)]
    shown = [
        {
            "session": f"s{judge}",
            "position": number,
            "trial": "pair",
            "player": player,
            "condition": condition,
            "stimulus": condition,
        }
        for judge in range(n_judges)
        for number in range(6)
        for player, condition in enumerate(("human", "agent"))
    ]
    return memory.bundle({"participants": participants, "shown": shown, **tables})


def test_rows_fit_their_tables() -> None:
    rows = simulate_coding(
        Codebook(id="reasons", ready="hntt"), texts(30, 6), phrases="hntt", seed=3
    )
    for table, found in zip(CODING_TABLES, (rows.codes, rows.labels, rows.final), strict=True):
        assert found
        required = {field.name for field in table.fields if field.required}
        for row in found:
            assert set(row) <= set(table.columns)
            assert all(row.get(name) is not None for name in required)


def test_a_report_recovers_what_was_planted() -> None:
    inside = total = 0
    for seed in range(4):
        bundle = simulated_bundle(Codebook(id="reasons", ready="hntt"), seed)
        found = proportions(coded_bundle.coded_responses(bundle))  # type: ignore[arg-type]
        for one in found:
            planted = planted_for("hntt").shares[one.side].get((one.code, one.direction))
            if planted is not None and planted >= 0.02:
                inside += one.share.contains(planted)
                total += 1
    assert inside / total > 0.85


def test_the_second_codebook_recovers_how_the_question_was_understood() -> None:
    bundle = simulated_bundle(Codebook(id="understood", ready="hntt_understood"), 1)
    shares = {
        proportion.code: proportion.share.value or 0
        for proportion in proportions(coded_bundle.coded_responses(bundle))
    }  # type: ignore[arg-type]
    for code, planted in planted_for("hntt").understood.items():
        assert shares[code] == pytest.approx(planted, abs=0.08)


def test_the_bundle_tells_who_agreed_how_far_and_what_the_codes_are_called() -> None:
    bundle = simulated_bundle(Codebook(id="reasons", ready="hntt"), 2)
    names = coded_bundle.codebook_keys(bundle)  # type: ignore[arg-type]
    assert (names[0].code, names[0].direction, names[0].label, names[0].sided) == (
        "smoothness",
        "+",
        "Smoothness of movement",
        True,
    )
    marks = coded_bundle.coder_marks(bundle)  # type: ignore[arg-type]
    samples = by_sample((mark.sample, mark.response, mark.coder, mark.mark) for mark in marks)
    book = ready("hntt")
    assert agreement(book, samples["agreement"]).n_texts == 55
    overlap = agreement(book, samples["overlap"])
    assert overlap.n_texts == pytest.approx(
        0.25 * (len(samples["overlap"]) + len(samples["single"])), abs=1
    )
    assert (overlap.average or 0) > 0.8
    responses = coded_bundle.coded_responses(bundle)  # type: ignore[arg-type]
    assert len(responses) == len(samples["overlap"]) + len(samples["single"])
    assert {response.condition for response in responses} == {"agent + human"}


def test_a_small_agreement_round_alone_counts_too() -> None:
    rows = simulate_coding(
        Codebook(id="reasons", ready="hntt"),
        texts(5, 2),
        phrases="hntt",
        seed=3,
        settings=CodingSettings(agreement=10),
    )
    bundle = memory.bundle(
        {"codes": rows.codes, "code_labels": rows.labels, "code_final": rows.final}
    )
    assert len(coded_bundle.coded_responses(bundle)) == 10


def test_a_bundle_without_codes_says_so() -> None:
    bundle = memory.bundle({})
    assert not coded_bundle.has_codes(bundle)
    with pytest.raises(NotFound, match="no text was coded"):
        coded_bundle.coded_responses(bundle)
    two = [
        {
            "codebook": name,
            "version": 1,
            "kind": "code",
            "code": "a",
            "label": "A",
            "direction": False,
            "side": False,
            "other": False,
        }
        for name in "ab"
    ]
    with pytest.raises(InvalidInput, match="there are 2 codebooks"):
        coded_bundle.coded_responses(memory.bundle({"codes": two}))
