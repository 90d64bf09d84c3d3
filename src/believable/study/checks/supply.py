"""Whether every plan the study can lead to finds enough stimuli."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from math import comb

from believable.study.draw import Slot
from believable.study.latin import williams
from believable.study.levels import pool, settings
from believable.study.matching import fill_all
from believable.study.outline import outline
from believable.study.plan import Page, unroll, waiting
from believable.study.read import Reading
from believable.study.records import Block, Study, Watch

#: So many different samples are tried one by one. Beyond, there has to be enough for everything that could be sampled:
#: better to refuse a study that might work than to lose a participant to one that does not.
MAX_VARIANTS = 500
MAX_ARM_COMBINATIONS = 2_000
_SUPPLY_KEYS = frozenset(
    {
        "stimulus",
        "of",
        "match",
        "clips",
        "from",
        "over",
        "levels",
        "sample",
        "repeat",
        "order",
        "skip_if",
        "condition",
        "scenario",
        "arm",
    }
)
#: Where a trial or block says which stimuli it wants.
_NAMES = ("stimulus", "of", "clips", "sample")


def check_supply(reading: Reading) -> None:
    """Report each trial or block that can find its pool empty."""
    if not _sound(reading):
        return
    study = reading.study
    hopeless = _nothing_fits(reading)
    short: dict[str, Slot] = {}
    for arms in _arm_combinations(study):
        for slot in _shortage(study, arms):
            short.setdefault(slot.owner, slot)
    for entry in outline(study.timeline):
        if entry.item.id not in short or entry.item.id in hopeless:
            continue
        place = reading.place(entry.item)
        node = next((found for key in _NAMES if (found := place.get(key))), place)
        message = f"a session can run out of stimuli here: {len(short[entry.item.id].allowed)} fit, and more are needed in all."
        cure = "Add stimuli, show fewer, or name the stimulus."
        reading.report(node, message, cure)


def _sound(reading: Reading) -> bool:
    """Whether stimuli and blocks are free of problems, so that a shortage is one of its own."""
    if any(reading.broken(part) for part in ("stimuli", "conditions", "arms")) or reading.doubtful:
        return False
    return bool(reading.study.stimuli) and not any(
        problem.severity == "error" and _concerns_supply(problem.path) for problem in reading.problems
    )


def _concerns_supply(path: str) -> bool:
    """The last key decides: `each` lies on the way to everything inside a block."""
    return path.startswith("timeline") and re.sub(r"\[\d+\]", "", path).rpartition(".")[2] in _SUPPLY_KEYS


def _nothing_fits(reading: Reading) -> set[str]:
    """Watch trials that in some setting have no stimulus at all; reported with that setting."""
    study = reading.study
    found: set[str] = set()
    for item, setting in settings(study, study.timeline):
        if (
            not isinstance(item, Watch)
            or item.id in found
            or item.stimulus != "any"
            or setting.stimulus is not None
        ):
            continue
        if not pool(study, setting):
            found.add(item.id)
            settled = [
                f"{name} {value!r}"
                for name, value in (("condition", setting.condition), ("scenario", setting.scenario))
                if value
            ]
            place = reading.place(item)
            reading.report(
                place.get("stimulus") or place, f"no stimulus fits {' and '.join(settled)}.", "Add one."
            )
    return found


def _arm_combinations(study: Study) -> list[Mapping[str, str]]:
    tested = sorted(
        {
            entry.item.skip_if.arm
            for entry in outline(study.timeline)
            if entry.item.skip_if and entry.item.skip_if.arm
        }
    )
    levels = [[(name, level) for level in study.arms[name]] for name in tested]
    return [dict(one) for one in itertools.islice(itertools.product(*levels), MAX_ARM_COMBINATIONS)]


def _shortage(study: Study, arms: Mapping[str, str]) -> list[Slot]:
    """The slots that stay empty in some plan."""
    everything = _unfilled(unroll(study, arms, lambda block, run, n: range(n)))
    if not everything:
        return []
    for number, pages in enumerate(_variants(study, arms)):
        short = everything if number == MAX_VARIANTS else _unfilled(pages)
        if short:
            return short
    return []


def _unfilled(pages: Sequence[Page]) -> list[Slot]:
    slots, matched, taken = waiting(pages)
    return fill_all(slots, matched, taken=taken, seed=0).left_over


def _variants(study: Study, arms: Mapping[str, str]) -> Iterator[list[Page]]:
    """The pages for every sample that chance can take, order left aside: an odometer over the choices of `unroll`."""
    script: list[int] = []
    while True:
        sizes: list[int] = []

        def choose(
            block: Block, run: int, n: int, sizes: list[int] = sizes, script: list[int] = script
        ) -> Sequence[int]:
            if block.sample is None or block.sample >= n:
                return range(n)
            number = script[len(sizes)] if len(sizes) < len(script) else 0
            if block.order == "latin_square":
                rows = williams(n)
                sizes.append(len(rows))
                return rows[number][: block.sample]
            sizes.append(comb(n, block.sample))
            return next(itertools.islice(itertools.combinations(range(n), block.sample), number, None))

        yield unroll(study, arms, choose)
        script = script + [0] * (len(sizes) - len(script))
        place = len(sizes) - 1
        while place >= 0 and script[place] + 1 >= sizes[place]:
            place -= 1
        if place < 0:
            return
        script = [*script[:place], script[place] + 1]
