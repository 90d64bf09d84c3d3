"""Pages with several players: whether what stands on them fits together."""

from __future__ import annotations

from believable.study.levels import NOTHING_SETTLED, levels
from believable.study.outline import Entry, outline
from believable.study.progress import questions_of
from believable.study.read import Reading
from believable.study.records import Compare, Group, Question, Rate, StimulusFilter

#: Asks which of two, by their places on the page or by the order of watching.
TWO_SIDED = "preference"


def check_several(reading: Reading) -> None:
    for entry in outline(reading.study.timeline):
        if reading.broken(reading.place(entry.item).path):
            continue
        if isinstance(entry.item, Compare | Group):
            _around(reading, entry, entry.item)
        if isinstance(entry.item, Compare):
            _scenarios(reading, entry.item)
        for question in questions_of(entry.item):
            if question.kind == TWO_SIDED:
                _two(reading, entry, question)


def _around(reading: Reading, entry: Entry, item: Compare | Group) -> None:
    block = next((one for one in entry.blocks if one.over == "stimulus"), None)
    if block is not None:
        message = f"{item.kind} chooses its own stimuli, but block {block.id!r} runs over stimuli."
        reading.report(reading.place(item), message, "Use `repeat`, or run over conditions or scenarios.")


def _scenarios(reading: Reading, compare: Compare) -> None:
    """Where one scenario has to be common to all, stimuli need to have one."""
    if compare.match == "none":
        return
    place = reading.place(compare)
    by_id = {one.id: one.scenario for one in reading.study.stimuli}
    named = {by_id[one] for one in compare.of if isinstance(one, str) and one in by_id}
    asked = {one.scenario for one in compare.of if isinstance(one, StimulusFilter) and one.scenario}
    if len(named | asked) > 1:
        message = "the players show different scenarios, but `match: scenario` wants the same."
        reading.report(
            place.get("of") or place, message, "Choose stimuli of one scenario, or write `match: none`."
        )
    elif not reading.study.scenarios and not all(isinstance(one, str) for one in compare.of):
        message = "`match: scenario`, but no stimulus has a scenario."
        reading.report(
            place.get("match") or place, message, "Give stimuli a `scenario`, or write `match: none`."
        )


def _two(reading: Reading, entry: Entry, question: Question) -> None:
    item = entry.item
    place = reading.place(question)
    if isinstance(item, Compare) and len(item.of) != 2:
        message = f"a preference is between two, here are {len(item.of)}."
        reading.report(place, message, "Use `choice` with an option for each.")
    elif isinstance(item, Group):
        message = "a preference is between two, not between the clips of a group."
        reading.report(place, message, "Use `compare`, or a `choice`.")
    elif isinstance(item, Rate) and item.of != "all":
        count = sum(_times(reading, entry, name) for name in item.of)
        if count != 2:
            message = f"a preference is between two, this page is about {count}."
            reading.report(place, message, "Name two watch trials in `of`, or one that is shown twice.")


def _times(reading: Reading, rate: Entry, name: str) -> int:
    """How often the watch trial is shown for each time that the rating comes."""
    watched = next((one for one in outline(reading.study.timeline) if one.item.id == name), None)
    if watched is None:
        return 1
    count = 1
    for block in watched.blocks:
        if block not in rate.blocks:
            of_block = len(levels(reading.study, block, NOTHING_SETTLED)) if block.over else 1
            count *= block.repeat * min(of_block, block.sample or of_block)
    return count
