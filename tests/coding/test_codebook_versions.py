"""Versions of a codebook: what changed, and what becomes of earlier labels."""

from __future__ import annotations

from believable.coding.labels import Label, Mark, carry_over, changes
from believable.study.codebook import Code, ready

BOOK = ready("hntt")


def test_a_changed_meaning_is_told_from_a_changed_name() -> None:
    codes = [
        code.model_copy(update={"definition": "Something else."})
        if code.id == "goal"
        else code.model_copy(update={"keywords": ("x",)})
        if code.id == "intuition"
        else code
        for code in BOOK.codes
        if code.id != "other"
    ]
    new = BOOK.model_copy(
        update={"codes": (*codes, Code(id="speed", label="Speed", definition="How fast."))}
    )
    found = {
        change.code: (change.kind, change.fields, change.touches_labels)
        for change in changes(BOOK, new)
    }
    assert found == {
        "goal": ("redefined", ("definition",), True),
        "intuition": ("reworded", ("keywords",), False),
        "speed": ("added", (), False),
        "other": ("removed", (), True),
    }
    assert changes(BOOK, BOOK) == ()


def test_labels_are_kept_put_up_for_review_or_taken_off() -> None:
    goal, smooth = Label("goal", "+", "more"), Label("smoothness", "+", "more")
    mark = Mark(labels=(goal, smooth), done=True)
    assert carry_over(mark, {"goal": "keep"}) == (mark, False)
    assert carry_over(mark, {"goal": "review"}) == (mark, True)
    dropped, review = carry_over(mark, {"goal": "drop"})
    assert (dropped.labels, dropped.done, review) == ((smooth,), False, True)
    assert carry_over(mark, {"intuition": "drop"}) == (mark, False)
