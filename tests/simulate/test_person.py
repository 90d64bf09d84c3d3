from __future__ import annotations

import pytest

from believable.protocols import READY_STUDIES
from believable.simulate.person import right_answers, shown
from believable.study.load import load


def test_right_answers_are_found_in_blocks_too(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("study")
    (folder / "study.yaml").write_text(
        "believable: 1\ntitle: T\nseed: 1\ntimeline:\n  - check: {id: a, question: {id: sky,"
        " prompt: Q, choice: {options: [blue, pink]}}, correct: blue}\n  - block:\n      id: b\n   "
        "   repeat: 2\n      each:\n        - check: {id: c, question: {id: sum, prompt: Q, number:"
        " {}}, correct: 4}\n  - finish: {}\n"
    )
    assert right_answers(load(folder).study) == {("check", "sky"): "blue", ("check", "sum"): 4}


def test_the_demo_has_one_check() -> None:
    tree = (READY_STUDIES["demo"].folder / "study.yaml").read_text(encoding="utf-8")
    assert tree.count("correct:") == 1


@pytest.mark.parametrize(
    ("rule", "answers", "expected"),
    [
        (None, {}, True),
        ({"question": "play", "test": "at_least", "value": 2}, {"play": 3}, True),
        ({"question": "play", "test": "at_least", "value": 2}, {"play": 1}, False),
        ({"question": "play", "test": "at_least", "value": 2}, {}, False),
        ({"question": "game", "test": "is", "value": "chess"}, {"game": "chess"}, True),
        ({"question": "game", "test": "is_not", "value": "chess"}, {"game": "chess"}, False),
        ({"question": "game", "test": "in", "value": ["go", "chess"]}, {"game": "go"}, True),
        ({"question": "game", "test": "answered", "value": True}, {"game": None}, False),
        (
            {"question": "rows", "item": "calm", "test": "at_most", "value": 2},
            {"rows": {"calm": 1}},
            True,
        ),
        (
            {"question": "rows", "item": "calm", "test": "at_most", "value": 2},
            {"rows": {"calm": 5}},
            False,
        ),
    ],
)
def test_a_question_is_shown_as_its_rule_says(
    rule: object, answers: dict[str, object], expected: bool
) -> None:
    question = {"id": "q"} if rule is None else {"id": "q", "show_if": rule}
    assert shown(question, answers) is expected
