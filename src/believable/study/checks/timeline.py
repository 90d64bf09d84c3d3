"""The order of things: ids, the end, pages, consent boxes, what is rated."""

from __future__ import annotations

from collections.abc import Iterable

from believable.core.registry import did_you_mean
from believable.study.nodes import Node
from believable.study.outline import Entry, outline
from believable.study.progress import questions_of
from believable.study.read import Reading
from believable.study.records import Compare, Consent, Finish, Group, Rate, TextPage, TimelineItem, Watch
from believable.study.texts import REFERENCE_LANGUAGE, built_in
from believable.study.wording import unknown


def check_timeline(reading: Reading) -> None:
    entries = list(outline(reading.study.timeline))
    _trial_ids(reading, entries)
    _finish(reading, entries)
    watched: set[str] = set()
    for entry in entries:
        item = entry.item
        _question_ids(reading, entry)
        _prompts(reading, entry.item)
        if isinstance(item, Consent | TextPage):
            _words(reading, item)
        if isinstance(item, Consent):
            _boxes(reading, item)
        if isinstance(item, Rate):
            _rated(reading, item, watched, entries)
        if isinstance(item, Watch):
            watched.add(item.id)
            _inputs(reading, item)
        if isinstance(item, Watch | Compare | Group):
            _views(reading, item)


def repeated(reading: Reading, nodes: Iterable[tuple[str, Node]], what: str) -> None:
    """Report each name that was given before."""
    lines: dict[str, int] = {}
    for name, node in nodes:
        if name in lines:
            reading.report(
                node, f"the {what} {name!r} is used in line {lines[name]} already.", "Give it another one."
            )
        lines.setdefault(name, node.line)


def _trial_ids(reading: Reading, entries: Iterable[Entry]) -> None:
    places = [(entry.item.id, reading.place(entry.item).get("id")) for entry in entries]
    repeated(reading, [(name, node) for name, node in places if node is not None], "trial id")


def _question_ids(reading: Reading, entry: Entry) -> None:
    places = [(one.id, reading.place(one).get("id")) for one in questions_of(entry.item)]
    repeated(reading, [(name, node) for name, node in places if node is not None], "question id")


def _prompts(reading: Reading, item: TimelineItem) -> None:
    """A heading may do for a prompt; without either nobody knows what is asked."""
    if getattr(item, "title", None) is not None or getattr(item, "text", None) is not None:
        return
    for question in questions_of(item):
        place = reading.place(question)
        if question.prompt is None and not reading.broken(place.path):
            message = f"the question {question.id!r} has no prompt: people see only how to answer."
            reading.report(place, message, "Add `prompt: …`.", severity="warning")


def _finish(reading: Reading, entries: list[Entry]) -> None:
    found = [entry for entry in entries if isinstance(entry.item, Finish)]
    if not found:
        place = reading.root.get("timeline")
        if (
            place is not None
            and place.is_list
            and place.value
            and "*" not in reading.doubtful
            and "finish" not in reading.doubtful
        ):
            reading.report(place, "the timeline has no finish.", "End it with `- finish: {}`.")
        return
    for extra in found[1:]:
        first = reading.place(found[0].item).line
        reading.report(
            reading.place(extra.item),
            f"a second finish; the first is in line {first}.",
            "Remove one of them.",
        )
    place = reading.place(found[0].item)
    if len(found) == 1 and entries[-1] is not found[0]:
        reading.report(place, "finish is not the last entry of the timeline.", "Move it to the end.")
    elif found[0].blocks:
        reading.report(
            place, "finish stands inside a block.", "Move it behind the block, to the end of the timeline."
        )
    if found[0].item.skip_if is not None:
        reading.report(place.get("skip_if") or place, "finish cannot be skipped.", "Remove the rule.")


def _words(reading: Reading, item: Consent | TextPage) -> None:
    place = reading.place(item)
    if reading.broken(place.path):
        return
    if item.page is None and item.text is None:
        reading.report(
            place, f"{item.kind} has nothing to show.", "Give it a `page: pages/….md` or a `text: …`."
        )
    if item.page is not None and item.text is not None:
        reading.report(place, f"{item.kind} has both a page and a text.", "Keep one of them.")


def _boxes(reading: Reading, consent: Consent) -> None:
    boxes = reading.place(consent).get("require")
    if boxes is None or not boxes.is_list or reading.broken(boxes.path):
        return
    known = {
        key.removeprefix("consent.")
        for key in built_in(REFERENCE_LANGUAGE)
        if key in ("consent.adult", "consent.agree")
    }
    repeated(
        reading, [(box.id, node) for box, node in zip(consent.require, boxes, strict=True)], "consent box"
    )
    for box, node in zip(consent.require, boxes, strict=True):
        if box.label is None and box.id not in known:
            cure = f"Write {{id: {box.id}, label: …}}, or use a built-in one. {did_you_mean(box.id, known)}"
            reading.report(node, f"the consent box {box.id!r} has no label.", cure)


def _rated(reading: Reading, rate: Rate, watched: set[str], entries: Iterable[Entry]) -> None:
    place = reading.place(rate)
    if rate.of == "all":
        if not watched and not reading.doubtful:
            reading.report(
                place, "there is nothing to rate: no watch trial comes earlier.", "Move it behind one."
            )
        return
    everywhere = {entry.item.id for entry in entries if isinstance(entry.item, Watch)}
    listed = place.get("of")
    for name, node in zip(rate.of, listed or (), strict=False):
        if name in watched or name in reading.doubtful or "*" in reading.doubtful:
            continue
        if name in everywhere:
            reading.report(node, f"the watch trial {name!r} comes later.", "Move the rating behind it.")
        else:
            reading.report(node, *unknown("watch trial", name, everywhere))


def _views(reading: Reading, watch: Watch | Compare | Group) -> None:
    controls = reading.place(watch).get("controls")
    if controls is None or reading.broken(controls.path):
        return
    if watch.controls.max_views is not None and watch.controls.max_views > 1 and not watch.controls.replay:
        place = controls.get("max_views") or controls
        reading.report(
            place, f"{watch.controls.max_views} views are allowed, but no replay.", "Add `replay: true`."
        )


def _inputs(reading: Reading, watch: Watch) -> None:
    """Whoever did too little has to be able to watch again."""
    needed = 0 if watch.annotate is None else watch.annotate.min_inputs
    place = reading.place(watch).get("annotate")
    if needed == 0 or watch.controls.replay or place is None or reading.broken(place.path):
        return
    message = f"min_inputs of {needed}, but who made too few cannot watch again."
    reading.report(place.get("min_inputs") or place, message, "Add `controls: {replay: true}`.")
