"""Who took part: numbers, duration, balance."""

from __future__ import annotations

import copy

from believable.analysis.participants import participants


def test_balance_over_arms_and_orders(studies):
    tree = copy.deepcopy(studies.COMPARING)
    tree["arms"] = {"panel": ["lab", "online"]}

    def change(tables):
        for place, row in enumerate(tables["participants"]):
            row.update(
                arm_panel="lab" if place < 3 else "online",
                order_trials=place % 2,
                duration_ms=60_000 * (place + 1),
            )

    data, plan = studies.data_of(studies.judges(5, tree=tree, change=change))
    section = participants(data, plan)
    assert section.tables[0].rows == (
        ("arm", "panel", "lab", 3), ("arm", "panel", "online", 2), ("order", "trials", "0", 3), ("order", "trials", "1", 2),
    )  # fmt: skip
    assert section.paragraphs[0].startswith("5 simulated sessions analysed. Declared: stop at 30")
    assert section.paragraphs[1] == "A session took a median of 3.0 minutes (quartiles 2.0 and 4.0)."


def test_nobody(studies):
    data, plan = studies.data_of(studies.judges(0))
    section = participants(data, plan)
    assert section.paragraphs[0].startswith("0 simulated sessions analysed.")
    assert len(section.paragraphs) == 1
