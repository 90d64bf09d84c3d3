"""What every instrument says about each thing that a person judged, so that instruments can be compared with each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from believable.analysis.data import Data
from believable.analysis.instruments import Choice, Measure, Thing, table
from believable.analysis.plan import Plan
from believable.analysis.records import Section
from believable.analysis.replay.collect import actions_by_stimulus, flags_by_page, stretches_by_page
from believable.analysis.replay.viewed import Stretches, judged
from believable.analysis.trace.clean import TOOL_NAMES, TOOLS, Annotation, windowed
from believable.analysis.trace.collect import CHOICES
from believable.analysis.trace.measures import counted

#: Roles whose trials are tests or play, not things that are judged.
_NOT_JUDGED = frozenset({"visual", "auditory", "round"})
#: Instruments whose answers are numbers on a scale.
_SCALES = frozenset({"likert", "slider", "number", "clip_rating", "certainty"})
_TRACE_WORDS = {"mean": "trace: mean", "difference": "trace: H − L", "gradient": "trace: rises − falls"}


def instruments_compared(data: Data, plan: Plan, rng: np.random.Generator) -> tuple[Section, ...]:
    """Every continuous measure with every other instrument's, within people; nothing where there are no two of them."""
    places = things(data, plan)
    measures = [
        *trace_measures(data, plan, places),
        *flag_measures(data, places),
        *answer_measures(data, places),
    ]
    others: list[Measure | Choice] = [one for one in measures if _has_company(one, measures)]
    others += choices(data)
    if not measures or not others:
        return ()
    made = table(
        "instruments",
        "Instruments compared with each other",
        measures,
        others,
        alpha=plan.alpha,
        note="Within people: differences between the first and the second thing where there are two, else deviations from each "
        "person's mean; with a choice, differences against 1 (first), 0 (both or neither), −1 (second).",
    )
    words = "Correlations between what different instruments recorded about the same things. None of them is a hypothesis."
    return (
        Section(
            "instruments",
            "Instruments compared with each other",
            (words,),
            tables=(made,),
            status="exploratory",
        ),
    )


def _has_company(one: Measure, measures: Sequence[Measure]) -> bool:
    """Whether another instrument recorded something about the same things: a measure of one tool says little about itself."""
    return any(
        other.instrument != one.instrument and len(one.values.keys() & other.values.keys()) >= 3
        for other in measures
    )


def things(data: Data, plan: Plan) -> Mapping[tuple[str, int], Thing]:
    """Pages that showed something to judge, by session and position: who, and which in the person's own order."""
    trials = {
        name
        for role in plan.declaration.roles
        if role.of == "trial" and role.name not in _NOT_JUDGED
        for name in plan.roles[role.name]
    }
    table_ = data.table("trials")
    wanted = np.isin(table_["trial"].values.astype(str), list(trials)) & (table_["status"].values == "done")
    pages = sorted(
        (str(table_["session"].values[row]), int(table_["position"].values[row]))
        for row in np.flatnonzero(wanted).tolist()
    )
    counts: dict[str, int] = defaultdict(int)
    found: dict[tuple[str, int], Thing] = {}
    for session, position in pages:
        counts[session] += 1
        found[session, position] = session, counts[session]
    return found


def trace_measures(data: Data, plan: Plan, places: Mapping[tuple[str, int], Thing]) -> list[Measure]:
    """Mean, high minus low and rises minus falls of each trace, per tool."""
    recorded = [
        line
        for line in data.traces()
        if (line.session, line.position) in places and line.instrument in TOOLS and len(line.media_ms)
    ]
    longest = max((float(line.media_ms.max()) for line in recorded), default=0.0)
    found: list[Measure] = []
    for tool in TOOLS:
        mine = [line for line in recorded if line.instrument == tool]
        if not mine:
            continue
        traces, _ = windowed(
            [
                Annotation(
                    line.session, line.trial_key, tool, places[line.session, line.position][1], line.condition or "",
                    line.stimulus or "", max(longest + 1, 3000.0), line.media_ms, line.value,
                )
                for line in mine
            ]
        )  # fmt: skip
        numbers = counted(traces, 0.0, "mean")
        for name, words in _TRACE_WORDS.items():
            values = {
                places[line.session, line.position]: float(value)
                for line, value in zip(mine, numbers[name], strict=True)
            }
            found.append(Measure(f"{tool}_{name}", f"{TOOL_NAMES[tool]} {words}", values, tool))
    return found


def flag_measures(data: Data, places: Mapping[tuple[str, int], Thing]) -> list[Measure]:
    """Flagged per 100 viewed actions, where flags were asked for and actions are known."""
    actions = actions_by_stimulus(data)
    flags, _ = flags_by_page(data)
    if not flags or not actions:
        return []
    played, _ = stretches_by_page(data)
    trials = data.table("trials")
    nothing = Stretches(np.empty(0), np.empty(0), np.empty(0))
    values: dict[Thing, float] = {}
    for session, position, stimulus in zip(
        trials["session"].values, trials["position"].values.tolist(), trials["stimulus"].values, strict=True
    ):
        page = str(session), int(position)
        known = actions.get(str(stimulus))
        if page in places and known is not None:
            rate = judged(known, played.get(page, nothing), flags.get(page, ())).rate
            if rate is not None:
                values[places[page]] = rate
    return [Measure("flags_rate", "flags: per 100 viewed actions", values, "flags")] if values else []


def answer_measures(data: Data, places: Mapping[tuple[str, int], Thing]) -> list[Measure]:
    """Every question on the same page that is answered with a number."""
    answers = data.table("answers")
    found: dict[tuple[str, str], dict[Thing, float]] = defaultdict(dict)
    number = answers["value_number"]
    rows = np.flatnonzero(~number.missing & np.isin(answers["kind"].values.astype(str), list(_SCALES)))
    for row in rows.tolist():
        page = str(answers["session"].values[row]), int(answers["position"].values[row])
        if page in places and answers["player"].missing[row]:
            key = str(answers["question"].values[row]), str(answers["kind"].values[row])
            found[key][places[page]] = float(number.values[row])
    return [
        Measure(question, f"{kind}: {question}", values, question)
        for (question, kind), values in found.items()
    ]


def choices(data: Data) -> Sequence[Choice]:
    """The final choice between first and second, where the plan names one."""
    named = {role.name for role in data.plan.declaration.roles}
    if "preference" not in named or not data.has("preference"):
        return ()
    answers = dict(zip(data.sessions, data.text_by_session("preference"), strict=True))
    values = {session: float(CHOICES[answer]) for session, answer in answers.items() if answer in CHOICES}
    return (Choice("preference", "preference", values),) if values else ()
