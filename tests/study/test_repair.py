"""Reading one record: problems are reported once, and the rest is still used."""

from __future__ import annotations

from believable.contracts.controls import Controls
from believable.contracts.trial import Block
from believable.core.nodes import from_plain
from believable.pages.text import TextPage
from believable.pages.watch import Watch
from believable.study.repair import RecordReader, inside


def read(record, data, **built):
    reader = RecordReader("study.yaml")
    node = reader.tidy(record, from_plain(data, "here"))
    return reader.record(record, node, built), [
        f"{problem.path}: {problem.message}" for problem in reader.problems
    ]


def test_wrong_values_fall_back_on_defaults_and_the_rest_stays():
    made, problems = read(Controls, {"pause": "no", "seek": True, "max_views": 0})
    assert made == Controls(seek=True)
    assert problems == [
        "here.pause: expected true or false, got 'no'.",
        "here.max_views: expected at least 1, got 0.",
    ]


def test_nearly_known_keys_are_read_as_meant():
    made, problems = read(Controls, {"seeek": True})
    assert made == Controls(seek=True)
    assert problems == ["here.seeek: unknown key 'seeek'."]


def test_a_record_that_lacks_something_needed_is_none():
    made, problems = read(Block, {"order": "random", "id": "b"})
    assert made is None
    assert problems == ["here: 'each' is missing."]


def test_what_was_read_before_is_used_as_it_is():
    page = TextPage(id="x")
    made, problems = read(Block, {"id": "b", "each": ["anything"]}, each=(page,))
    assert made is not None
    assert made.each[0] is page
    assert problems == []


def test_wrong_entries_of_a_list_are_left_out():
    made, problems = read(
        Block, {"id": "b", "over": "condition", "levels": ["a", 5, "b"]}, each=(TextPage(id="x"),)
    )
    assert made is not None
    assert made.levels == ("a", "b")
    assert problems == ["here.levels[1]: expected text, got 5."]


def test_places_are_kept():
    reader = RecordReader("study.yaml")
    node = from_plain({"id": "w"}, "here")
    watch = reader.record(Watch, node)
    assert reader.places[watch] is node


def test_inside():
    assert inside("a.b", "a")
    assert inside("a[0]", "a")
    assert inside("a", "a")
    assert not inside("ab", "a")
