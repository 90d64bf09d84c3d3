"""Final labels: where each comes from, and what is left open."""

from __future__ import annotations

from collections import Counter

from believable.coding.coded_bundle import CoderVerdict, DecidedMark, final_mark, final_marks
from believable.coding.labels import Label, Mark

A, B = Label("goal", "+", "more"), Label("receptivity", "+", "more")


def mark(*labels: Label, done: bool = True, discard: str | None = None) -> Mark:
    return Mark(labels=labels, discard=discard, done=done)


def test_coders_who_agree_settle_it_and_their_words_are_joined() -> None:
    kim = CoderVerdict(1, "kim", 1, mark(Label("goal", "+", "more", ((0, 4),))))
    lee = CoderVerdict(1, "lee", 2, mark(Label("goal", "+", "more", ((3, 9),))))
    found = final_mark(7, (kim, lee), (), rule="none", seed=1)
    assert found is not None
    assert (found.how, found.coder, found.version, found.mark.labels[0].spans) == (
        "agreed",
        None,
        2,
        ((0, 9),),
    )


def test_one_coder_alone() -> None:
    found = final_mark(
        7,
        (CoderVerdict(2, "kim", 1, mark(A)), CoderVerdict(2, "lee", 1, mark(B, done=False))),
        (),
        rule="none",
        seed=1,
    )
    assert found is not None
    assert (found.how, found.coder) == ("single", "kim")


def test_an_open_disagreement_stays_open_or_is_drawn_by_the_seed() -> None:
    both = (CoderVerdict(1, "kim", 1, mark(A)), CoderVerdict(1, "lee", 1, mark(B)))
    assert final_mark(7, both, (), rule="none", seed=1) is None
    drawn = final_marks(dict.fromkeys(range(400), both), {}, rule="random_coder", seed=5)
    assert drawn == final_marks(dict.fromkeys(range(400), both), {}, rule="random_coder", seed=5)
    assert {one.how for one in drawn} == {"random_coder"}
    counts = Counter(one.coder for one in drawn)
    assert 150 < counts["kim"] < 250
    assert all(one.mark.keys == ({A.key} if one.coder == "kim" else {B.key}) for one in drawn)


def test_what_was_decided_holds_before_everything_else_and_the_last_word_counts() -> None:
    both = (CoderVerdict(1, "kim", 1, mark(A)), CoderVerdict(1, "lee", 1, mark(B)))
    said = (
        DecidedMark(round=1, how="adjudicated", user="ada", version=1, mark=mark(A)),
        DecidedMark(
            round=1, how="discussed", user="ada", version=2, mark=mark(A, B), note="both are there"
        ),
    )
    found = final_mark(7, both, said, rule="random_coder", seed=1)
    assert found is not None
    assert (found.how, found.note, found.version) == ("discussed", "both are there", 2)
    assert found.mark.keys == {A.key, B.key}


def test_only_the_latest_round_counts() -> None:
    early = (CoderVerdict(1, "kim", 1, mark(A)), CoderVerdict(1, "lee", 1, mark(B)))
    late = (CoderVerdict(2, "kim", 2, mark(B)), CoderVerdict(2, "lee", 2, mark(B)))
    old = (DecidedMark(round=1, how="adjudicated", user="ada", version=1, mark=mark(A)),)
    found = final_mark(7, early + late, old, rule="none", seed=1)
    assert found is not None
    assert (found.round, found.how, found.mark.keys) == (2, "agreed", {B.key})


def test_discarding_is_a_verdict_too() -> None:
    both = tuple(CoderVerdict(1, name, 1, mark(discard="cannot_tell")) for name in ("kim", "lee"))
    found = final_mark(7, both, (), rule="none", seed=1)
    assert found is not None
    assert found.mark.discard == "cannot_tell"
    assert (
        final_mark(8, (CoderVerdict(1, "kim", 1, mark(done=False)),), (), rule="none", seed=1)
        is None
    )
