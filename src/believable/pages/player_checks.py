"""Possible problems of a page that plays stimuli: the stimuli it names, and the controls of its
players.
"""

from __future__ import annotations

from collections.abc import Sequence

from believable.contracts.trial import Entry, StimulusFilter, TrialBase
from believable.core.nodes import Node
from believable.study.checks.names import (
    known_condition,
    known_scenario,
    known_stimulus,
    report_repeated,
)
from believable.study.levels import Setting, pool
from believable.study.reading import Reading
from believable.study.records import Stimulus

#: Browsers play videos no faster.
FASTEST_VIDEO = 16
#: Any stimulus that fits the blocks around.
ANY = "any"

WantedStimulus = str | StimulusFilter


def check_several(
    reading: Reading, entry: Entry, named: Sequence[tuple[WantedStimulus, Node]]
) -> None:
    """The stimuli that a page with several players names; `named` holds them with their places."""
    item, place = entry.item, reading.place(entry.item)
    if not reading.is_broken(place.path) and has_stimuli(reading, place):
        report_repeated(
            reading,
            [(wanted, node) for wanted, node in named if isinstance(wanted, str)],
            "stimulus",
        )
        for wanted, node in named:
            if isinstance(wanted, str):
                known_stimulus(reading, wanted, node)
            else:
                check_filter(reading, wanted, node)
                _check_pair(reading, entry, wanted, node)
    check_controls(reading, item, [wanted for wanted, _ in named])
    block = next((block for block in entry.blocks if block.over == "stimulus"), None)
    if block is not None and not reading.is_broken(place.path):
        message = f"{item.kind} chooses its own stimuli, but block {block.id!r} runs over stimuli."
        reading.report(place, message, "Use `repeat`, or run over conditions or scenarios.")


def _check_pair(reading: Reading, entry: Entry, wanted: StimulusFilter, node: Node) -> None:
    """One of a pair needs a block that settles the pair."""
    place = node.get("pair")
    if wanted.pair is None or place is None:
        return
    if wanted.condition is not None:
        reading.report(
            place, "a condition of its own, and one of a pair.", "Remove one of the two."
        )
    elif not any(block.over == "pair" for block in entry.blocks):
        reading.report(
            place, "no block around it runs over pairs.", "Put it into `block: {over: pair, …}`."
        )


def has_stimuli(reading: Reading, place: Node) -> bool:
    """Whether there is anything to watch; a problem is reported if not."""
    if reading.study.stimuli or reading.is_broken("stimuli"):
        return True
    reading.report(
        place, "the study has no stimuli to watch.", "Add `stimuli: [{id: …, file: …}]`."
    )
    return False


def check_filter(reading: Reading, wanted: StimulusFilter, place: Node) -> None:
    sound = known_condition(reading, wanted.condition, place.get("condition"))
    sound = known_scenario(reading, wanted.scenario, place.get("scenario")) and sound
    fitting = pool(reading.study, Setting(wanted.condition, wanted.scenario))
    if (
        sound
        and not fitting
        and not reading.is_broken("stimuli")
        and not reading.is_broken("conditions")
    ):
        reading.report(place, "no stimulus fits.", "Add one, or change condition or scenario.")


def check_controls(reading: Reading, item: TrialBase, wanted: Sequence[WantedStimulus]) -> None:
    """How often, and how fast."""
    controls, place = item.player.controls, reading.place(item).get("controls")
    if controls is None or place is None or reading.is_broken(place.path):
        return
    if controls.max_views is not None and controls.max_views > 1 and not controls.replay:
        node = place.get("max_views") or place
        reading.report(
            node, f"{controls.max_views} views are allowed, but no replay.", "Add `replay: true`."
        )
    if reading.is_broken(reading.place(item).path):
        return
    if controls.speed is not None and controls.speed not in controls.speeds:
        listed = ", ".join(f"{speed:g}" for speed in controls.speeds)
        node = place.get("speed") or place
        reading.report(
            node,
            f"speed {controls.speed:g} is not among the speeds {listed}.",
            "Choose one of them.",
        )
    if controls.first_speed_limit is not None and controls.first_speed > controls.first_speed_limit:
        node = place.get("first_speed_limit") or place
        message = (
            f"it begins at speed {controls.first_speed:g}, but the first viewing is limited to"
            f" {controls.first_speed_limit:g}."
        )
        reading.report(
            node,
            message,
            f"Add `speed: …` of {controls.first_speed_limit:g} or less, which `speeds` lists.",
        )
    if len(set(controls.speeds)) < len(controls.speeds):
        reading.report(place.get("speeds") or place, "a speed is listed twice.", "List each once.")
    fastest = max(controls.speeds)
    videos = (
        stimulus
        for need in wanted
        for stimulus in _meant(reading, need)
        if stimulus.player == "video"
    )
    if fastest > FASTEST_VIDEO and any(videos):
        message = f"browsers play videos at most {FASTEST_VIDEO} times as fast, got {fastest:g}."
        reading.report(place.get("speeds") or place, message, f"Stay at {FASTEST_VIDEO} or below.")


def _meant(reading: Reading, wanted: WantedStimulus) -> Sequence[Stimulus]:
    if isinstance(wanted, StimulusFilter):
        return pool(reading.study, Setting(wanted.condition, wanted.scenario))
    return [stimulus for stimulus in reading.study.stimuli if wanted in (ANY, stimulus.id)]
