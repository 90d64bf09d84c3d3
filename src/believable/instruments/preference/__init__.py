"""Which of two is preferred: the first, the second, both or neither; with small stills of the two
as reminders.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from believable.contracts.instrument import AnswerColumn, Instrument, InvalidAnswer
from believable.contracts.record import Record

SIDES = ("first", "second")
UNDECIDED = ("both", "neither")


class PreferenceParams(Record):
    """The two are those of the page: A and B of a comparison, or the first and the second watched
    one.
    """

    forced: bool = False
    """Only the first and the second can be chosen."""
    stills: bool = True
    """A small picture of each, as a reminder: how it begins, without bubbles, so that it shows
    nothing that is judged.
    """


def options(params: PreferenceParams) -> Sequence[str]:
    return SIDES if params.forced else (*SIDES, *UNDECIDED)


def read(params: PreferenceParams, raw: Any) -> str:
    if not isinstance(raw, str) or raw not in options(params):
        raise InvalidAnswer("error.option")
    return raw


def simulate(params: PreferenceParams, rng: random.Random) -> str:
    return rng.choice(options(params))


PREFERENCE = Instrument(
    name="preference",
    reminds=True,
    version=1,
    about=(
        "Which of two: the first, the second, both or neither, or forced; with small stills as"
        " reminders."
    ),
    params=PreferenceParams,
    records=(
        AnswerColumn(
            "value",
            "string",
            "first (A, or watched first), second, both or neither; the table `shown` says which"
            " stimulus that was",
        ),
    ),
    folder=Path(__file__).parent,
    scale="nominal",
    read=read,
    simulate=simulate,
    examples=(PreferenceParams(), PreferenceParams(forced=True), PreferenceParams(stills=False)),
    options=options,
)
