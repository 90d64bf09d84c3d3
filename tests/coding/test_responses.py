"""Which texts there are to code, and what is known about each."""

from __future__ import annotations

from typing import Any

from believable.coding.responses import FLAG_PROMPT, SessionTexts, responses_of

PAGE = {"session": "s", "position": 3, "run": 0, "trial_key": "pairs.0.pair", "trial": "pair"}
SHOWN = [
    PAGE | {"player": 0, "stimulus": "a", "condition": "robot", "scenario": "hall"},
    PAGE | {"player": 1, "stimulus": "b", "condition": "human", "scenario": "hall"},
]
WHY = PAGE | {
    "question": "why",
    "player": None,
    "kind": "long_text",
    "value_text": "it glides",
    "condition": None,
    "scenario": None,
    "stimulus": None,
}
CHOICE = PAGE | {
    "question": "which",
    "player": None,
    "kind": "preference",
    "value_text": "second",
    "condition": None,
    "scenario": None,
    "stimulus": None,
}
PROMPTS = {("pair", "why"): "Why?"}


def found(**tables: Any) -> list[Any]:
    given = {"answers": [], "flags": [], "shown": [], "exclusions": []} | tables
    of = given.pop("of", ())
    return list(responses_of(SessionTexts(**given), PROMPTS, of))


def test_a_comparison_keeps_what_was_chosen_and_what_was_shown() -> None:
    (one,) = found(answers=[CHOICE, WHY], shown=SHOWN)
    assert (one.text, one.prompt, one.source, one.chosen, one.stimuli) == (
        "it glides",
        "Why?",
        "pair.why",
        1,
        ("a", "b"),
    )
    assert (one.condition, one.conditions) == (None, ("human", "robot"))
    assert one.item(7).condition == "human + robot"
    assert one.place == ("s", "pairs.0.pair", "why", -1, -1)


def test_only_free_texts_that_were_asked_for() -> None:
    number = WHY | {"question": "age", "kind": "number", "value_text": None}
    empty = WHY | {"question": "more", "value_text": None}
    assert len(found(answers=[number, empty, WHY])) == 1
    assert found(answers=[WHY], of=["pair.other"]) == []
    assert len(found(answers=[WHY], of=["pair.why"])) == 1


def test_what_a_reviewer_excluded_is_not_coded_nor_anything_of_an_excluded_session() -> None:
    text = {"scope": "answer", "trial_key": "pairs.0.pair", "question": "why", "player": None}
    assert found(answers=[WHY], exclusions=[text]) == []
    assert found(answers=[WHY], exclusions=[{"scope": "session", "reason": "rejected"}]) == []
    other = text | {"question": "else"}
    assert len(found(answers=[WHY], exclusions=[other])) == 1


def test_a_clip_of_a_group_is_about_its_own_stimulus() -> None:
    clip = WHY | {"player": 1, "stimulus": "b", "condition": "human"}
    (one,) = found(answers=[clip], shown=SHOWN)
    assert (one.player, one.stimuli, one.condition) == (1, ("b",), "human")
    assert one.place[3] == 1


def test_reasons_of_flags_know_their_moment() -> None:
    flag = {
        "session": "s",
        "position": 3,
        "stimulus": "a",
        "seq": 17,
        "media_ms": 61_000.0,
        "reason": "through a wall",
        "undone": False,
    }
    (one,) = found(
        flags=[flag, flag | {"seq": 18, "undone": True}, flag | {"seq": 19, "reason": None}],
        shown=SHOWN[:1],
    )
    assert (one.text, one.moment_ms, one.flag, one.source, one.prompt) == (
        "through a wall",
        61_000.0,
        17,
        "pair.flags",
        FLAG_PROMPT,
    )
    assert (one.condition, one.trial_key) == ("robot", "pairs.0.pair")
    assert found(flags=[flag], shown=SHOWN[:1], of=["pair.why"]) == []
