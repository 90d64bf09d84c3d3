"""Recruiting and the end: ids, codes, redirects, limits and dates; and the arms that people are spread over."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from believable.study.assign import cell_count
from believable.study.checks.timeline import repeated
from believable.study.nodes import Node
from believable.study.outline import outline
from believable.study.platforms import PLATFORMS, parameters
from believable.study.progress import questions_of
from believable.study.read import Reading
from believable.study.records import Finish, Redirects
from believable.study.wording import shown, unknown

#: Past this, finding the least filled cell would be slow and no study could fill them.
MAX_CELLS = 20_000


def check_recruiting(reading: Reading, *, now_ms: int) -> None:
    _platform(reading)
    _closing(reading, now_ms)
    for entry in outline(reading.study.timeline):
        if isinstance(entry.item, Finish):
            _codes(reading, entry.item)
            _redirect(reading, entry.item)


def check_arms(reading: Reading) -> None:
    place = reading.root.get("arms")
    if place is not None and not reading.broken("arms"):
        tested = _tested_arms(reading)
        misnamed = bool(tested - set(reading.study.arms) - {None})
        for name, levels in reading.study.arms.items():
            node = place.value[name]
            repeated(reading, [(one.value, one) for one in node], "level")
            if not levels:
                reading.report(node, f"the arm {name!r} has no levels.", "List two or more.")
            elif len(levels) == 1:
                message = f"the arm {name!r} has one level, so everybody is in it."
                reading.report(node, message, "Add another level, or remove the arm.", severity="warning")
            elif name not in tested and not misnamed and not reading.doubtful:
                message = f"people are spread over {name!r}, but no rule looks at it."
                cure = f"Use it: `skip_if: {{arm: {name}, is: {levels[0]}}}`."
                reading.report(node, message, cure, severity="warning")
    if not any(problem.severity == "error" for problem in reading.problems):
        _cells(reading)


def _tested_arms(reading: Reading) -> set[str | None]:
    entries = list(outline(reading.study.timeline))
    rules = [entry.item.skip_if for entry in entries]
    rules += [question.show_if for entry in entries for question in questions_of(entry.item)]
    return {rule.arm for rule in rules if rule is not None}


def _cells(reading: Reading) -> None:
    study = reading.study
    count = cell_count(study)
    place = reading.root.get("arms") or reading.root.get("timeline") or reading.root
    if count > MAX_CELLS:
        message = f"arms and Latin squares make {count:,} combinations, the limit is {MAX_CELLS:,}."
        reading.report(place, message, "Use `order: random` for some blocks.")
    elif study.recruit.limit is not None and study.recruit.limit < count:
        recruit = reading.root.get("recruit") or reading.root
        message = (
            f"{study.recruit.limit} participants cannot fill the {count} combinations of arms and orders."
        )
        reading.report(
            recruit.get("limit") or recruit, message, f"Recruit at least {count}.", severity="warning"
        )


def _platform(reading: Reading) -> None:
    place = reading.root.get("recruit")
    recruit = reading.study.recruit
    if place is None or reading.broken("recruit"):
        return
    if recruit.platform == "custom" and recruit.id_parameter is None:
        reading.report(place, "a custom platform without an id parameter.", "Add `id_parameter: NAME`.")
    if recruit.platform != "custom" and recruit.id_parameter is not None:
        node = place.get("id_parameter") or place
        cure = "Set `platform: custom`, or remove it."
        reading.report(node, f"id_parameter is for custom platforms, not for {recruit.platform!r}.", cure)


def _closing(reading: Reading, now_ms: int) -> None:
    place = reading.root.get("recruit")
    closes = reading.study.recruit.closes
    if place is None or closes is None:
        return
    if closes.timestamp() * 1000 <= now_ms:
        node = place.get("closes") or place
        cure = "Choose a later one before recruiting."
        reading.report(
            node, f"the closing date {closes:%Y-%m-%d %H:%M} UTC has passed.", cure, severity="warning"
        )


def _codes(reading: Reading, finish: Finish) -> None:
    place = reading.place(finish).get("codes")
    if place is None or reading.broken(place.path):
        return
    given = [(node.value, node) for node in place.value.values() if node.value != "auto"]
    repeated(reading, given, "code")
    for value, node in given:
        if not value.strip():
            reading.report(node, "the code is empty.", "Write a code, or `auto`.")


def _redirect(reading: Reading, finish: Finish) -> None:
    place = reading.place(finish).get("redirect")
    if place is None or reading.broken(place.path) or reading.broken("recruit"):
        return
    if isinstance(finish.redirect, Redirects):
        for node in place.value.values():
            if node.value is not None:
                _address(reading, node)
        return
    platform = reading.study.recruit.platform
    if finish.redirect == "none":
        return
    if finish.redirect != platform:
        message = f"people are sent back to {finish.redirect!r}, but come from {platform!r}, without its id parameters."
        reading.report(
            place, message, f"Set `recruit: {{platform: {finish.redirect}}}`, or change the redirect."
        )
    elif not PLATFORMS[platform].sends_back:
        cure = "Write {complete: 'https://YOUR-SITE…&survey_code={survey_code}'}."
        reading.report(place, f"{platform!r} has an address of its own for each institution.", cure)


def _address(reading: Reading, node: Node) -> None:
    address = str(node.value)
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        reading.report(
            node,
            f"expected an address that starts with https://, got {shown(address)}.",
            "Give a full address.",
        )
        return
    known = ("code", *parameters(reading.study.recruit))
    for name in re.findall(r"\{([^{}]*)\}", address):
        if name not in known:
            reading.report(node, *unknown("parameter", name, known))
