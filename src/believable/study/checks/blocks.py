"""Blocks: their levels, number and order, and whether every plan they can lead to finds enough
stimuli.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from math import comb

from believable.contracts.record import Text
from believable.contracts.trial import Block, Slot, outline, turn_of
from believable.core.nodes import Node
from believable.study.checks.names import (
    known_condition,
    known_scenario,
    known_stimulus,
    report_repeated,
)
from believable.study.levels import pair_of, pool, settings, unit_count, williams
from believable.study.plan import Page, latin_sizes, unroll, waiting
from believable.study.reading import Reading
from believable.study.records import Study
from believable.study.stimulus_draw import fill_all


def check_blocks(reading: Reading) -> None:
    for entry in outline(reading.study.timeline):
        if isinstance(entry.item, Block):
            _block(reading, entry.item, entry.blocks)


def _block(reading: Reading, block: Block, around: tuple[Block, ...]) -> None:
    place = reading.place(block)
    over = place.get("over")
    if block.over is not None and over is not None:
        outer = next(
            (outside for outside in around if outside.over in (block.over, "stimulus")), None
        )
        if outer is not None:
            cure = "Remove `over` from one of them."
            reading.report(
                over,
                f"{block.over} is settled by the block around it ({outer.id!r}) already.",
                cure,
            )
            return
    if not _pairs(reading, block, place) or not _levels(reading, block, place):
        return
    if block.over in ("condition", "pair") and reading.is_broken("conditions"):
        return
    if block.over in ("scenario", "stimulus") and reading.is_broken("stimuli"):
        return
    _counts(reading, block, place)


def _pairs(reading: Reading, block: Block, place: Node) -> bool:
    """Return whether the keys about pairs fit each other; report them if not."""
    if block.over != "pair":
        node = next(filter(None, map(place.get, ("pairs", "center"))), None)
        if node is not None:
            reading.report(node, "pairs of nothing.", "Add `over: pair`, or remove it.")
        return node is None
    problem = None
    if block.pairs == "star" and block.center is None:
        problem = "a star without a center.", "Add `center: CONDITION`, such as people."
    elif block.pairs != "star" and block.center is not None:
        problem = f"a center, but `pairs: {block.pairs}`.", "Write `pairs: star`, or remove it."
    elif (block.pairs == "listed") != (block.levels is not None):
        wrong = "listed pairs without a list" if block.levels is None else "a list of pairs"
        problem = (
            f"{wrong}, and `pairs: {block.pairs}`.",
            ("Write `pairs: listed` and `levels: [first-second, …]`."),
        )
    if problem is not None:
        reading.report(place.get("pairs") or place.get("center") or place, *problem)
        return False
    return known_condition(reading, block.center, place.get("center"))


def _known_pair(reading: Reading, name: str, node: Node) -> bool:
    first, second = pair_of(name)
    if not second or first == second:
        reading.report(
            node, f"{name!r} is no pair of two conditions.", "Write it as first-second: people-v1."
        )
        return False
    return known_condition(reading, first, node) and known_condition(reading, second, node)


def _levels(reading: Reading, block: Block, place: Node) -> bool:
    listed = place.get("levels")
    if listed is None or block.levels is None:
        return True
    if block.over is None:
        reading.report(
            listed, "levels without `over`.", "Name the dimension of the levels: `over: condition`."
        )
        return False
    report_repeated(reading, zip(block.levels, listed, strict=False), "level")
    known = {
        "condition": known_condition,
        "scenario": known_scenario,
        "stimulus": known_stimulus,
        "pair": _known_pair,
    }[block.over]
    sound = [known(reading, name, node) for name, node in zip(block.levels, listed, strict=False)]
    return all(sound)


def _counts(reading: Reading, block: Block, place: Node) -> None:
    study = reading.study
    counts = _unit_counts(reading, block, place)
    if not counts:
        return
    what = f"{block.over} levels" if block.over else "entries of `each`"
    fewest = counts[0]
    if block.over is not None and fewest == 0:
        reading.report(
            place.get("over") or place, f"there is no {block.over} to run over.", _NONE[block.over]
        )
        return
    if block.order == "latin_square" and fewest < 2:
        order = place.get("order") or place
        cure = "Add `over:` or more entries, or use `order: fixed`."
        reading.report(order, f"latin_square needs at least two {what}, there is {fewest}.", cure)
        return
    if block.order == "latin_square" and len(latin_sizes(study)[block.id]) > 1:
        order = place.get("order") or place
        message = (
            f"latin_square needs the same number of {what} everywhere, there are"
            f" {' or '.join(map(str, counts))}."
        )
        reading.report(
            order,
            message,
            "Give every condition and scenario equally many stimuli, or use `order: random`.",
        )
    if block.sample is not None and block.sample > fewest:
        reading.report(
            place.get("sample") or place,
            f"sample of {block.sample} from {fewest} {what}.",
            f"Take at most {fewest}, or add more.",
        )
        return
    units = (fewest if block.sample is None else block.sample) * block.repeat
    if block.breaks is not None and block.breaks.every >= units:
        message = (
            f"no break is reached: one after every {block.breaks.every}, but there are {units}"
            " passes."
        )
        reading.report(
            place.get("breaks") or place, message, "Make `every` smaller.", severity="warning"
        )


def _unit_counts(reading: Reading, block: Block, place: Node) -> list[int]:
    """How many units there are in each setting; entries that could not be read count as well."""
    written = place.get("each")
    if block.over is None:
        return [] if written is None or not written.is_list else [len(written.value)]
    study = reading.study
    return sorted(
        {
            unit_count(study, item, setting)
            for item, setting in settings(study, study.timeline)
            if item is block
        }
    )


_NONE = {
    "condition": "Declare `conditions: [...]`.",
    "scenario": "Give stimuli a `scenario`.",
    "stimulus": "Add stimuli that fit the blocks around this one.",
    "pair": "Declare `conditions: [...]`, at least two.",
}


#: This number of different samples is tried one by one. Beyond it, everything that could be sampled
#: must be enough: better to refuse a study that might work than to lose a participant to one that
#: does not.
MAX_VARIANTS = 500
MAX_ARM_COMBINATIONS = 2_000
#: Keys of blocks and trials that decide how many stimuli are needed, besides those that name them.
_SUPPLY_KEYS = frozenset(
    (
        "over",
        "pairs",
        "center",
        "levels",
        "sample",
        "repeat",
        "order",
        "skip_if",
        "condition",
        "scenario",
        "arm",
    )
)


def check_turns(reading: Reading) -> None:
    """Report titles and texts whose `{First|Second}` has words for another number of turns than a
    page has, and pages that show the round of a turn that is not played.
    """
    if not _sound(reading):
        return
    study = reading.study
    turns: dict[str, int] = {}
    for arms in _arm_combinations(study):
        for page in unroll(
            study,
            arms,
            lambda block, run, names: range(
                len(names) if block.sample is None else min(block.sample, len(names))
            ),
        ):
            turns[page.trial.id] = max(turns.get(page.trial.id, 0), turn_of(page.key))
    for entry in outline(study.timeline):
        for key in ("title", "text"):
            words: Text | None = getattr(entry.item, key, None)
            wrong = set() if words is None else set(words.turns) - {turns.get(entry.item.id, 1)}
            if wrong:
                place = reading.place(entry.item)
                message = (
                    f"words for {min(wrong)} turns, but the page comes"
                    f" {turns.get(entry.item.id, 1)} times."
                )
                reading.report(
                    place.get(key) or place,
                    message,
                    "Give one word for each turn: `{First|Second}`.",
                )
        shown = entry.item.own_round
        if shown is not None and shown.turn is not None and shown.turn > turns.get(shown.trial, 0):
            message = f"turn {shown.turn} of {shown.trial!r} is not played."
            reading.report(
                reading.place(entry.item).get("stimulus") or reading.place(entry.item),
                message,
                "Name one that is.",
            )


def check_supply(reading: Reading) -> None:
    """Report each trial or block that can find its pool empty."""
    if not reading.study.stimuli or not _sound(reading):
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
        written = (place.get(key) for key in (*entry.item.stimulus_keys, "sample"))
        node = next(filter(None, written), place)
        message = (
            f"a session can run out of stimuli here: {len(short[entry.item.id].allowed)} fit, and"
            " more are needed in all."
        )
        cure = "Add stimuli, show fewer, or name the stimulus."
        reading.report(node, message, cure)


def _sound(reading: Reading) -> bool:
    """Whether stimuli and blocks are free of problems, so that a shortage is a separate problem."""
    if (
        any(reading.is_broken(part) for part in ("stimuli", "conditions", "arms"))
        or reading.doubtful
    ):
        return False
    concerned = _SUPPLY_KEYS.union(
        *(entry.item.stimulus_keys for entry in outline(reading.study.timeline))
    )
    return not any(
        problem.severity == "error"
        and problem.path.startswith("timeline")
        and _last_key(problem.path) in concerned
        for problem in reading.problems
    )


def _last_key(path: str) -> str:
    """The last key decides: `each` lies on the way to everything inside a block."""
    return re.sub(r"\[\d+\]", "", path).rpartition(".")[2]


def _nothing_fits(reading: Reading) -> set[str]:
    """Watch trials that in some setting have no stimulus at all; reported with that setting."""
    study = reading.study
    reported: set[str] = set()
    for item, setting in settings(study, study.timeline):
        if item.id in reported or not item.takes_any or setting.stimulus is not None:
            continue
        if not pool(study, setting):
            reported.add(item.id)
            settled = [
                f"{name} {value!r}"
                for name, value in (
                    ("condition", setting.condition),
                    ("scenario", setting.scenario),
                )
                if value
            ]
            place = reading.place(item)
            reading.report(
                place.get("stimulus") or place,
                f"no stimulus fits {' and '.join(settled)}.",
                "Add one.",
            )
    return reported


def _arm_combinations(study: Study) -> list[Mapping[str, str]]:
    tested = sorted(
        {
            entry.item.skip_if.arm
            for entry in outline(study.timeline)
            if entry.item.skip_if and entry.item.skip_if.arm
        }
    )
    levels = [[(name, level) for level in study.arms[name]] for name in tested]
    return [
        dict(combination)
        for combination in itertools.islice(itertools.product(*levels), MAX_ARM_COMBINATIONS)
    ]


def _shortage(study: Study, arms: Mapping[str, str]) -> list[Slot]:
    """The slots that stay empty in some plan."""
    everything = _unfilled_slots(unroll(study, arms, lambda block, run, names: range(len(names))))
    if not everything:
        return []
    for number, pages in enumerate(_variants(study, arms)):
        short = everything if number == MAX_VARIANTS else _unfilled_slots(pages)
        if short:
            return short
    return []


def _unfilled_slots(pages: Sequence[Page]) -> list[Slot]:
    slots, matched, taken = waiting(pages)
    return fill_all(slots, matched, taken=taken, seed=0).left_over


def _variants(study: Study, arms: Mapping[str, str]) -> Iterator[list[Page]]:
    """The pages for every sample that chance can take, order left aside: an odometer over the
    choices of `unroll`.
    """
    script: list[int] = []
    while True:
        sizes: list[int] = []

        def choose(
            block: Block,
            run: int,
            names: Sequence[str],
            sizes: list[int] = sizes,
            script: list[int] = script,
        ) -> Sequence[int]:
            n = len(names)
            if block.sample is None or block.sample >= n:
                return range(n)
            number = script[len(sizes)] if len(sizes) < len(script) else 0
            if block.order == "latin_square":
                rows = williams(n)
                sizes.append(len(rows))
                return rows[number][: block.sample]
            sizes.append(comb(n, block.sample))
            return next(
                itertools.islice(itertools.combinations(range(n), block.sample), number, None)
            )

        yield unroll(study, arms, choose)
        script = script + [0] * (len(sizes) - len(script))
        place = len(sizes) - 1
        while place >= 0 and script[place] + 1 >= sizes[place]:
            place -= 1
        if place < 0:
            return
        script = [*script[:place], script[place] + 1]
