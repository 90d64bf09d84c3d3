"""Getting to know an annotating instrument before its first use."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from believable.contracts.instrument import InvalidAnswer, Rehearsal
from believable.contracts.page import (
    PRACTICE_TRIES,
    Message,
    PageJudging,
    PageKind,
    PageLooks,
    SimulatedPerson,
    SimulatedVisit,
)
from believable.contracts.registries import INSTRUMENTS
from believable.contracts.submission import OpenPage
from believable.contracts.trial import Annotation, TrialBase

RESULT = "practice.result"
#: One try at the practice of an instrument that does not simulate it.
UNKNOWN_TRY_MS = 10_000


class Practice(TrialBase):
    """Getting to know an annotating kind on a neutral picture. Never in the file: the plan puts it
    before the first use.
    """

    in_file = False

    kind: Literal["practice"] = "practice"
    annotate: Annotation

    @property
    def annotation(self) -> Annotation:
        return self.annotate

    @property
    def practises(self) -> str:
        return self.annotate.kind


def practice_before(annotation: Annotation | None, wanted: bool) -> Practice | None:
    """The practice that belongs before a page with this annotation."""
    if annotation is None or not wanted:
        return None
    return Practice(id=f"practice_{annotation.kind}", annotate=annotation)


def _missing(practice: Practice, page: OpenPage) -> InvalidAnswer | None:
    results = [event.data for event in page.annotations]
    enough = len(results) >= PRACTICE_TRIES or any(
        result.get("passed") is True for result in results
    )
    return None if enough else InvalidAnswer("error.practice")


async def _go_through(person: SimulatedPerson, message: Message) -> None:
    """Try until it goes well, or often enough."""
    for number in range(1, message["annotate"]["tries"] + 1):
        person.note("practice.start", **{"try": number})
        rehearsal = _rehearse(person, message, number)
        await person.sleep(rehearsal.took_ms)
        for kind, data in rehearsal.events:
            person.note(kind, **data)
        moves = [dict(move) for move in rehearsal.moves]
        person.note(RESULT, **{"try": number, "passed": rehearsal.passed, "moves": moves})
        await person.send()
        if rehearsal.passed:
            return


def _rehearse(person: SimulatedPerson, message: Message, number: int) -> Rehearsal:
    annotate = message["annotate"]
    instrument = INSTRUMENTS[annotate["kind"]]
    if instrument.rehearse is None:
        return Rehearsal(took_ms=UNKNOWN_TRY_MS, events=(), passed=True)
    return instrument.rehearse(
        instrument.params.model_validate(annotate["params"]), person.rng, person.care, number
    )


PRACTICE = PageKind(
    name="practice",
    record=Practice,
    folder=Path(__file__).parent,
    judging=PageJudging(missing=_missing, streams=(RESULT,)),
    looks=PageLooks(
        title=lambda practice: "practice.title",
        words=lambda practice: f"practice.text.{practice.annotate.kind}",
        script_texts=("practice.",),
    ),
    visit=SimulatedVisit(go_through=_go_through),
    typical_ms=27_000,
)
