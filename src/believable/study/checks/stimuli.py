"""Stimuli, conditions, and what refers to them."""

from __future__ import annotations

from believable.study.checks.timeline import repeated
from believable.study.levels import Setting, pool
from believable.study.nodes import Node
from believable.study.outline import outline
from believable.study.read import Reading
from believable.study.records import Compare, Group, Play, StimulusFilter, Watch
from believable.study.rounds import round_wanted
from believable.study.wording import unknown

#: A stimulus cannot be called this, because `stimulus: any` means something else.
_RESERVED = "any"


def check_stimuli(reading: Reading) -> None:
    study = reading.study
    places = [(one, reading.place(one)) for one in study.stimuli]
    repeated(reading, [(one.id, node.get("id") or node) for one, node in places], "stimulus id")
    for one, node in places:
        if one.id == _RESERVED:
            reading.report(
                node.get("id") or node, "'any' cannot be the id of a stimulus.", "Choose another id."
            )
        known_condition(reading, one.condition, node.get("condition"))
    _conditions(reading)
    for entry in outline(study.timeline):
        if isinstance(entry.item, Watch):
            _shown(reading, entry.item)
        elif isinstance(entry.item, Compare | Group):
            _several(reading, entry.item)


def known_condition(reading: Reading, name: str | None, node: Node | None) -> bool:
    """Whether the study declares the condition; reported where it does not."""
    if name is None or node is None or name in reading.study.conditions or reading.broken("conditions"):
        return True
    message, cure = unknown("condition", name, reading.study.conditions)
    reading.report(
        node, message, cure if reading.study.conditions else f"Declare it: `conditions: [{name}, …]`."
    )
    return False


def known_scenario(reading: Reading, name: str | None, node: Node | None) -> bool:
    if name is None or node is None or name in reading.study.scenarios or reading.broken("stimuli"):
        return True
    message, cure = unknown("scenario", name, reading.study.scenarios)
    reading.report(node, message, cure if reading.study.scenarios else "Give stimuli a `scenario`.")
    return False


def known_stimulus(reading: Reading, name: str, node: Node) -> bool:
    names = {one.id for one in reading.study.stimuli}
    if name in names or {f"stimulus:{name}", "stimulus:*"} & reading.doubtful:
        return True
    reading.report(node, *unknown("stimulus", name, names))
    return False


def _conditions(reading: Reading) -> None:
    place = reading.root.get("conditions")
    if place is None or not place.is_list or reading.broken("conditions"):
        return
    repeated(reading, [(node.value, node) for node in place], "condition")
    if reading.broken("stimuli"):
        return
    used = {one.condition for one in reading.study.stimuli}
    if any(isinstance(entry.item, Play) for entry in outline(reading.study.timeline)):
        return  # conditions may be those of rounds; see `checks.play`
    for node in place:
        if node.value not in used:
            cure = "Give a stimulus this condition, or remove it."
            reading.report(node, f"no stimulus has the condition {node.value!r}.", cure, severity="warning")


def _several(reading: Reading, item: Compare | Group) -> None:
    """What a page with several players names."""
    place = reading.place(item)
    if reading.broken(place.path):
        return
    if not reading.study.stimuli and not reading.broken("stimuli"):
        reading.report(place, "the study has no stimuli to watch.", "Add `stimuli: [{id: …, file: …}]`.")
        return
    if isinstance(item, Compare):
        named = list(zip(item.of, place.get("of") or (), strict=False))
    elif isinstance(item.clips, int):
        named = [(item.from_, place.get("from") or place)]
    else:
        named = list(zip(item.clips, place.get("clips") or (), strict=False))
    repeated(reading, [(one, node) for one, node in named if isinstance(one, str)], "stimulus")
    for one, node in named:
        if isinstance(one, str):
            known_stimulus(reading, one, node)
        else:
            _filter(reading, one, node)


def _filter(reading: Reading, wanted: StimulusFilter, place: Node) -> None:
    sound = known_condition(reading, wanted.condition, place.get("condition"))
    sound = known_scenario(reading, wanted.scenario, place.get("scenario")) and sound
    fitting = pool(reading.study, Setting(wanted.condition, wanted.scenario))
    if sound and not fitting and not reading.broken("stimuli") and not reading.broken("conditions"):
        reading.report(place, "no stimulus fits.", "Add one, or change condition or scenario.")


def _shown(reading: Reading, watch: Watch) -> None:
    node = reading.place(watch).get("stimulus")
    if round_wanted(watch) is not None:
        return
    if isinstance(watch.stimulus, StimulusFilter):
        _filter(reading, watch.stimulus, node or reading.place(watch))
    elif watch.stimulus != _RESERVED and node is not None:
        known_stimulus(reading, watch.stimulus, node)
    elif not reading.study.stimuli and not reading.broken("stimuli"):
        place = node or reading.place(watch)
        reading.report(place, "the study has no stimuli to watch.", "Add `stimuli: [{id: …, file: …}]`.")
