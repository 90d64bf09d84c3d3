"""Which sessions and answers the declared analysis counts, for the tables of a bundle."""

from __future__ import annotations

import datetime

from believable.analysis.exclusions import ALWAYS
from believable.analysis.findings import Drop
from believable.analysis.registered import Registration
from believable.analysis.run import prepare_data, settle, study_of
from believable.bundle.left_out import AnalysisExclusions, LeaveOut
from believable.bundle.read import Bundle
from believable.bundle.tables import Row
from believable.study.declaration import DeclaredPlan


def find_exclusions(plan: DeclaredPlan | None = None) -> LeaveOut:
    """A function that finds the rows of a bundle that the analysis leaves out: by `plan`, else by
    the plan of the study itself.
    """

    def find(bundle: Bundle) -> AnalysisExclusions | None:
        _, study = study_of(bundle)
        if (
            not len(bundle["participants"])
            or study is None
            or (plan is None and study.analysis is None)
        ):
            return None
        settled = settle(study, plan, None)
        data = prepare_data(bundle, settled, study)
        kept = frozenset(data.sessions)
        return AnalysisExclusions(
            rows=tuple(
                _row(drop)
                for drop in data.drops
                if drop.session and drop.reason not in (*ALWAYS, "simulated")
            ),
            sessions=frozenset(str(session) for session in bundle["participants"]["session"].values)
            - kept,
            trials=data.left_out_trials,
            answers=data.left_out_answers,
            texts=any(rule.rule == "reviewed" for rule in settled.declared.exclusions),
        )

    return find


def _row(drop: Drop) -> Row:
    return {
        "session": drop.session,
        "scope": drop.level,
        "trial_key": drop.trial_key or None,
        "question": drop.question or None,
        "reason": drop.reason,
        "detail": drop.detail or None,
        "count": 1,
        "applied": True,
    }


def registration_ms(registered: Registration | None) -> int | None:
    """When the plan was registered, in milliseconds since 1970; None if that is not known."""
    if registered is None or not registered.registered_on:
        return None
    moment = datetime.datetime.fromisoformat(registered.registered_on).astimezone(datetime.UTC)
    return round(1000 * moment.timestamp())
