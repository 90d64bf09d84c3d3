"""Blocks: what they run over, how many, and in which order."""

from __future__ import annotations

from believable.study.assign import latin_sizes
from believable.study.checks.stimuli import known_condition, known_scenario, known_stimulus
from believable.study.checks.timeline import repeated
from believable.study.levels import settings, unit_count
from believable.study.nodes import Node
from believable.study.outline import outline
from believable.study.read import Reading
from believable.study.records import Block


def check_blocks(reading: Reading) -> None:
    for entry in outline(reading.study.timeline):
        if isinstance(entry.item, Block):
            _block(reading, entry.item, entry.blocks)


def _block(reading: Reading, block: Block, around: tuple[Block, ...]) -> None:
    place = reading.place(block)
    over = place.get("over")
    if block.over is not None and over is not None:
        outer = next((one for one in around if one.over in (block.over, "stimulus")), None)
        if outer is not None:
            cure = "Remove `over` from one of them."
            reading.report(
                over, f"{block.over} is settled by the block around it ({outer.id!r}) already.", cure
            )
            return
    if not _levels(reading, block, place):
        return
    if block.over == "condition" and reading.broken("conditions"):
        return
    if block.over in ("scenario", "stimulus") and reading.broken("stimuli"):
        return
    _counts(reading, block, place)


def _levels(reading: Reading, block: Block, place: Node) -> bool:
    listed = place.get("levels")
    if listed is None or block.levels is None:
        return True
    if block.over is None:
        reading.report(listed, "levels without `over`.", "Say what they are levels of: `over: condition`.")
        return False
    repeated(reading, zip(block.levels, listed, strict=False), "level")
    known = {"condition": known_condition, "scenario": known_scenario, "stimulus": known_stimulus}[block.over]
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
        found = _NONE[block.over]
        reading.report(place.get("over") or place, f"there is no {block.over} to run over.", found)
        return
    if block.order == "latin_square" and fewest < 2:
        order = place.get("order") or place
        cure = "Add `over:` or more entries, or use `order: fixed`."
        reading.report(order, f"latin_square needs at least two {what}, there is {fewest}.", cure)
        return
    if block.order == "latin_square" and len(latin_sizes(study)[block.id]) > 1:
        order = place.get("order") or place
        message = f"latin_square needs the same number of {what} everywhere, there are {' or '.join(map(str, counts))}."
        reading.report(
            order, message, "Give every condition and scenario equally many stimuli, or use `order: random`."
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
        message = f"no break will come: one after every {block.breaks.every}, but there are {units} passes."
        reading.report(place.get("breaks") or place, message, "Make `every` smaller.", severity="warning")


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
}
