"""Who is left out, and why: the bundle's own exclusions, then the plan's rules, each exclusion a
row with its reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from believable.analysis.findings import Drop, FlowStep
from believable.analysis.numbers import counted, integer, share
from believable.bundle.read import Bundle, ColumnTable
from believable.core.errors import InvalidInput
from believable.study.declaration import ExclusionRule
from believable.study.kinds import kinds_on

#: Answers that are no questions of the author's.
_NO_QUESTIONS = ("consent", "device", "qa")

#: Reasons that leave a whole session out whatever the plan says, in the order of the funnel, with
#: their words.
ALWAYS: Mapping[str, str] = {
    "incomplete": "did not reach the end",
    "declined": "declined to take part",
    "screened_out": "screened out",
    "failed_checks": "failed a check that ends the session",
    "rejected": "rejected by the researcher",
    "excluded": "left out by the researcher",
    "damaged": "damaged data",
}

#: The data without them.
_AFTER: Mapping[str, str] = {
    "incomplete": "Complete",
    "declined": "Consented",
    "screened_out": "Not screened out",
    "failed_checks": "Passed checks that end the session",
    "rejected": "Not rejected",
    "excluded": "Not left out by the researcher",
    "damaged": "Undamaged",
}

#: The plan's rules for exclusions, as text.
WORDS: Mapping[str, str] = {
    "failed_check": "answered a check wrongly",
    "unanswered": "left too many questions open",
    "too_fast": "took too little time",
    "reviewed": "wrote what the review excluded",
    "unreliable": "failed the quality tests",
    "answer": "excluded by an answer",
}

#: A share above this excludes, where the rule says no other.
OVER = 0.5
#: The share of the median time below which a session is too fast, unless the rule gives another.
BELOW = 1 / 3


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptSessions:
    """The remaining data: sessions in the order of starting; trials and answers to leave out of
    them; why; and the funnel.
    """

    sessions: tuple[str, ...]
    drops: tuple[Drop, ...]
    funnel: tuple[FlowStep, ...]
    simulated: bool
    #: (session, trial_key)
    trials: frozenset[tuple[str, str]] = frozenset()
    #: (session, trial_key, question, player or -1)
    answers: frozenset[tuple[str, str, str, int]] = frozenset()


@dataclass
class _Funnel:
    left: list[str]
    drops: list[Drop] = field(default_factory=list)
    steps: list[FlowStep] = field(default_factory=list)

    def drop(self, title: str, reason: str, words: str, details: Mapping[str, str]) -> None:
        """Leave out those of `details` that are still in; the step is kept even if it finds no
        session.
        """
        before = len(self.left)
        self.drops += [
            Drop(session=session, level="session", reason=reason, detail=details[session])
            for session in self.left
            if session in details
        ]
        self.left = [session for session in self.left if session not in details]
        self.steps.append(FlowStep(title=title, before=before, after=len(self.left), reason=words))


def apply(bundle: Bundle, rules: Iterable[ExclusionRule]) -> KeptSessions:
    """Real sessions if there are any, else simulated ones; never both."""
    people = bundle["participants"]
    sessions, simulated = people["session"].values, people["simulated"].values
    order = np.argsort(people["number"].values, kind="stable")
    pool = bool(simulated.all()) if len(simulated) else bundle.simulated
    funnel = _Funnel([str(sessions[place]) for place in order])
    funnel.steps.append(
        FlowStep(
            title="Sessions in the dataset", before=len(sessions), after=len(sessions), reason=""
        )
    )
    if len(simulated) and simulated.any() and not pool:
        others = dict.fromkeys(sessions[simulated].tolist(), "never pooled with real ones")
        funnel.drop("Real sessions", "simulated", "simulated, never pooled with real ones", others)
    _not_in_the_bundle(bundle, funnel)
    for reason, details in _always(bundle, people).items():
        if details:
            funnel.drop(_AFTER[reason], reason, ALWAYS[reason], details)
    complete = set(funnel.left)
    trials: set[tuple[str, str]] = set()
    answers: set[tuple[str, str, str, int]] = set()
    for rule in rules:
        if rule.rule == "reviewed" and rule.drops in ("trial", "answer"):
            _reviewed_parts(bundle, rule, set(funnel.left), funnel, trials, answers)
            continue
        title, details = _RULES[rule.rule](bundle, rule, complete)
        funnel.drop(title, rule.rule, WORDS[rule.rule], details)
    return KeptSessions(
        sessions=tuple(funnel.left),
        drops=tuple(funnel.drops),
        funnel=tuple(funnel.steps),
        simulated=pool,
        trials=frozenset(trials),
        answers=frozenset(answers),
    )


def _not_in_the_bundle(bundle: Bundle, funnel: _Funnel) -> None:
    """Withdrawn sessions and previews are counted, and nothing more of them is kept anywhere."""
    for row in bundle["exclusions"].rows():
        if row["session"] is None and row["scope"] == "session":
            count = int(row["count"] or 0)
            words = f"{count} session{'' if count == 1 else 's'}, not in the dataset"
            funnel.drops.append(
                Drop(session="", level="session", reason=str(row["reason"]), detail=words)
            )


def _always(bundle: Bundle, people: ColumnTable) -> dict[str, dict[str, str]]:
    details: dict[str, dict[str, str]] = {reason: {} for reason in ALWAYS}
    for session, state, outcome in zip(
        people["session"].values, people["state"].values, people["outcome"].values, strict=True
    ):
        if state != "finished":
            details["incomplete"][session] = ""
        elif outcome not in (None, "complete"):
            details[outcome][session] = ""
    for row in bundle["exclusions"].rows():
        reason = str(row["reason"])
        if row["session"] is not None and row["scope"] == "session" and reason in details:
            details[reason][str(row["session"])] = str(row["detail"] or "")
    return details


def latest_runs(bundle: Bundle) -> dict[str, int]:
    """The last run of each session that began again; what came before it does not count."""
    table = bundle["trials"]
    runs = table["run"].values
    again = np.flatnonzero(runs > 0)
    latest: dict[str, int] = {}
    for session, run in zip(table["session"].values[again], runs[again].tolist(), strict=True):
        latest[session] = max(run, latest.get(session, 0))
    return latest


def current(table: ColumnTable, latest: Mapping[str, int]) -> NDArray[np.bool_]:
    """Which rows belong to the latest run of their session."""
    if not latest or "run" not in table.columns:
        return np.ones(len(table), np.bool_)
    last = table["session"].map_values(lambda session: latest.get(session, -1), np.int64)
    return np.asarray((last < 0) | (table["run"].values == last))


# ----------------------------------------------------------------------------------------------
# rules

_RuleResult = tuple[str, dict[str, str]]


def _failed_check(bundle: Bundle, rule: ExclusionRule, complete: set[str]) -> _RuleResult:
    answers = bundle["answers"]
    correct = answers["correct"]
    wrong = ~correct.missing & ~correct.values & current(answers, latest_runs(bundle))
    if rule.check is not None:
        wrong &= answers["trial"].values == rule.check
    details: dict[str, str] = {}
    for place in np.flatnonzero(wrong):
        details.setdefault(
            answers["session"].values[place],
            f"check {answers['trial'].values[place]!r} answered wrongly",
        )
    return f"Passed {'the check ' + rule.check if rule.check else 'every check'}", details


def _find_unanswered(bundle: Bundle, rule: ExclusionRule, complete: set[str]) -> _RuleResult:
    over = OVER if rule.over is None else rule.over
    answers = bundle["answers"]
    asked = current(answers, latest_runs(bundle)) & ~np.isin(
        answers["kind"].values.astype(str), _NO_QUESTIONS
    )
    empty = answers["value_text"].missing & answers["value_number"].missing
    names, codes = _codes(answers["session"].values[asked])
    total = np.bincount(codes, minlength=len(names))
    open_ = np.bincount(codes, weights=empty[asked], minlength=len(names))
    details = {
        name: f"{int(left)} of {all_} answers left open"
        for name, left, all_ in zip(names, open_.tolist(), total.tolist(), strict=True)
        if left > over * all_
    }
    return f"At most {share(over, 0)} of the questions left open", details


def _too_fast(bundle: Bundle, rule: ExclusionRule, complete: set[str]) -> _RuleResult:
    below = below_of(rule)
    people, released = bundle["participants"], bundle.released
    duration = people["duration_ms"]
    counts = ~duration.missing & np.fromiter(
        (value in complete for value in people["session"].values), np.bool_
    )
    title = f"At least {below:.2g} of the median time"
    if released is not None and released.too_fast_below == below:
        return title, _noted_too_fast(bundle)
    if released is not None and released.step_ms is None:
        raise InvalidInput(
            f"analysis.exclusions: too_fast below {below:.3g} of the median time cannot be decided,"
            " because this release leaves durations out. Remove the rule, or ask the authors of"
            " the release."
        )
    if not counts.any():
        return title, {}
    median_ms = float(np.median(duration.values[counts]))
    fast = counts & (duration.values < below * median_ms)
    rounded = "" if released is None else ", both rounded"
    return title, {
        people["session"].values[
            place
        ]: f"{duration.values[place] / 1000:.0f} s, median {median_ms / 1000:.0f} s{rounded}"
        for place in np.flatnonzero(fast)
    }


def below_of(rule: ExclusionRule) -> float:
    """The share of the median time below which a session is too fast."""
    return BELOW if rule.below is None else rule.below


def _noted_too_fast(bundle: Bundle) -> dict[str, str]:
    """A release has rounded durations, so its exclusions table names the sessions that the exact
    ones exclude.
    """
    return {
        str(row["session"]): "by the exact times, which are not part of the release"
        for row in bundle["exclusions"].rows()
        if row["reason"] == "too_fast" and row["session"] is not None
    }


def _find_reviewed(bundle: Bundle, rule: ExclusionRule, complete: set[str]) -> _RuleResult:
    details = {
        str(row["session"]): f"{row['trial_key']}/{row['question']}: {row['detail'] or 'no words'}"
        for row in _excluded_texts(bundle)
    }
    return f"No text excluded in a review{_review_words(bundle, complete)}", details


def _review_words(bundle: Bundle, complete: set[str]) -> str:
    """How many texts of these sessions were reviewed, and how many there are; empty if the dataset
    contains no review.
    """
    people, answers = bundle["participants"], bundle["answers"]
    counts = people["texts_reviewed"]
    own = np.fromiter(
        (session in complete for session in people["session"].values), np.bool_, len(people)
    )
    if not (own & ~counts.missing).any():
        return ""
    written = np.isin(answers["kind"].values.astype(str), list(kinds_on("text")))
    written &= ~answers["value_text"].missing
    written &= current(answers, latest_runs(bundle))
    texts = sum(session in complete for session in answers["session"].values[written])
    reviewed = int(counts.values[own & ~counts.missing].sum())
    return f" ({integer(reviewed)} of {counted(texts, 'text')} reviewed)"


def _unreliable(bundle: Bundle, rule: ExclusionRule, complete: set[str]) -> _RuleResult:
    answers = bundle["answers"]
    failed = (answers["question"].values == "reliable") & (answers["value_text"].values == "false")
    failed &= current(answers, latest_runs(bundle))
    details = dict.fromkeys(
        answers["session"].values[failed].tolist(), "below the gate of the quality tests"
    )
    return "Passed the quality tests", details


def _answer(bundle: Bundle, rule: ExclusionRule, complete: set[str]) -> _RuleResult:
    trial, question, row = rule.answer_parts
    answers = bundle["answers"]
    asked = (answers["question"].values == question) & current(answers, latest_runs(bundle))
    if trial:
        asked &= answers["trial"].values == trial
    if row:
        asked &= answers["item"].values == row
    wanted = {_as_text(value) for value in rule.is_ or ()}
    details: dict[str, str] = {}
    for place in np.flatnonzero(asked):
        missing = answers["value_number"].missing[place]
        value = (
            answers["value_text"].values[place]
            if missing
            else answers["value_number"].values[place]
        )
        if _as_text(value) in wanted:
            details[answers["session"].values[place]] = f"{rule.answer} is {_as_text(value)}"
    return f"Other answers to {rule.answer}", details


_RULES = {
    "failed_check": _failed_check,
    "unanswered": _find_unanswered,
    "too_fast": _too_fast,
    "reviewed": _find_reviewed,
    "unreliable": _unreliable,
    "answer": _answer,
}


def _reviewed_parts(
    bundle: Bundle,
    rule: ExclusionRule,
    left: set[str],
    funnel: _Funnel,
    trials: set[tuple[str, str]],
    answers: set[tuple[str, str, str, int]],
) -> None:
    for row in _excluded_texts(bundle):
        session, trial_key, question = (
            str(row["session"]),
            str(row["trial_key"]),
            str(row["question"]),
        )
        if session not in left:
            continue
        if rule.drops == "trial":
            trials.add((session, trial_key))
        else:
            answers.add(
                (session, trial_key, question, -1 if row["player"] is None else int(row["player"]))
            )
        funnel.drops.append(
            Drop(
                session=session,
                level="trial" if rule.drops == "trial" else "answer",
                reason="reviewed",
                detail=str(row["detail"] or ""),
                trial_key=trial_key,
                question=question,
            )
        )


def _excluded_texts(bundle: Bundle) -> Sequence[Mapping[str, str | int | float | bool | None]]:
    return [
        row
        for row in bundle["exclusions"].rows()
        if row["reason"] == "text_excluded"
        and row["scope"] == "answer"
        and row["session"] is not None
    ]


def _codes(sessions: NDArray[np.object_]) -> tuple[list[str], NDArray[np.int64]]:
    index: dict[str, int] = {}
    codes = np.fromiter(
        (index.setdefault(session, len(index)) for session in sessions), np.int64, len(sessions)
    )
    return list(index), codes


def _as_text(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
