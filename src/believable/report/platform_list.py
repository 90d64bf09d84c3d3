"""The list of people that a recruiting platform exports: who took part, and when."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from believable.collect.match import PlatformFile, Submission
from believable.core.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class PlatformPerson:
    """A line of the platform's list. `started_ms` is a clock, `length_ms` how long the submission
    took; None: it does not say.
    """

    participant: str
    started_ms: float | None
    length_ms: float | None


_STARTED = (
    "startedat",
    "starttime",
    "started",
    "start",
    "startedatutc",
    "accepttime",
    "datestarted",
)
_ENDED = (
    "completedat",
    "submittime",
    "completed",
    "finishedat",
    "endtime",
    "end",
    "completiontime",
    "datecompleted",
)
_TAKEN = (
    "timetaken",
    "worktimeinseconds",
    "duration",
    "durationseconds",
    "timetakenseconds",
    "timespent",
)
_FORMS = ("%a %b %d %H:%M:%S %Y", "%d/%m/%Y %H:%M:%S", "%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M:%S")


def platform_people(file: PlatformFile, source: Path) -> tuple[PlatformPerson, ...]:
    """The people of a platform's export with its times."""
    folded = {re.sub(r"[^a-z0-9]", "", name.casefold()): name for name in reversed(file.header)}

    def cell(submission: Submission, names: Iterable[str]) -> str:
        return next(
            (submission.cells[folded[name]].strip() for name in names if name in folded), ""
        )

    people = []
    for submission in file.submissions:
        place = f"{source}:{submission.line}"
        started, ended = (_clock_ms(cell(submission, names), place) for names in (_STARTED, _ENDED))
        taken = _seconds(cell(submission, _TAKEN), place)
        length = (
            taken * 1000
            if taken is not None
            else None
            if started is None or ended is None
            else ended - started
        )
        people.append(PlatformPerson(submission.participant, started, length))
    if all(person.started_ms is None and person.length_ms is None for person in people):
        raise InvalidInput(
            f"{source}:1: no column says when people started or how long they took; there are"
            f" {', '.join(file.header)[:200]}. Export the platform's list with its start times,"
            " such as Prolific's `Started at` and `Time taken`."
        )
    return tuple(people)


def sessions_of_list(file: PlatformFile, source: Path) -> dict[str, str]:
    """The session of each participant, as a column `session` of the list says it."""
    column = next((name for name in file.header if name.casefold() == "session"), None)
    if column is None:
        raise InvalidInput(
            f"{source}:1: a dataset without its study cannot check the attack: it does not know"
            " which session is whose. Publish the study's folder, or add a column `session`; there"
            f" are {', '.join(file.header)[:200]}."
        )
    return {
        submission.participant: submission.cells[column].strip() for submission in file.submissions
    }


def _clock_ms(text: str, place: str) -> float | None:
    if not text:
        return None
    for read_text in (datetime.datetime.fromisoformat, *(_reader(form) for form in _FORMS)):
        try:
            moment = read_text(text)
        except ValueError:
            continue
        aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=datetime.UTC)
        return aware.timestamp() * 1000
    raise InvalidInput(
        f"{place}: expected a date and time such as 2026-05-04T13:20:00Z, got {text[:40]!r}."
    )


def _reader(form: str) -> Callable[[str], datetime.datetime]:
    def read_text(text: str) -> datetime.datetime:
        # MTurk names a time zone that no library knows everywhere; within one list it is always the
        # same.
        return datetime.datetime.strptime(re.sub(r" [A-Z]{3,4} ", " ", text), form).replace(
            tzinfo=datetime.UTC
        )

    return read_text


def _seconds(text: str, place: str) -> float | None:
    if not text:
        return None
    try:
        parts = [float(part) for part in text.split(":")]
    except ValueError:
        raise InvalidInput(
            f"{place}: expected a time taken in seconds or as h:mm:ss, got {text[:40]!r}."
        ) from None
    return sum(part * 60.0**power for power, part in enumerate(reversed(parts)))
