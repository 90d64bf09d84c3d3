"""Whom a verdict is about: an agent, of which the clips are a sample, or only the clips that were
shown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import overload

from believable.analysis.findings import Section
from believable.analysis.numbers import integer, listed, share
from believable.analysis.settled_plan import Plan
from believable.stats.crossed import LEAST_UNITS, Over, VarianceSplit
from believable.stats.estimate import Estimate
from believable.stats.result import TestResult, no_result

_NUMBERS = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)


def number_word(count: int) -> str:
    """
    >>> number_word(6), number_word(24)
    ('six', '24')
    """
    return _NUMBERS[count] if 0 <= count < len(_NUMBERS) else integer(count)


def name_clips(count: int, unit: str = "clip") -> str:
    """
    >>> name_clips(6), name_clips(1), name_clips(3, "character")
    ('these six clips', 'this one clip', 'these three characters')
    """
    return f"this one {unit}" if count == 1 else f"these {number_word(count)} {unit}s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The claims that a verdict may make.

    over      whose choice the decisive interval allows for
    n_clips   how many clips, or other sampled stimuli, were judged
    unit      one of them, as one says it
    subject   whom a claim beyond these clips is about
    least     how many the part with the fewest has, such as a condition; None: all of them
    people    those who judge, as one says it
    """

    over: Over
    n_clips: int
    unit: str = "clip"
    subject: str = "the agent"
    least: int | None = None
    people: str = "judges"

    @property
    def scope(self) -> str:
        """`these six clips`; empty for a claim about the agent."""
        return "" if self.over == "both" else name_clips(self.n_clips, self.unit)

    @property
    def sampled_units(self) -> str:
        """The sampled units, in everyday words: `judges and clips`."""
        return (
            f"{self.people} and {self.unit}s"
            if self.over == "both"
            else f"{self.people}, {self.scope}"
        )

    def limit(self, sentence: str) -> str:
        """The sentence, which names these clips if it is about them only."""
        return f"For {self.scope}: {sentence}" if self.scope else sentence

    @property
    def refusal(self) -> str:
        """Why there is no claim beyond these clips, and which one is possible; empty if there are
        enough of them.
        """
        fewest = self.n_clips if self.least is None else self.least
        if self.over == "judges" or fewest >= LEAST_UNITS:
            return ""
        return (
            f"too few {self.unit}s for a claim about {self.subject}: it needs at least"
            f" {number_word(LEAST_UNITS)}{'' if self.least is None else ' of each'}, there is"
            f" {number_word(fewest)}; with `about: these clips` a claim about"
            f" {name_clips(self.n_clips, self.unit)} is possible"
        )


@overload
def refuse(result: Estimate, claim: Claim) -> Estimate: ...
@overload
def refuse(result: TestResult, claim: Claim) -> TestResult: ...
def refuse(result: Estimate | TestResult, claim: Claim) -> Estimate | TestResult:
    """The result without interval and test, and with the reason, if there are too few clips for the
    claim; else as it is.
    """
    if not claim.refusal:
        return result
    if isinstance(result, TestResult):
        kept = None if result.estimate is None else refuse(result.estimate, claim)
        return no_result(
            claim.refusal,
            method=result.method,
            n=result.n,
            alternative=result.alternative,
            estimate=kept,
            effect=result.effect,
        )
    return replace(
        result,
        low=None,
        high=None,
        reason=claim.refusal,
        se=None,
        statistic=None,
        df=(),
        p_value=None,
        exact=False,
    )


def split_words(split: VarianceSplit, *, judges: str = "judges", clips: str = "clips") -> str:
    """The components of the variance of a mean, in a sentence."""
    if split.shares is None:
        return f"It is not known what its variance is made of ({split.reason or 'there is none'})."
    parts = zip((judges, clips, "the rest"), split.shares, strict=True)
    words = listed([f"{name} ({share(part, 0)})" for name, part in parts if part is not None])
    also = f"; {split.reason}" if split.reason else ""
    return f"Its variance is made of {words}{also}."


def limit_section(section: Section, claim: Claim, *, but: Collection[str] = ()) -> Section:
    """The section whose findings all say that they are about these clips, if the claim is. Those
    that say it already stay, and outcomes that no clip has to do with (`but`).
    """
    if not claim.scope:
        return section
    findings = tuple(
        (
            finding
            if finding.scope or finding.outcome in but
            else replace(finding, sentence=claim.limit(finding.sentence), scope=claim.scope)
        )
        for finding in section.findings
    )
    return replace(section, findings=findings)


def claim_of(
    plan: Plan,
    clips: Iterable[object],
    *,
    subject: str = "the agent",
    least: int | None = None,
    people: str = "judges",
) -> Claim:
    """The claim that a plan makes on judgements of these clips."""
    count = len({str(clip) for clip in clips})
    return Claim(
        over=plan.over,
        n_clips=count,
        unit=plan.declaration.sampled or "clip",
        subject=subject,
        least=least,
        people=people,
    )
