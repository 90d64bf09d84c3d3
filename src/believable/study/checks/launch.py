"""Valid files that still should not reach participants: no consent, a consent with placeholders,
promises that cannot be kept, hypotheses without a rule for the end of collection.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from believable.contracts.record import Text
from believable.contracts.trial import outline
from believable.core.errors import Problem
from believable.study.definition import Definition
from believable.study.platforms import id_parameter

STUDY_FILE = "study.yaml"
#: Faster than this, short actions cannot be seen.
FASTEST_VIEWING = 50
#: Placeholders of ready pages and drafts, which authors replace.
PLACEHOLDER = re.compile(
    r"write here who you\s+are|schreiben Sie hierher,\s+wer"
    r" Sie\s+sind|\[\[.+?\]\]|\bTODO\b|\bFIXME\b|lorem ipsum",
    re.IGNORECASE | re.DOTALL,
)


def launch_problems(definition: Definition) -> list[Problem]:
    """Warnings before the first participant."""
    return [
        *_consent(definition),
        *_devices(definition),
        *_speeds(definition),
        *_repeats(definition),
        *_stopping(definition),
    ]


def _consent(definition: Definition) -> Iterator[Problem]:
    pages = [
        entry.item
        for entry in outline(definition.study.timeline)
        if entry.item.ending == "declined"
    ]
    if not pages:
        message = "there is no consent page: people take part without having agreed."
        yield _warning(
            STUDY_FILE, 1, "timeline", message, "Begin with `consent: {page: pages/consent.md}`."
        )
    cure = (
        "Write who you are, whom participants can ask, and what your ethics board wants them to"
        " know."
    )
    for page in pages:
        for words, file in _words(
            definition, getattr(page, "page", None), getattr(page, "text", None)
        ):
            unfilled = PLACEHOLDER.search(words)
            if unfilled is not None:
                line = words.count("\n", 0, unfilled.start()) + 1 if file != STUDY_FILE else 1
                place = "" if file != STUDY_FILE else f"{page.id}.text"
                passage = " ".join(unfilled.group().split())
                message = f"the consent text still holds a placeholder: “{passage}”."
                yield _warning(file, line, place, message, cure)


def _devices(definition: Definition) -> Iterator[Problem]:
    """Games are played with a keyboard, which phones and tablets do not have."""
    games = [
        entry.item.id
        for entry in outline(definition.study.timeline)
        if entry.item.plays_round is not None
    ]
    if not games or definition.study.recruit.desktop_only:
        return
    message = (
        f"{games[0]!r} is played with a keyboard, but people on phones and tablets are let in."
    )
    yield _warning(
        STUDY_FILE, 1, "recruit.desktop_only", message, "Add `recruit: {desktop_only: true}`."
    )


def _speeds(definition: Definition) -> Iterator[Problem]:
    for entry in outline(definition.study.timeline):
        controls = entry.item.player.controls
        if (
            controls is None
            or not controls.must_finish
            or controls.fastest_first <= FASTEST_VIEWING
        ):
            continue
        message = (
            f"the first viewing of {entry.item.id!r} may run at {controls.fastest_first:g}×: at"
            f" more than {FASTEST_VIEWING}× an action of 10 s is on screen for less than 200 ms,"
            " the least that counts as viewed."
        )
        cure = f"Add `first_speed_limit: {FASTEST_VIEWING}` to its `controls`."
        yield _warning(STUDY_FILE, 1, f"{entry.item.id}.controls", message, cure)


def _words(
    definition: Definition, page: Text | None, text: Text | None
) -> Iterator[tuple[str, str]]:
    """The text of a page with its file, in each language."""
    for language in definition.study.languages:
        if page is not None:
            path = page.in_language(language)
            yield definition.pages[path], path
        elif text is not None:
            yield text.in_language(language), STUDY_FILE


def _repeats(definition: Definition) -> Iterator[Problem]:
    recruit = definition.study.recruit
    if recruit.repeats != "refuse" or id_parameter(recruit) is not None:
        return
    message = (
        "`repeats: refuse`, but no platform names participants: people are known by the mark that"
        " their browser keeps, and with another browser or device they can take part again."
    )
    cure = "Name the `platform` you recruit through, send personal links, or do not promise it."
    yield _warning(STUDY_FILE, 1, "recruit.repeats", message, cure)


def _stopping(definition: Definition) -> Iterator[Problem]:
    plan = definition.study.analysis
    if plan is None or not plan.hypotheses or plan.stopping is not None:
        return
    message = (
        "hypotheses are declared and no stopping rule: their tests are shown and judged at any"
        " time, and repeated looks find effects that are not there."
    )
    cure = (
        "Add `stopping: {rule: after_exclusions, n: …}`; `believable power` helps to find the"
        " number."
    )
    yield _warning(STUDY_FILE, 1, "analysis.stopping", message, cure)


def _warning(file: str, line: int, path: str, message: str, cure: str) -> Problem:
    return Problem(file=file, line=line, path=path, message=message, cure=cure, severity="warning")
