"""Reading a submitted page: which questions were shown, what was answered, what is missing. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from believable.core.registry import Registry
from believable.instruments.contract import Instrument, InvalidAnswer
from believable.study.plan import PlannedTrial
from believable.study.progress import page_questions, visible_questions
from believable.study.quality import HEARD, WHEEL, parts
from believable.study.records import Consent, Device

_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Reading:
    """`answers` holds every question shown (None: left open); `errors` what keeps the page from closing."""

    answers: Mapping[str, Any]
    errors: Mapping[str, InvalidAnswer]


def read(
    planned: PlannedTrial,
    raw: Mapping[str, Any],
    earlier: Mapping[str, Any],
    arms: Mapping[str, str],
    instruments: Registry[Instrument[Any]],
    opened: Collection[str] = (),
) -> Reading:
    """What a page's `trial.submit` says. Answers to questions that are not shown are not taken; `opened` is what was opened
    beside the page's player.
    """
    if isinstance(planned.trial, Consent):
        return _consent(planned.trial, raw)
    if isinstance(planned.trial, Device):
        return _device(planned.trial, raw)
    given: dict[str, Any] = {}
    wrong: dict[str, InvalidAnswer] = {}
    for question in page_questions(planned.trial):
        value = whole_characters(raw.get(question.id))
        try:
            given[question.id] = (
                None if value is None else instruments[question.kind].read(question.params, value)
            )
        except InvalidAnswer as error:
            wrong[question.id] = error
    answers: dict[str, Any] = {}
    errors: dict[str, InvalidAnswer] = {}
    for question in visible_questions(planned, given, earlier, arms, opened):
        if question.id in wrong:
            errors[question.id] = wrong[question.id]
        elif given[question.id] is None and question.required:
            errors[question.id] = InvalidAnswer("error.required")
        else:
            answers[question.id] = given[question.id]
    return Reading(answers, errors)


def _consent(trial: Consent, raw: Mapping[str, Any]) -> Reading:
    missing = [item.id for item in trial.require if raw.get(item.id) is not True]
    errors = {item: InvalidAnswer("error.consent") for item in missing}
    return Reading({item.id: True for item in trial.require if item.id not in errors}, errors)


def _device(trial: Device, raw: Mapping[str, Any]) -> Reading:
    """A number of tones; whether the wheel was turned (false: there is none)."""
    answers: dict[str, Any] = {}
    errors: dict[str, InvalidAnswer] = {}
    for part in parts(trial):
        value = raw.get(part)
        number = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1000
        if (part == HEARD and number) or (part == WHEEL and isinstance(value, bool)):
            answers[part] = value
        else:
            errors[part] = InvalidAnswer("error.required")
    return Reading(answers, errors)


def whole_characters(value: Any) -> Any:
    """Half an emoji, as a browser can hold one, becomes the replacement character: no file or database takes it."""
    if isinstance(value, str):
        return _HALF_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, list):
        return [whole_characters(one) for one in value]
    if isinstance(value, dict):
        return {whole_characters(name): whole_characters(one) for name, one in value.items()}
    return value
