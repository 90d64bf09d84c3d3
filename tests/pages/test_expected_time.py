"""The minutes left: the declared ones shared by the pages, or an estimate from what the pages
show.
"""

from __future__ import annotations

from typing import Any

import pytest

from believable.contracts.trial import PlannedTrial
from believable.core.nodes import from_plain
from believable.pages.expected_time import minutes_left, session_minutes
from believable.study.definition import Definition, Medium
from believable.study.plan import Assignment, plan
from believable.study.reading import read_study

FORM = {"questions": [{"id": "q", "prompt": "Why?", "text": None}]}


def pages_of(
    timeline: list[dict[str, Any]], **fields: Any
) -> tuple[Definition, tuple[PlannedTrial, ...]]:
    tree = {
        "believable": 1,
        "title": "A study",
        "seed": 1,
        "timeline": [*timeline, {"finish": {"id": "end"}}],
        **fields,
    }
    reading = read_study(from_plain(tree), file="study.yaml")
    assert not reading.problems, [str(problem) for problem in reading.problems]
    definition = Definition(study=reading.study, tree=tree)
    return definition, tuple(plan(definition.study, Assignment({}, {}, 1)))


def test_pages_keep_their_shares_of_the_declared_minutes() -> None:
    forms = [{"form": {"id": f"f{number}", **FORM}} for number in range(4)]
    definition, pages = pages_of(forms, recruit={"minutes": 20})
    assert session_minutes(definition) == 20
    left = [minutes_left(pages, position, definition) for position in range(len(pages))]
    assert left == [20, 15, 10, 5, 1], "four pages alike, and at least one minute at the end"


@pytest.mark.parametrize(
    ("length_ms", "speed", "minutes"), [(600_000, 1, 11), (600_000, 2, 6), (None, 1, 1)]
)
def test_a_page_takes_the_length_of_its_film_at_its_first_speed(
    length_ms: int | None, speed: int, minutes: int
) -> None:
    controls = {"controls": {"speeds": [1, 2], "speed": speed}}
    watch = {"watch": {"id": "clip", "stimulus": "film", "ask": FORM["questions"], **controls}}
    definition, pages = pages_of([watch], stimuli=[{"id": "film", "file": "film.mp4"}])
    if length_ms is not None:
        definition = definition.with_media(
            {
                "film": Medium(
                    digest="0" * 64, bytes=1, duration_ms=length_ms, media_type="video/mp4"
                )
            }
        )
    assert minutes_left(pages, 0, definition) == minutes, (
        "10 min and the time for a question, in whole minutes"
    )
