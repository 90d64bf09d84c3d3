"""Getting to know an annotating instrument before its first use."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from believable.instruments.contract import InvalidAnswer
from believable.pages.contract import PRACTICE_TRIES, Message, PageKind, SimulatedPerson
from believable.pages.submission import OpenPage
from believable.study.records import Annotation, TrialBase

RESULT = "practice.result"
#: How long a simulated person takes for one try, and what the disc does in it (see instruments/tracing/disc.js).
TRY_MS = 19_500
DIRECTIONS = (1, -1, 1, -1)


class Practice(TrialBase):
    """Getting to know an annotating kind on a neutral picture. Never in the file: the plan puts it before the first use."""

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
    results = [event.data for event in page.annotated]
    enough = len(results) >= PRACTICE_TRIES or any(result.get("passed") is True for result in results)
    return None if enough else InvalidAnswer("error.practice")


async def _go_through(person: SimulatedPerson, message: Message) -> None:
    """Try until it goes well, or often enough."""
    for number in range(1, message["annotate"]["tries"] + 1):
        person.note("practice.start", **{"try": number})
        await person.sleep(TRY_MS)
        slip = None if person.rng.random() < person.care else person.rng.randrange(len(DIRECTIONS))
        moves = [
            {
                "direction": direction,
                "change": 0 if index == slip else direction * person.rng.randint(1, 6),
                "right": index != slip,
            }
            for index, direction in enumerate(DIRECTIONS)
        ]
        person.note(RESULT, **{"try": number, "passed": slip is None, "moves": moves})
        await person.send()
        if slip is None:
            return


PRACTICE = PageKind(
    name="practice",
    record=Practice,
    folder=Path(__file__).parent,
    missing=_missing,
    streams=(RESULT,),
    title=lambda practice: "practice.title",
    words=lambda practice: f"practice.text.{practice.annotate.kind}",
    script_texts=("practice.",),
    go_through=_go_through,
    typical_ms=27_000,
)
