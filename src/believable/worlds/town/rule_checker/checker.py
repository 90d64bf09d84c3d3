"""All findings in a recording, and a recording with the findings of each action."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from believable.core.errors import NotFound
from believable.core.registry import did_you_mean
from believable.recordings.recording import Action, Recording
from believable.worlds.town.rule_checker.action_checks import ActionChecks
from believable.worlds.town.rule_checker.manners import check_manners
from believable.worlds.town.rule_checker.replayed_town import ReplayedTown
from believable.worlds.town.rule_checker.rules import (
    HIDDEN,
    NOTHING_WRONG,
    RULES,
    TownFindings,
    TownViolation,
)
from believable.worlds.town.rule_checker.track_checks import check_nights, check_track


def check_town(recording: Recording, person: str | None = None) -> TownFindings:
    """Return all mistakes in order of time, or those of one person."""
    names = [actor.id for actor in recording.actors]
    if person is not None and person not in names:
        raise NotFound(f"nobody is called {person!r}. {did_you_mean(person, names)}")
    town, asked = ReplayedTown(recording), (person,) if person is not None else names
    actions = [action for action in recording.actions if action.actor in asked]
    found = (violation for violation in _violations(town) if violation.actor in asked)
    intentions = [
        step
        for step in recording.plans
        if step.level == 1 and step.activity is not None and step.actor in asked
    ]
    return TownFindings(
        actions=len(actions),
        violations=tuple(sorted(found, key=lambda v: (v.t_ms, v.actor, v.rule))),
        intentions=len(intentions),
        fulfilled=sum(map(town.is_fulfilled, intentions)),
        activities=len({action.activity for action in actions if action.activity}),
        talks=sum(action.verb == "speak" and action.refused is None for action in actions),
        skipped=tuple(town.name_skipped()),
    )


def add_findings(recording: Recording) -> Recording:
    """Return the recording with the `violations` of every action and with `fulfilled` of every
    intention. A study compares people's judgements with them.
    """
    town = ReplayedTown(recording)
    labels: dict[str, dict[str, None]] = defaultdict(dict)
    for violation in _violations(town):
        labels[violation.action][violation.label] = None
    return replace(
        recording,
        actions=tuple(
            replace(action, violations="; ".join(labels[action.id]) or NOTHING_WRONG)
            for action in recording.actions
        ),
        plans=tuple(
            replace(
                step,
                fulfilled=town.is_fulfilled(step) if step.level == 1 and step.activity else None,
            )
            for step in recording.plans
        ),
    )


def _violations(town: ReplayedTown) -> Iterator[TownViolation]:
    checks = ActionChecks(town)
    for action in town.actions:
        for rule, reason in checks.check(action):
            yield _violation(rule, action, action.t0_ms, reason)
    for actor in town.actors:
        for rule, action, t_ms, reason in (
            *check_track(town, actor),
            *check_nights(town, actor),
            *check_manners(town, actor),
        ):
            yield _violation(rule, action, t_ms, reason)


def _violation(rule: str, action: Action, t_ms: int, reason: str) -> TownViolation:
    return TownViolation(
        rule=rule,
        category=RULES[rule],
        actor=action.actor,
        t_ms=t_ms,
        action=action.id,
        reason=reason,
        hidden=rule in HIDDEN,
    )
