"""How values and unknown names are put into words."""

from __future__ import annotations

import pytest

from believable.core.nodes import from_plain
from believable.study.wording import missing, shown, unknown


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("x", "'x'"),
        (5, "5"),
        (True, "true"),
        (None, "nothing"),
        ([], "an empty list"),
        ([1], "a list"),
        ({"a": 1}, "a mapping"),
        ("y" * 100, f"'{'y' * 55}…'"),
    ],
)
def test_values_as_their_author_knows_them(value, words):
    assert shown(value) == words
    assert shown(from_plain(value)) == words


def test_unknown_names_and_missing_keys():
    assert unknown("arm", "tol", ["tool"]) == ("unknown arm 'tol'.", "Did you mean 'tool'?")
    assert unknown("arm", "tol", []) == ("unknown arm 'tol'.", "There is none to choose from.")
    assert missing("seed", "a whole number") == (
        "'seed' is missing.",
        "Add `seed: …` (a whole number).",
    )
