"""What a block runs over, in each setting."""

from __future__ import annotations

import pytest

from believable.contracts.trial import Block, outline
from believable.pages.text import TextPage
from believable.study.levels import Setting, levels, pool, settings, settle, unit_count


@pytest.fixture
def study(study_of):
    return study_of(
        "- block: {over: condition, each: [{block: {id: inner, over: stimulus, each: [watch]}}]}\n-"
        " finish:\n"
    )


@pytest.mark.parametrize(
    ("setting", "names"),
    [
        (Setting(), ["h01", "h02", "s01", "s02"]),
        (Setting(condition="human"), ["h01", "h02"]),
        (Setting(scenario="garden"), ["h02", "s02"]),
        (Setting("scripted", "atrium"), ["s01"]),
        (Setting(condition="nobody"), []),
    ],
)
def test_pools(study, setting, names):
    assert [one.id for one in pool(study, setting)] == names


def test_levels_of_each_factor(study):
    page = TextPage(id="x")
    blocks = {
        over: Block(id="b", over=over, each=(page,))
        for over in ("condition", "scenario", "stimulus")
    }
    assert levels(study, blocks["condition"], Setting()) == ("human", "scripted")
    assert levels(study, blocks["scenario"], Setting()) == ("atrium", "garden")
    assert levels(study, blocks["stimulus"], Setting(condition="human")) == ("h01", "h02")
    chosen = blocks["stimulus"].model_copy(update={"levels": ("s01", "h02")})
    assert levels(study, chosen, Setting()) == ("s01", "h02")
    assert levels(study, chosen, Setting(condition="human")) == ("h02",)
    assert settle(study, blocks["stimulus"], Setting(), "s02") == Setting(
        "scripted", "garden", "s02"
    )
    assert unit_count(study, Block(id="b", each=(page, page)), Setting()) == 2


def test_every_item_is_met_in_every_setting(study):
    met = [
        (item.id, setting.condition, setting.stimulus)
        for item, setting in settings(study, study.timeline)
    ]
    assert met == [
        ("block", None, None),
        ("inner", "human", None),
        ("watch", "human", "h01"),
        ("watch", "human", "h02"),
        ("inner", "scripted", None),
        ("watch", "scripted", "s01"),
        ("watch", "scripted", "s02"),
        ("finish", None, None),
    ]


def test_the_outline_knows_the_blocks_around(study):
    assert [
        (entry.item.id, [block.id for block in entry.blocks]) for entry in outline(study.timeline)
    ] == [("block", []), ("inner", ["block"]), ("watch", ["block", "inner"]), ("finish", [])]
