"""What a block runs over, in each setting."""

from __future__ import annotations

import pytest

from believable.contracts.trial import Block, outline
from believable.pages.text import TextPage
from believable.study.levels import (
    Setting,
    levels,
    pair_of,
    pool,
    round_robin,
    settings,
    settle,
    unit_count,
)


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


@pytest.mark.parametrize("count", range(2, 10))
def test_all_pairs_come_once_and_in_rounds(count):
    names = tuple("abcdefghi"[:count])
    pairs = round_robin(names)
    assert len(pairs) == len(set(pairs)) == count * (count - 1) // 2
    assert all(names.index(first) < names.index(second) for first, second in pairs)
    size = count // 2
    rounds = [pairs[at : at + size] for at in range(0, len(pairs), size)]
    for pairs_of_round in rounds:
        shown = [name for pair in pairs_of_round for name in pair]
        assert len(shown) == len(set(shown)), "nobody meets two others in one round"


def test_pairs_of_a_block(study):
    page = TextPage(id="x")

    def of(**options):
        return levels(study, Block(id="b", over="pair", each=(page,), **options), Setting())

    assert of() == ("human-scripted",)
    assert of(pairs="star", center="scripted") == ("scripted-human",)
    assert of(pairs="listed", levels=("scripted-human",)) == ("scripted-human",)
    block = Block(id="b", over="pair", each=(page,))
    assert settle(study, block, Setting(), "human-scripted").pair == ("human", "scripted")
    assert pair_of("human-scripted") == ("human", "scripted")
