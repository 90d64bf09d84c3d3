"""Whom a study's verdict can be about, and how wide its interval will be, before any data exist.

Sessions are planned as the server plans them, one after the other. The variance of a mean share
follows from the numbers of judgements by each judge and of each clip:

    Var = σ_J²/J + σ_e²/T + σ_c² Σ(views/T)²

with J judges, T judgements, and a standard deviation of .5 log odds between judges and between
clips (.125 in shares near one half).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from scipy import stats

from believable.contracts.trial import PlannedTrial
from believable.core.errors import InvalidInput
from believable.study.plan import Cell, choose, plan
from believable.study.pool_draw import (
    FRESH_CLIPS,
    Views,
    deal,
    effective_draw,
    level_key,
    needs_draw,
    with_draw,
)
from believable.study.records import Study

#: Judges of a study that does not say how many it wants.
USUAL_JUDGES = 50
#: With fewer clips a verdict about the agent has an interval that is too wide for most questions.
CLIPS_FOR_AGENT = 24
#: The standard deviation between judges, and between clips, in shares near one half: .5 log odds.
SPREAD = 0.5 * 0.25
#: The variance of one judgement that neither judges nor clips explain.
REST = 0.25 - 2 * SPREAD**2
#: More sessions than this say nothing new about a design.
MOST_JUDGES = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignClaim:
    """The evidence that a design can give.

    n_units      pairs of clips that are compared, or clips that are judged one by one
    n_clips      all clips that are shown
    trials       judgements in all
    repeated     the number of the first judge who gets a clip that an earlier one had; None: no one
    shows_all    every session shows every clip of the study
    half_width   of the interval over judges and clips
    these_clips  of the interval over judges only
    """

    judges: int
    n_units: int
    n_clips: int
    trials: int
    repeated: int | None
    shows_all: bool
    half_width: float
    these_clips: float

    @property
    def is_about_agent(self) -> bool:
        return self.n_units >= CLIPS_FOR_AGENT

    @property
    def subject(self) -> str:
        return "the agent" if self.is_about_agent else f"these {self.n_clips} clips"

    def __str__(self) -> str:
        planned = (
            f"{self.judges} judges × {self.trials / self.judges:.3g} judgements of"
            f" {self.n_clips} clips"
        )
        wide = f"half-width to expect ±{self.half_width:.3f} over judges and clips"
        if self.is_about_agent:
            return f"the design supports a claim about the agent: {planned}, {wide}."
        return (
            f"the design supports a claim about {self.subject}: {planned}, half-width to expect"
            f" ±{self.these_clips:.3f} over judges; a claim about the agent would have"
            f" ±{self.half_width:.3f}. More clips help, more judges do not: see `draw: fresh`."
        )


def planned_judges(study: Study) -> int:
    """As the analysis plan or the limit of recruiting says."""
    stopping = None if study.analysis is None else study.analysis.stopping
    stated = None if stopping is None else stopping.n
    return stated or study.recruit.limit or USUAL_JUDGES


def design_claim(study: Study, judges: int | None = None) -> DesignClaim | None:
    """The claim of a study with this number of judges; None if it does not show clips of two
    conditions.
    """
    judges = judges or planned_judges(study)
    tried = min(judges, MOST_JUDGES)
    units: Counter[tuple[str, ...]] = Counter()
    clips: Counter[str] = Counter()
    repeated = None
    shown_each = 0
    for number, pages in enumerate(_sessions(study, tried), start=1):
        shown = {clip for page in pages for clip in page.played_stimuli}
        if repeated is None and any(clip in clips for clip in shown):
            repeated = number
        clips.update(shown)
        shown_each = len(shown)
        units.update(unit for page in pages for unit in _units(page))
    if not units or len({_condition(study).get(clip) for clip in clips}) < 2:
        return None
    trials = units.total() * judges // tried
    shares = sum((count / units.total()) ** 2 for count in units.values())
    return DesignClaim(
        judges=judges,
        n_units=len(units),
        n_clips=len(clips),
        trials=trials,
        repeated=repeated,
        shows_all=shown_each == len(study.stimuli),
        half_width=half_width(judges, trials, 1 / shares),
        these_clips=half_width(judges, trials, None),
    )


def _sessions(study: Study, judges: int) -> Iterator[tuple[PlannedTrial, ...]]:
    """The plans of the first sessions, if all are completed."""
    filled: Counter[Cell] = Counter()
    stimuli: Counter[str] = Counter()
    levels: Counter[str] = Counter()
    for number in range(1, judges + 1):
        assignment = choose(study, filled, number)
        filled[Cell.of(assignment.arms, assignment.rows)] += 1
        if needs_draw(study):
            drawn = deal(study, assignment, Views(stimuli, levels))
            for entry in drawn:
                if entry.kind == "stimulus":
                    stimuli[entry.name] += 1
                else:
                    block = entry.place.removeprefix("levels:").rpartition(".")[0]
                    levels[level_key(block, entry.name)] += 1
            assignment = with_draw(assignment, drawn)
        yield plan(study, assignment)


def _units(page: PlannedTrial) -> Iterator[tuple[str, ...]]:
    """The clips that one answer of a page is about: all that are compared, or each."""
    if page.trial.player.labels:
        yield tuple(sorted(page.played_stimuli))
    else:
        yield from ((clip,) for clip in page.played_stimuli)


def _condition(study: Study) -> dict[str, str | None]:
    return {stimulus.id: stimulus.condition for stimulus in study.stimuli}


def half_width(judges: int, trials: int, clips: float | None, *, level: float = 0.95) -> float:
    """Half the width of the interval of a mean share near one half; without `clips` over judges
    only. Satterthwaite's degrees of freedom. `clips` may be an effective number: 1/Σ(share²).

    >>> round(half_width(50, 300, 300), 3), round(half_width(50, 300, 6), 3)
    (0.065, 0.135)
    """
    if judges < 2 or trials < judges or (clips is not None and clips <= 1):
        return 0.5
    parts = [(SPREAD**2 / judges + REST / trials, judges - 1.0)]
    if clips is not None:
        parts.append((SPREAD**2 / clips, clips - 1.0))
    variance = sum(part for part, _ in parts)
    df = variance**2 / sum(part**2 / own for part, own in parts)
    quantile = float(stats.t.ppf((1 + level) / 2, df))
    return min(0.5, quantile * float(variance**0.5))


def claim_notes(study: Study) -> Iterator[tuple[str, str, str]]:
    """Severity, message and cure of everything to say about the claim of a design."""
    try:
        claim = design_claim(study)
    except InvalidInput:
        return  # no session can be planned, which is reported elsewhere
    if claim is None:
        if study.draw != "shared":
            yield (
                "warning",
                f"`draw: {study.draw}` has no effect: no page shows clips of two conditions.",
                "Remove the line. Rounds that participants play and fixed tests draw no clips.",
            )
        return
    if study.draw != "shared" and claim.shows_all:
        yield (
            "warning",
            f"`draw: {study.draw}` has no effect: every session shows all {claim.n_clips} clips.",
            "Add `sample: 6` to the block that runs over scenarios or stimuli.",
        )
    if study.draw != effective_draw(study) and not claim.shows_all:
        yield (
            "warning",
            f"a condition has fewer than {FRESH_CLIPS} clips: analyses treat the design as `draw:"
            " pool`.",
            "Record more clips, or write `draw: pool`.",
        )
    if study.draw == "fresh" and not claim.shows_all and claim.repeated is not None:
        yield (
            "warning",
            f"the pool lasts for {claim.repeated - 1} judges, {claim.judges} are planned: later"
            " judges get clips that others saw, with views balanced.",
            "Record more clips, or write `draw: pool`.",
        )
    yield "note", str(claim), ""
