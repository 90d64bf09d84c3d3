"""The values that intervals have to cover: in closed form where there is one, else from a large
simulation of their own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from believable.analysis.data import load
from believable.contracts.registries import PROTOCOLS
from believable.core.work import Progress
from believable.protocols.hntt.navigation_judgements import agents, judgements
from believable.simulate import straight
from validation.truth.cases import case_of
from validation.truth.studies import ready, run, summary

#: Studies whose mean estimate stands for the true value where there is no formula.
REFERENCE_STUDIES = 1000
#: How much larger the studies are that correlations are taken from.
LARGER = 6
#: Judges of the one large study that medians are taken from.
LARGE = 20_000
#: Annotators of each of the large studies that the correlation of both tests is taken from, and how
#: many such studies.
ANNOTATORS, REPEATS = 1500, 6


def true_values(
    protocol: str,
    setting: str,
    *,
    seed: int,
    participants: int | None = None,
    studies: int = REFERENCE_STUDIES,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Mapping[str, float]:
    """Outcome → true value in a setting."""
    definition, _ = ready(protocol)
    truth: Any = case_of(protocol).settings[setting]
    sessions = straight.sessions(definition, 2, np.random.default_rng(0), truth=truth)
    known = dict(PROTOCOLS[protocol].people.values(truth, sessions))
    if protocol == "clips":
        for kind in ("imitation", "artificial"):
            known[f"contrast.human-{kind}"] = (
                known["believability.human"] - known[f"believability.{kind}"]
            )
        return known
    if protocol == "replay":
        return {
            "believability_difference": known["believability"],
            "rate_difference": known["rate"],
            "odds": math.exp(known["log_odds"]),
            "preference": known["preference"],
        }
    if protocol == "hntt":
        return known | _medians(truth, seed)
    count = participants or case_of(protocol).participants
    if protocol == "trace":
        # Correlations of small samples are biased; of large ones hardly.
        count, studies = LARGER * count, max(10, studies // (2 * LARGER))
    outcomes = run(
        protocol,
        setting,
        studies,
        seed=seed,
        participants=count,
        purpose="reference",
        workers=workers,
        progress=progress,
    )
    return {**summary(outcomes), **(_tests_together(truth, seed) if protocol == "qa" else {})}


def _medians(truth: Any, seed: int) -> dict[str, float]:
    definition, plan = ready("hntt")
    rng = np.random.default_rng([seed, 1])
    data = load(straight.bundle(definition, LARGE, rng, truth=truth), plan, definition.study)
    contest = agents(judgements(data), plan.roles["human"])[0]
    median = float(np.median(contest.accuracy()))
    return {
        "median_accuracy": median,
        "median_accuracy_bootstrap": median,
        "uncertainty": float(np.median(contest.mean_uncertainty())),
    }


def _tests_together(truth: Any, seed: int) -> dict[str, float]:
    """The correlation of both tests' scores over a large number of annotators, by group."""
    definition, plan = ready("qa")
    scores: dict[str, list[tuple[float, float]]] = {}
    for number in range(REPEATS):
        rng = np.random.default_rng([seed, 2, number])
        bundle = straight.bundle(definition, ANNOTATORS, rng, truth=truth)
        data = load(bundle, plan, definition.study)
        kept = data.codes
        answers: dict[tuple[str, str], Any] = {}
        for row in bundle["answers"].rows():
            if row["session"] in kept and row["question"] in ("sda", "group"):
                value = row["value_text"] if row["question"] == "group" else row["value_number"]
                answers[str(row["session"]), str(row["trial"])] = value
        for session in kept:
            pair = answers[session, "visual"], answers[session, "auditory"]
            scores.setdefault(answers[session, "about"], []).append(pair)
    return {
        f"tests_agree:{group}": float(np.corrcoef(np.array(pairs).T)[0, 1])
        for group, pairs in scores.items()
    }
