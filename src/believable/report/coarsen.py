"""Make a bundle anonymous, and coarser if a recruiting platform's list still finds people in it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from believable.analysis.data import load
from believable.analysis.exclusions import below_of
from believable.analysis.registered import Registration
from believable.analysis.run import begun_before, settle, study_of
from believable.bundle.read import Bundle
from believable.core.errors import Refused
from believable.report.anonymise import ExactFacts, anonymise
from believable.report.attack import SignalResult, attack
from believable.report.platform_list import PlatformPerson
from believable.report.precision import PRECISIONS, Precision
from believable.report.redescribe import TOO_FAST
from believable.study.declaration import DeclaredPlan

#: Ties are paired at random; the same release gives the same counts.
_SEED = 20_260


@dataclass(frozen=True, slots=True)
class AttackList:
    """A platform's list, and the truth: the session of each participant of the list that has
    exactly one.
    """

    people: tuple[PlatformPerson, ...]
    sessions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Attempt:
    """The results of an attack, best signal first. `precision`: None for the dataset before it was
    made anonymous.
    """

    precision: Precision | None
    results: tuple[SignalResult, ...]

    @property
    def leaks(self) -> tuple[SignalResult, ...]:
        return tuple(result for result in self.results if result.above_chance)

    @property
    def text(self) -> str:
        data = "Before" if self.precision is None else self.precision.text.removesuffix(".")
        best = (
            str(self.results[0])
            if self.results
            else "nothing to compare: the release has no such signal"
        )
        return f"{data}: {best}."


@dataclass(frozen=True, slots=True)
class CoarsenedBundle:
    """How coarse the times of the release are, and the attacks that decided it; none if there was
    no list.
    """

    precision: Precision
    attempts: tuple[Attempt, ...] = ()

    @property
    def leaks(self) -> tuple[SignalResult, ...]:
        return self.attempts[-1].leaks if self.attempts else ()


def coarsen(
    exact: Path,
    target: Path,
    *,
    key: bytes,
    facts: ExactFacts,
    known: AttackList | None,
    precisions: Sequence[Precision] = PRECISIONS,
) -> CoarsenedBundle:
    """Write the bundle `exact` to `target` without what says when people took part, as exactly as
    the first of `precisions`.

    With a list, the attack runs before and after. The times get coarser until no signal finds more
    people than chance does, or until the last of `precisions`.
    """
    rng = np.random.default_rng(_SEED)
    if known is None:
        _anonymise_copy(exact, target, precisions[0], key, facts)
        return CoarsenedBundle(precisions[0])
    attempts = [Attempt(None, attack(exact, known.people, known.sessions, rng))]
    for precision in precisions:
        _anonymise_copy(exact, target, precision, key, facts)
        attempts.append(Attempt(precision, attack(target, known.people, known.sessions, rng)))
        if not attempts[-1].leaks:
            break
    return CoarsenedBundle(precision, tuple(attempts))


def check_leaks(coarsened: CoarsenedBundle, *, accepted: bool) -> None:
    """Raise `Refused` if people are found even in the coarsest release, unless that was
    accepted.
    """
    if coarsened.leaks and not accepted:
        lines = "\n".join(f"  {leak}" for leak in coarsened.leaks)
        raise Refused(
            f"--attack: even the coarsest release gives people away:\n{lines}\nNothing was written."
            " Publish tables of results instead, or add --accept attack if you take the"
            " responsibility."
        )


def exact_facts(
    bundle: Bundle, plan: DeclaredPlan | None, registered: Registration | None
) -> ExactFacts:
    """Use the exact times for every decision that the analysis of the release will need."""
    study = study_of(bundle)[1]
    settled = settle(study, plan, None)
    data = load(bundle, settled, study)
    below = [below_of(rule) for rule in settled.declared.exclusions if rule.rule == TOO_FAST]
    return ExactFacts(
        too_fast=frozenset(drop.session for drop in data.drops if drop.reason == TOO_FAST),
        too_fast_below=below[0] if below else None,
        begun_before_plan=(
            None if registered is None or data.simulated else begun_before(registered, data)
        ),
    )


def _anonymise_copy(
    exact: Path, target: Path, precision: Precision, key: bytes, facts: ExactFacts
) -> None:
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(exact, target)
    anonymise(target, precision, key=key, facts=facts)
