"""Pages of clips with one and the same mixture are told."""

from __future__ import annotations

import pytest

ELIMINATION = (
    "every page holds the same mixture (1 human, 1 scripted), so that people can answer by"
    " elimination."
)


@pytest.mark.parametrize(
    "timeline",
    [
        "- block: {over: scenario, each: [{group: {clips: 2}}]}\n- finish:\n",
        "- group: {id: one, clips: [h01, s01]}\n- group: {id: two, clips: [h02, s02]}\n- finish:\n",
    ],
)
def test_the_same_mixture_on_every_page_is_a_warning(found, timeline):
    told = [one for one in found(timeline) if "elimination" in one.message]
    assert [(one.severity, one.message) for one in told] == [("warning", ELIMINATION)]
    assert told[0].path.endswith("group.clips")


@pytest.mark.parametrize(
    "timeline",
    [
        "- group: {id: one, clips: [h01, s01]}\n- finish:\n",
        "- group: {id: one, clips: [h01, h02]}\n- group: {id: two, clips: [s01, s02]}\n- finish:\n",
        "- group: {id: one, clips: 2}\n- group: {id: two, clips: 2}\n- finish:\n",
        "- group: {id: one, clips: [h01]}\n- group: {id: two, clips: [h02]}\n- finish:\n",
    ],
)
def test_other_pages_are_not(found, timeline):
    assert not [one for one in found(timeline) if "elimination" in one.message]
