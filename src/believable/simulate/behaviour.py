"""The contract of a behaviour: planted parameters, a mind for one person at a browser, and a way to
fill many sessions at once.

Both ways follow the same parameters: a mind answers page by page through the real routes, `fill`
writes columns straight away.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from believable.analysis.protocol import AnalysedProtocol
from believable.coding.phrases import simulated_answer
from believable.contracts.instrument import Act
from believable.contracts.protocol import Declaration
from believable.contracts.trial import PlannedTrial, Question, TrialBase, outline
from believable.simulate.demonstration import StimulusMaker
from believable.simulate.simulated_sessions import Sessions
from believable.study.records import Stimulus, Study


@dataclass(frozen=True, slots=True)
class SeenAction:
    """An action of the log, under the id that the browser knows. `violations`: the rules it broke
    according to a checker, `category/rule`; empty: none.
    """

    id: str
    t0_ms: int
    t1_ms: int
    violations: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenStimulus:
    """A stimulus that a simulated participant watched. `stimulus` is None for a round that the
    participant played.

    opened            the overlays that were opened (plan, log)
    rate              how fast it was played
    round_condition   the condition of the participant's own round
    trial             the trial of the study on whose page it was shown
    jump              the stretch that was jumped over, from and to in media time
    """

    stimulus: Stimulus | None
    length_ms: int
    log: tuple[SeenAction, ...] = ()
    opened: frozenset[str] = frozenset()
    round_condition: str | None = None
    trial: str | None = None
    rate: float = 1.0
    jump: tuple[int, int] | None = None

    @property
    def condition(self) -> str | None:
        return self.round_condition if self.stimulus is None else self.stimulus.condition


#: Chance of opening a part of the overlay before playing.
OPENS_CHANCE = 0.6
#: A mind's answer to an optional question that stays open.
LEFT_OPEN: Final = object()


class Mind(Protocol):
    """One simulated person's view of a protocol's stimuli. None means: the instrument's default
    simulation.
    """

    @property
    def opens(self) -> float:
        """Chance that a part of the overlay is opened before playing."""
        return OPENS_CHANCE

    def jump(self, seen: SeenStimulus) -> tuple[int, int] | None:
        """The stretch that is jumped over, from and to in media time. Asked only if the page lets
        people jump.
        """
        return None

    def acts(self, kind: str, seen: SeenStimulus) -> Sequence[Act] | None:
        """The actions while watching, for an annotating instrument."""
        return None

    def follow(self, signal: Mapping[str, Any]) -> Sequence[Act] | None:
        """The actions in a quality test."""
        return None

    def answer(
        self, question: str, page: Sequence[SeenStimulus], earlier: Sequence[SeenStimulus]
    ) -> Any:
        """The answer to a question of a page on which `page` was shown, after `earlier`;
        `LEFT_OPEN`: no answer.
        """
        return None

    def join_arms(self, arms: Mapping[str, str]) -> None:
        """The session has begun, in these arms."""

    def open_page(self, trial: str, condition: str | None) -> None:
        """A page of this trial of the study is open, in this condition."""


def nothing_known(truth: Any, sessions: Sessions) -> Mapping[str, float]:
    """Nothing follows in closed form."""
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """How simulated people behave in studies of one protocol.

    truth    the record of planted parameters; its defaults are a plausible study
    nothing  the same without any effect
    mind     one person, from the truth, the study and a separate random generator; `careless`
             people answer at random
    fill     many sessions at once
    values   the expected estimates of the main outcomes under this truth, as far as they are known
             in closed form
    demonstration  the truth for the stimuli that `believable new` makes; the defaults without it
    """

    truth: type[Any]
    nothing: Callable[[], Any]
    mind: Callable[[Any, Study, random.Random, bool], Mind]
    fill: Callable[[Any, Sessions], None]
    values: Callable[[Any, Sessions], Mapping[str, float]] = nothing_known
    demonstration: Any = None

    def truth_for(self, study: Study) -> Any:
        """The planted truth by default."""
        return (
            self.truth()
            if self.demonstration is None or not study.demonstration
            else self.demonstration
        )


class SimulatedProtocol(AnalysedProtocol, Protocol):
    """What simulations need to know of a protocol; see `believable.contracts.protocol`."""

    @property
    def declaration(self) -> Declaration: ...
    @property
    def people(self) -> Behaviour: ...
    @property
    def stimuli(self) -> StimulusMaker | None: ...
    def __hash__(self) -> int: ...


def expit(x: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-np.asarray(x, np.float64)))


# ------------------------------------------------------------------------------------------ what
# all of them do

#: Chance of a wrong answer at one attempt: for careless people, and for others.
CARELESS_WRONG, CAREFUL_WRONG = 1.0, 0.004


def take_checks(sessions: Sessions) -> None:
    """Answers to all checks of the study. Where one ends the session, those who fail it stop there.

    Careful people find the right answer, careless ones never do: those who remain are careful, and
    their true values are known.
    """
    for entry in outline(sessions.pool.study.timeline):
        asked = {question.id: question for question in entry.item.all_questions}
        for name, right in entry.item.quiz.right_answers.items():
            _take(entry.item, name, asked.get(name), right, sessions)


def _take(
    check: TrialBase, name: str, question: Question | None, correct: Any, sessions: Sessions
) -> None:
    """`question` is None, and `correct` all answers that can be right, if the watched stimulus
    decides the question.
    """
    rng, positions = sessions.rng, sessions.pool.positions(check.id)[sessions.plan]
    chance = np.where(sessions.careless, CARELESS_WRONG, CAREFUL_WRONG) ** check.quiz.tries
    wrong = rng.random(positions.shape) < chance[:, None]
    if check.ending is not None and positions.shape[1] == 1:
        sessions.fail(wrong[:, 0], check.id)
    person = np.repeat(sessions.people, positions.shape[1])
    right = ~wrong.ravel()
    if question is None:
        of_plan = [
            _texts(sessions.pool.plans[plan], row)
            for plan, row in zip(sessions.plan, positions, strict=True)
        ]
        rights, others = np.array(of_plan, dtype=object).reshape(-1, 2).T
        text = np.where(right, rights, others).astype(object)
        kind = sessions.pool.plans[0][int(positions[0, 0])].trial.all_questions[0].kind
        sessions.answer(person, positions.ravel(), name, kind, text=text, correct=right)
        return
    other = _wrong_answer(question, correct)
    if isinstance(correct, str):
        text = np.where(right, correct, other).astype(object)
        sessions.answer(
            person, positions.ravel(), question.id, question.kind, text=text, correct=right
        )
    elif isinstance(correct, int | float):
        number = np.where(right, correct, other).astype(np.float64)
        sessions.answer(
            person, positions.ravel(), question.id, question.kind, number=number, correct=right
        )


def _texts(plan: Sequence[PlannedTrial], positions: Iterable[int]) -> list[tuple[str, str]]:
    """The right answer and a wrong one at each of these pages, if they depend on the watched
    stimulus.
    """
    pages = [plan[position].trial for position in positions]
    asked = [(page.all_questions[0], page) for page in pages]
    return [
        (right, str(_wrong_answer(question, right)))
        for question, page in asked
        for right in (page.quiz.right_answers[question.id],)
    ]


def _wrong_answer(question: Question, correct: Any) -> Any:
    options = getattr(question.params, "options", ())
    values = [option.value for option in options if option.value != correct]
    if values:
        return values[0]
    return "?" if isinstance(correct, str) else float(correct) + 1


#: Reasons in words are drawn from a stock that is written once: writing thousands separately would
#: take most of the time.
STOCK = 600
#: Texts of careless people.
POOR = ("good", "nice video", "yes yes yes", "asdf asdf asdf", "the study is about videos")


@lru_cache(maxsize=4)
def stock(codebook: str) -> NDArray[np.object_]:
    rng = random.Random(f"reasons {codebook}")
    return np.array([simulated_answer(codebook, rng) for _ in range(STOCK)], dtype=object)


def reasons(codebook: str, count: int, rng: np.random.Generator) -> NDArray[np.object_]:
    """`count` reasons with the planted shares of codes."""
    texts = stock(codebook)
    return texts[rng.integers(len(texts), size=count)]


def poor(count: int, rng: np.random.Generator) -> NDArray[np.object_]:
    return np.array(POOR, dtype=object)[rng.integers(len(POOR), size=count)]
