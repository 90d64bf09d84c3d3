"""What people may do with the players, and what they may open beside them."""

from __future__ import annotations

from believable.study.levels import Setting, pool
from believable.study.outline import outline
from believable.study.read import Reading
from believable.study.records import Compare, Group, Stimulus, StimulusFilter, Watch

#: Browsers play videos no faster.
FASTEST_VIDEO = 16


def check_players(reading: Reading) -> None:
    for entry in outline(reading.study.timeline):
        if isinstance(entry.item, Watch | Compare | Group) and not reading.broken(
            reading.place(entry.item).path
        ):
            _speeds(reading, entry.item)


def _speeds(reading: Reading, watch: Watch | Compare | Group) -> None:
    controls, place = watch.controls, reading.place(watch).get("controls")
    if place is None:
        return
    listed = ", ".join(f"{speed:g}" for speed in controls.speeds)
    if controls.speed is not None and controls.speed not in controls.speeds:
        node = place.get("speed") or place
        reading.report(
            node, f"speed {controls.speed:g} is not among the speeds {listed}.", "Choose one of them."
        )
    if len(set(controls.speeds)) < len(controls.speeds):
        reading.report(place.get("speeds") or place, "a speed is listed twice.", "List each once.")
    fastest = max(controls.speeds)
    if fastest > FASTEST_VIDEO and any(one.player == "video" for one in _shown(reading, watch)):
        message = f"browsers play videos at most {FASTEST_VIDEO} times as fast, got {fastest:g}."
        reading.report(place.get("speeds") or place, message, f"Stay at {FASTEST_VIDEO} or below.")


def _shown(reading: Reading, watch: Watch | Compare | Group) -> tuple[Stimulus, ...]:
    """The stimuli this trial may show, as far as its own words say."""
    found: list[Stimulus] = []
    for wanted in _wanted(watch):
        if isinstance(wanted, StimulusFilter):
            found += pool(reading.study, Setting(wanted.condition, wanted.scenario))
        else:
            found += [one for one in reading.study.stimuli if wanted in ("any", one.id)]
    return tuple(found)


def _wanted(item: Watch | Compare | Group) -> tuple[str | StimulusFilter, ...]:
    if isinstance(item, Watch):
        return (item.stimulus,)
    if isinstance(item, Compare):
        return item.of
    return (item.from_,) if isinstance(item.clips, int) else item.clips
