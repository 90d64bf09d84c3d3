"""Pages of clips that all hold the same mixture: people who notice it can answer by elimination."""

from __future__ import annotations

from collections import Counter

from believable.study.levels import Setting, pool, settings
from believable.study.read import Reading
from believable.study.records import Group, Study


def check_mixtures(reading: Reading) -> None:
    """A warning where every page of clips has the same conditions in the same numbers, and more than one of them."""
    if reading.doubtful or any(reading.broken(part) for part in ("stimuli", "conditions", "timeline")):
        return
    pages = [
        (item, _mixture(reading.study, item, setting))
        for item, setting in settings(reading.study, reading.study.timeline)
        if isinstance(item, Group)
    ]
    mixtures = [mixture for _, mixture in pages]
    if len(pages) < 2 or None in mixtures or any(one != mixtures[0] for one in mixtures):
        return
    first = mixtures[0]
    if first is None or len(first) < 2:
        return
    words = ", ".join(f"{count} {name}" for name, count in sorted(first.items()))
    place = reading.place(pages[0][0])
    reading.report(
        place.get("clips") or place,
        f"every page holds the same mixture ({words}), so that people can answer by elimination.",
        "Let the pages differ in what they hold.",
        severity="warning",
    )


def _mixture(study: Study, group: Group, setting: Setting) -> Counter[str] | None:
    """How many clips of each condition stand on a page; None where chance decides."""
    if isinstance(group.clips, int):
        wanted = Setting(group.from_.condition or setting.condition, group.from_.scenario or setting.scenario)
        found = pool(study, wanted)
        conditions = [one.condition for one in found]
        settled = len(found) == group.clips or len(set(conditions)) == 1
        conditions = conditions[: group.clips]
    else:
        by_id = {one.id: one for one in study.stimuli}
        conditions = [by_id[name].condition for name in group.clips if name in by_id]
        settled = True
    return Counter(str(one) for one in conditions) if settled else None
