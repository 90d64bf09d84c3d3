"""A quality test of the annotator, scored by the server."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import Field

from believable.contracts.controls import Controls
from believable.contracts.page import (
    Message,
    PageJudging,
    PageKind,
    PageLooks,
    ShownPage,
    SimulatedPerson,
    SimulatedVisit,
    StudyChecks,
)
from believable.contracts.page_parts import PagePlayer
from believable.contracts.record import Text, holds
from believable.contracts.submission import Judgement, OpenPage, PageEvent
from believable.contracts.trial import Annotation, Entry, Outcome, PageAnswer, WordedPage
from believable.core.errors import InvalidInput
from believable.pages.practice import Practice, practice_before
from believable.players import SIGNAL
from believable.stimuli.signal import Signal, draw, through
from believable.study.reading import Reading
from believable.traces.resample import resample
from believable.traces.trace_agreement import sda

#: Names of the answers.
SDA, MEAN_SDA, RELIABLE = "sda", "mean_sda", "reliable"
STEP_MS = 250
#: RankTrace begins here.
START = 0.0


class Qa(WordedPage):
    """A quality test of the annotator: a known signal, followed with RankTrace and scored by the
    server (SDA, −1 to 1).

    The score is an answer of the trial (`sda`). The gate is applied at the last quality test of a
    session, to the mean of all of its scores (`mean_sda`; `reliable` if it is not below
    `threshold`), with the `gate` and the `threshold` of that last test.
    """

    hidden_keys = frozenset({"kind", "annotate"})
    annotates_with = "ranktrace"

    kind: Literal["qa"] = "qa"
    text: Text | None = None
    """Markdown above the test, in place of the built-in words."""
    test: Literal["visual", "auditory"]
    """A green surface that gets brighter and darker, or a tone that gets higher and lower."""
    signal_seed: int = 1
    """The signal follows from it, as in `believable stimuli qa`."""
    duration_s: int = Field(default=60, ge=10, le=600)
    """How long it takes, in seconds."""
    corners: tuple[tuple[float, float], ...] | None = None
    """A custom signal instead of the drawn one: `[[0, 0.5], [2.5, 0.5], [6, 1], …]`, seconds from 0
    and levels from 0 to 1, with straight lines between them; it sets the duration.
    """
    gate: Literal["screen_out", "warn", "record"] = "record"
    """A participant below the threshold is screened out, is informed and continues, or just
    continues."""
    threshold: float = Field(default=0.0, ge=-1, le=1)
    """The mean score that is still good enough."""
    practice: bool = True
    """Whether a short practice precedes it, unless RankTrace was practised already."""
    annotate: Annotation

    @property
    def player(self) -> PagePlayer:
        """Plays once, without a stop."""
        controls = Controls(pause=False, volume=False)
        return PagePlayer(controls=controls, medium_ms=self.signal.duration_ms)

    @property
    def annotation(self) -> Annotation:
        return self.annotate

    @property
    def practice_page(self) -> Practice | None:
        return practice_before(self.annotate, self.practice)

    @property
    def page_answers(self) -> tuple[PageAnswer, ...]:
        reliable = f"whether that mean is at least {self.threshold:g}"
        return (
            PageAnswer(
                name=SDA,
                about="signed differential agreement of the trace with the known signal, -1 to 1",
                type="number",
            ),
            PageAnswer(
                name=MEAN_SDA,
                about="at the last quality test of the session: mean of all its scores",
                type="number",
            ),
            PageAnswer(name=RELIABLE, about=reliable, type="string", values="true | false"),
        )

    @property
    def ending(self) -> Outcome:
        return "screened_out"

    @property
    def signal(self) -> Signal:
        return (
            draw(self.signal_seed, self.duration_s)
            if self.corners is None
            else through(self.corners)
        )


def _check(reading: Reading, entry: Entry, entries: Sequence[Entry]) -> None:
    """A custom signal can be shown."""
    test, place = entry.item, reading.place(entry.item)
    assert isinstance(test, Qa)
    if test.corners is None or reading.is_broken(place.path):
        return
    try:
        through(test.corners)
    except InvalidInput as error:
        reading.report(
            place.get("corners") or place, str(error), "Write `[[0, 0.5], [2.5, 0.5], [6, 1], …]`."
        )


def score(test: Qa, events: Iterable[PageEvent]) -> float:
    """SDA of the trace with the truth. The trace: means of bins of 250 ms, held between events, 0
    before the first sample; the truth: its value at the beginning of each bin. A trace that never
    moved is scored like any other.
    """
    signal = test.signal
    samples = [
        (media_ms, value)
        for event in events
        if event.kind == "trace.sample"
        and (media_ms := _finite(event.data.get("media_ms"))) is not None
        and (value := _finite(event.data.get("value"))) is not None
        and 0 <= media_ms < signal.duration_ms
    ]
    truth = signal.levels(np.arange(0, signal.duration_ms, STEP_MS, dtype=np.float64))
    if not samples:
        return sda(np.full(len(truth), START), truth)
    times_ms, values = zip(*samples, strict=True)
    trace = resample(
        times_ms, values, step_ms=STEP_MS, duration_ms=signal.duration_ms, fill="hold", start=START
    )
    return sda(trace, truth)


def _finite(value: Any) -> float | None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if number and math.isfinite(value) else None


def gate_answers(test: Qa, page: OpenPage, agreement: float) -> dict[str, Any]:
    """The answers of a quality test: its score and, at the last one, the mean of all and whether it
    is enough.
    """
    to_come = (
        planned
        for planned in page.plan[page.planned_trial.position + 1 :]
        if isinstance(planned.trial, Qa)
        and not any(holds(rule, page.earlier, page.arms) for rule in planned.skip_if)
    )
    if any(to_come):
        return {SDA: agreement}
    scores = [
        closed.answers[SDA]
        for closed in page.closed_pages
        if isinstance(page.plan[closed.position].trial, Qa) and SDA in closed.answers
    ]
    mean = (sum(scores) + agreement) / (len(scores) + 1)
    return {SDA: agreement, MEAN_SDA: mean, RELIABLE: mean >= test.threshold}


def _judge(test: Qa, answers: Mapping[str, Any], page: OpenPage) -> Judgement:
    """A quality test closes with its score; the gate may end the session."""
    scored = gate_answers(test, page, score(test, page.annotations))
    stopped = test.gate == "screen_out" and scored.get(RELIABLE) is False
    return Judgement("failed" if stopped else "done", scored)


def _check_all(reading: Reading, entries: Sequence[Entry]) -> None:
    """Gates that can never act are named."""
    tests = [
        entry.item
        for entry in entries
        if isinstance(entry.item, Qa) and not reading.is_broken(reading.place(entry.item).path)
    ]
    for test in tests[:-1]:
        idle = test.gate != "record" and tests[-1].gate == "record" and test.skip_if is None
        if idle and tests[-1].skip_if is None:
            node = reading.place(test).get("gate") or reading.place(test)
            message = f"gate {test.gate} never acts: the gate of the last quality test is record."
            reading.report(node, message, "Write it at the last quality test.", severity="warning")


def _notice(test: Qa, answers: Mapping[str, Any]) -> str | None:
    return "qa.warning" if test.gate == "warn" and answers.get(RELIABLE) is False else None


def _message(test: Qa, page: ShownPage) -> dict[str, Any]:
    """The corners of the shown signal."""
    signal = test.signal
    corners = [
        [0, signal.pieces[0].start_level],
        *([piece.end_ms, piece.end_level] for piece in signal.pieces),
    ]
    return {"signal": {"test": test.test, "duration_ms": signal.duration_ms, "corners": corners}}


async def _go_through(person: SimulatedPerson, message: Message) -> None:
    await person.follow_signal(message)


QA = PageKind(
    name="qa",
    record=Qa,
    folder=Path(__file__).parent,
    checks=StudyChecks(entry=_check, timeline=_check_all),
    judging=PageJudging(judge=_judge),
    looks=PageLooks(
        title=lambda test: "qa.title",
        words=lambda test: f"qa.text.{test.test}",
        notice=_notice,
        message=_message,
        styles=lambda test: (f"/static/players/{SIGNAL.name}/{SIGNAL.style}",),
        modules=lambda test: {SIGNAL.name: f"/static/players/{SIGNAL.name}/{SIGNAL.module}"},
        script="/static/pages/watch/page.js",
        script_texts=("qa.high", "qa.low"),
    ),
    visit=SimulatedVisit(go_through=_go_through),
    typical_ms=6_000,
)
