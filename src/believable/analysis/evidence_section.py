"""A sequential study in its report: how it was decided, the path of the evidence, and the second
line after exclusions, which never enters the rule.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from believable.analysis.data import Data
from believable.analysis.findings import (
    Chart,
    Column,
    JudgedHypothesis,
    Section,
    Table,
    Undefined,
    estimate_cells,
    estimate_columns,
    table,
)
from believable.analysis.numbers import counted, estimate_words, listed
from believable.analysis.settled_plan import Plan
from believable.stats.sequential import follow_evidence
from believable.study.declaration import Hypothesis
from believable.study.evidence_state import (
    AgentState,
    EvidenceState,
    ReachedVerdict,
    has_ended,
    new_verdicts,
    weigh,
)
from believable.study.judge_shares import JudgedAnswer, share_of
from believable.study.levels import pair_of
from believable.study.sequential_design import SequentialDesign, sequential_design

#: One judge's share of each agent.
JudgeShares = Mapping[str, Fraction]

ANSWERS = {
    "different": "distinguishable",
    "equivalent": "inside the margin",
    "outside": "outside the margin",
}
#: Why other hypotheses cannot be judged.
NOT_FIXED = (
    "not judged: its test assumes a number of judges that was fixed beforehand, and this study"
    " stopped by its evidence"
)
_UNTIL_WORDS = {
    "difference": "whether {} distinguishable",
    "equivalence": "whether {} inside the margin",
    "both": "whether {} distinguishable or inside the margin, whichever is known first",
}
_SUBJECTS = {"agents": "the agent is", "pairs": "the two of a pair are"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowedEvidence:
    """The evidence of a dataset. `reached_at` is the number of judges at the end of recruiting,
    None if it has not ended. `second` weighs only the sessions that are left after exclusions.
    """

    state: EvidenceState
    shares: tuple[JudgeShares, ...]
    reached_at: int | None
    second: EvidenceState


def follow(data: Data) -> FollowedEvidence | None:
    """None without the rule `sequential`."""
    design = None if data.study is None else sequential_design(data.study)
    if design is None:
        return None
    complete = replace(
        data, sessions=_complete(data), left_out_trials=frozenset(), left_out_answers=frozenset()
    )
    shares, kept = _judge_shares(complete, design), _judge_shares(data, design)
    reached, reached_at = walk(design, shares)
    return FollowedEvidence(
        state=weigh(design, _by_agent(shares), len(shares), reached),
        shares=shares,
        reached_at=reached_at,
        second=weigh(design, _by_agent(kept), len(kept)),
    )


def walk(
    design: SequentialDesign, shares: Sequence[JudgeShares]
) -> tuple[tuple[ReachedVerdict, ...], int | None]:
    """The answers as judges arrive in this order, and the number of judges that ends recruiting."""
    by_agent: dict[str, list[Fraction]] = {}
    reached: list[ReachedVerdict] = []
    ended_at = None
    for judges, own in enumerate(shares, start=1):
        for agent, share in own.items():
            by_agent.setdefault(agent, []).append(share)
        reached += new_verdicts(design, by_agent, judges, reached)
        if ended_at is None and has_ended(design, judges, reached):
            ended_at = judges
    return tuple(reached), ended_at


def _by_agent(shares: Iterable[JudgeShares]) -> dict[str, list[Fraction]]:
    by_agent: dict[str, list[Fraction]] = {}
    for own in shares:
        for agent, share in own.items():
            by_agent.setdefault(agent, []).append(share)
    return by_agent


def _complete(data: Data) -> tuple[str, ...]:
    """Complete sessions in the order in which they were weighed, else in the order of starting."""
    people = data.bundle["participants"]
    place = people["number"].values
    if "weighed" in people.columns:
        weighed = people["weighed"]
        place = np.where(weighed.missing, len(place) + place, weighed.values)
    rows = zip(
        place.tolist(),
        people["session"].values,
        people["outcome"].values,
        people["simulated"].values,
        strict=True,
    )
    return tuple(
        str(session)
        for _, session, outcome, simulated in sorted(rows, key=lambda row: row[0])
        if outcome == "complete" and bool(simulated) == data.simulated
    )


def _judge_shares(data: Data, design: SequentialDesign) -> tuple[JudgeShares, ...]:
    """One entry per session that judged anything, in the order of the sessions."""
    answers, shown = data.table("answers"), data.table("shown")
    stimuli: dict[tuple[str, int], list[tuple[int, str, str]]] = {}
    for session, position, player, condition, scenario in zip(
        *(
            shown[name].values
            for name in ("session", "position", "player", "condition", "scenario")
        ),
        strict=True,
    ):
        stimuli.setdefault((session, int(position)), []).append((int(player), condition, scenario))
    judged: dict[str, list[JudgedAnswer]] = {}
    columns = ("session", "position", "trial", "question", "item", "value_text", "value_number")
    rows = zip(*(answers[name].values for name in columns), strict=True)
    players = np.where(answers["player"].missing, -1, answers["player"].values).tolist()
    for (session, position, trial, question, item, text, number), player in zip(
        rows, players, strict=True
    ):
        if not design.question.matches(trial, question) or item != design.question.item:
            continue
        about = sorted(stimuli.get((session, int(position)), []))
        if player >= 0:
            about = [entry for entry in about if entry[0] == player]
        value = text if text is not None else None if math.isnan(number) else float(number)
        judged.setdefault(session, []).append(
            JudgedAnswer(
                tuple(condition for _, condition, _ in about),
                value if design.question.item is None else {design.question.item: value},
                tuple(scenario for _, _, scenario in about),
            )
        )
    found = []
    for session in data.sessions:
        own = {
            part.contrast.name: share
            for part in design.contrasts
            if (share := share_of(part.contrast, design.question, judged.get(session, ())))
            is not None
        }
        if own:
            found.append(own)
    return tuple(found)


# ----------------------------------------------------------------------------------------------
# sentences


def rule_sentence(design: SequentialDesign) -> str:
    """The rule as a preregistration and a report state it."""
    forms = dict.fromkeys(part.form_words for part in design.contrasts)
    most = "" if design.most is None else f", or with {design.most} judges"
    many = (
        f" With several {design.of}, an answer takes the evidence that e-BH asks for."
        if len(design.contrasts) > 1
        else ""
    )
    aimed = (
        f" Judges are assigned to {design.of} without an answer, and with a chance of .1 to any"
        f" {design.unit}."
        if design.aimed_arm or design.aimed_block
        else ""
    )
    until = _UNTIL_WORDS[design.until].format(_SUBJECTS[design.of])
    return (
        "After every complete session the evidence is weighed, and collecting ends when it is known"
        f" {until}{most}. The margin is {design.margin:g} around one half,"
        f" alpha {design.alpha:g}. Evidence: {listed(list(forms))}. Exclusions that look at answers"
        f" do not enter the rule; they are shown as a second line.{many}{aimed}"
    )


def state_sentence(found: FollowedEvidence | None) -> str:
    """The state of the rule now; `found` is None if the data have no study."""
    if found is None:
        return "Declared: stop by evidence, but the data have no study."
    judges = counted(found.state.judges, "judge")
    return f"Declared: stop by evidence; after {judges}: {found.state.words}."


def evidence_sections(data: Data, plan: Plan, rng: np.random.Generator) -> tuple[Section, ...]:
    """How the study was decided, with the path of the evidence; none under another rule."""
    found = follow(data)
    if found is None:
        return ()
    design = found.state.design
    decided = [_agent_sentence(found, index) for index in range(len(design.contrasts))]
    end = (
        f"Recruiting ended with judge {found.reached_at}; {found.state.judges} were weighed in all,"
        " because those who had begun could finish."
        if found.reached_at is not None
        else "Recruiting has not ended."
    )
    return (
        Section(
            name="evidence",
            title="Evidence after every judge",
            paragraphs=(rule_sentence(design), f"{state_sentence(found)} {end}", *decided),
            tables=(_state_table(found), _path_table(found)),
            charts=_charts(design),
        ),
    )


def _agent_sentence(found: FollowedEvidence, index: int) -> str:
    agent = found.state.agents[index]
    reached = [
        f"{ANSWERS[given.verdict]} at judge {given.n} (evidence"
        f" {_value(given.log_evidence)}, needed {math.exp(agent.evidence.threshold):.3g}"
        f"{' or more' if len(found.state.agents) > 1 else ''})"
        for given in agent.reached
    ]
    answer = f"{listed(reached)}" if reached else "no answer"
    return (
        f"{agent.name}: {answer}. Mean share {estimate_words(agent.evidence.mean)}, which holds at"
        f" all times; {agent.design.form_words}."
    )


def _value(log_evidence: float) -> str:
    """The evidence itself, which may be too large for a number."""
    return f"{math.exp(min(log_evidence, 700)):.3g}"


def _state_table(found: FollowedEvidence) -> Table:
    rows = []
    for line, state in (("all complete", found.state), ("after exclusions", found.second)):
        for agent in state.agents:
            answer = (
                Undefined("a second line, not part of the rule")
                if line != "all complete"
                else ANSWERS.get(str(agent.decided), "open")
            )
            rows.append(
                (
                    agent.name,
                    line,
                    agent.evidence.n,
                    *estimate_cells(agent.evidence.mean),
                    agent.evidence.log_different,
                    agent.evidence.log_equivalent,
                    agent.evidence.threshold,
                    answer,
                )
            )
    return table(
        "evidence",
        f"Evidence about each {found.state.design.unit}",
        (
            Column(name="agent", title=found.state.design.unit.capitalize()),
            Column(name="sessions", title="Sessions"),
            Column(name="judges", title="Judges", form="integer"),
            *estimate_columns("share", "Share", about="mean share; interval at all times"),
            Column(name="log_different", title="Log evidence: different", form="number"),
            Column(name="log_equivalent", title="Log evidence: inside", form="number"),
            Column(name="threshold", title="Log evidence needed", form="number"),
            Column(name="answer", title="Answer"),
        ),
        rows,
        note=(
            "Evidence is a product of bets; it may be read at any time. Exclusions that look at"
            " answers are in the second line only."
        ),
    )


def _path_table(found: FollowedEvidence) -> Table:
    by_agent, rows = _by_agent(found.shares), []
    for part in found.state.design.contrasts:
        shares = [float(share) for share in by_agent.get(part.contrast.name, ())]
        if not shares:
            continue
        path = follow_evidence(shares, part.rule)
        steps = zip(path.log_different, path.log_equivalent, path.low, path.high, strict=True)
        for n, (different, equivalent, low, high) in enumerate(steps, start=1):
            mean = sum(shares[:n]) / n
            rows.append((part.contrast.name, n, different, equivalent, mean, low, high))
    return table(
        "evidence_path",
        "Path of the evidence",
        (
            Column(name="agent", title="Agent"),
            Column(name="judges", title="Judges", form="integer"),
            Column(name="log_different", title="Log evidence: different", form="number"),
            Column(name="log_equivalent", title="Log evidence: inside", form="number"),
            *estimate_columns("share", "Share", about="mean share; interval at all times"),
        ),
        [
            tuple(
                Undefined("no evidence yet")
                if isinstance(cell, float) and math.isinf(cell)
                else cell
                for cell in row
            )
            for row in rows
        ],
        data_only=True,
    )


def _charts(design: SequentialDesign) -> tuple[Chart, ...]:
    threshold = max(part.rule.log_threshold for part in design.contrasts)
    colour = {"colour": "agent"} if len(design.contrasts) > 1 else {}

    def chart(y: str, title: str) -> Chart:
        return Chart(
            name=f"evidence_path_{y}",
            title=title,
            kind="lines",
            table="evidence_path",
            use={"x": "judges", "y": y} | colour,
            x_title="Judges",
            y_title="Log evidence",
            rules=(("y", threshold, "needed for one agent"),),
            caption="The evidence after each judge, in the order in which sessions were weighed.",
        )

    interval = Chart(
        name="evidence_path_share",
        title="Mean share with the interval that holds at all times",
        kind="lines",
        table="evidence_path",
        use={"x": "judges", "y": "share", "low": "share_low", "high": "share_high"} | colour,
        x_title="Judges",
        y_title="Share",
        rules=(
            ("y", 0.5, "one half"),
            ("y", 0.5 - design.margin, "margin"),
            ("y", 0.5 + design.margin, "margin"),
        ),
        y_range=(0, 1),
        caption="The interval only narrows.",
    )
    charts = [chart("log_different", "Evidence that the agent is distinguishable")]
    if design.until != "difference":
        charts.append(chart("log_equivalent", "Evidence that the agent is inside the margin"))
    return (*charts, interval)


# ----------------------------------------------------------------------------------------------
# hypotheses


def judge_by_evidence(
    hypotheses: Sequence[JudgedHypothesis], plan: Plan, found: FollowedEvidence
) -> tuple[JudgedHypothesis, ...]:
    """Hypotheses of a study that stopped by its evidence: those about the weighed outcome are
    judged by it, and tests for a fixed number of judges judge none.
    """
    declared = {hypothesis.id: hypothesis for hypothesis in plan.declared.hypotheses}
    return tuple(_judge(judged, declared[judged.id], plan, found) for judged in hypotheses)


def _judge(
    judged: JudgedHypothesis, hypothesis: Hypothesis, plan: Plan, found: FollowedEvidence
) -> JudgedHypothesis:
    design = found.state.design
    judged_by = [_match_pair(agent, hypothesis.about) for agent in found.state.agents]
    weighed = [(agent, turned) for agent, turned in judged_by if turned is not None]
    if weighed and hypothesis.outcome == design.lead and hypothesis.criterion in _LEAD_WORDS:
        found_leads = [_judge_lead(agent, hypothesis, plan, turned) for agent, turned in weighed]
        supported = None if None in found_leads else all(found_leads)
        return replace(judged, supported=supported, verdict=_LEAD_VERDICTS[supported])
    wanted = {"significant": "different", "equivalent": "equivalent"}.get(hypothesis.criterion)
    if hypothesis.outcome != design.outcome or wanted is None or not weighed:
        return replace(judged, supported=None, verdict=NOT_FIXED)
    side = hypothesis.expects or (
        None if hypothesis.direction == "two_sided" else hypothesis.direction
    )
    met = all(
        any(given.verdict == wanted for given in agent.reached)
        and (
            side is None
            or wanted != "different"
            or (((agent.evidence.mean.value or 0.5) > 0.5) == ((side == "greater") != turned))
        )
        for agent, turned in weighed
    )
    words = "met, by the evidence" if met else "not met: the evidence does not show it"
    return replace(judged, supported=met, verdict=words)


_LEAD_WORDS = ("at_least", "at_most", "equivalent")
_LEAD_VERDICTS: Mapping[bool | None, str] = {
    True: "met, by the interval that holds at all times",
    False: "not met, by the interval that holds at all times",
    None: "open: the interval that holds at all times contains the value",
}


def _match_pair(agent: AgentState, about: str | None) -> tuple[AgentState, bool | None]:
    """The evidence, and whether a hypothesis names its pair the other way round; None if it is
    about another.
    """
    if about in (None, agent.name):
        return agent, False
    turned = about is not None and set(pair_of(about)) == set(pair_of(agent.name))
    return agent, True if turned and agent.design.contrast.name != about else None


def _judge_lead(agent: AgentState, hypothesis: Hypothesis, plan: Plan, turned: bool) -> bool | None:
    """Whether the interval that holds at all times lies on the side of a lead, or inside a margin;
    None if it does not say.
    """
    low, high = agent.evidence.mean.low, agent.evidence.mean.high
    if low is None or high is None:
        return None
    low, high = (1 - high, 1 - low) if turned else (low, high)
    least, most = 2 * low - 1, 2 * high - 1
    if hypothesis.criterion == "equivalent":
        margin = float(plan.test_option(hypothesis.outcome, "margin"))
        answered = any(given.verdict == "equivalent" for given in agent.reached)
        if answered and 2 * agent.design.rule.margin <= margin + 1e-9:
            return True
        least, most, value = max(least, -most), max(most, -least), margin
        return True if most < value else False if least > value else None
    value = hypothesis.value or 0.0
    if hypothesis.criterion == "at_most":
        least, most, value = -most, -least, -value
    return True if least >= value else False if most < value else None
