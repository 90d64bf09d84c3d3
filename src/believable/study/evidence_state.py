"""The state of a sequential study: the evidence about each agent, the answers to date, and whether
recruiting ends. It follows from the judges' shares in any order, and from the answers that were
given.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from believable.stats.e_values import e_benjamini_hochberg
from believable.stats.sequential import Evidence, log_evidence, weigh_evidence
from believable.study.sequential_design import ContrastDesign, SequentialDesign

#: An answer of the evidence: distinguishable, inside the margin, outside of it.
Verdict = Literal["different", "equivalent", "outside"]
VERDICTS: tuple[Verdict, ...] = ("different", "equivalent", "outside")

#: The answers that end collecting.
ENDING: Mapping[str, tuple[Verdict, ...]] = {
    "difference": ("different",),
    "equivalence": ("equivalent", "outside"),
    "both": ("different", "equivalent"),
}
STOP_WORDS: Mapping[Verdict, str] = {
    "different": "stop: distinguishable",
    "equivalent": "stop: inside the margin",
    "outside": "stop: outside the margin",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReachedVerdict:
    """An answer that was given about an agent when it had `n` judges, of `judges` in all. It is
    never taken back.
    """

    agent: str
    verdict: Verdict
    n: int
    judges: int
    log_evidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentState:
    """The evidence about one agent. `more` is about how many further judges an answer takes, if
    they judge this agent and answer like those to date; 0 with an answer, None if none is in sight.
    """

    design: ContrastDesign
    evidence: Evidence
    reached: tuple[ReachedVerdict, ...]
    decided: Verdict | None
    more: int | None

    @property
    def name(self) -> str:
        return self.design.contrast.name

    @property
    def words(self) -> str:
        """The advice about this agent."""
        return continue_words(self.more) if self.decided is None else STOP_WORDS[self.decided]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceState:
    """`judges` counts all that were weighed; `is_stopped` says whether recruiting ends."""

    design: SequentialDesign
    agents: tuple[AgentState, ...]
    judges: int

    @property
    def is_answered(self) -> bool:
        """Whether every agent has its answer."""
        return all(agent.decided is not None for agent in self.agents)

    @property
    def at_most(self) -> bool:
        """Whether the largest number of judges is reached."""
        return self.design.most is not None and self.judges >= self.design.most

    @property
    def is_stopped(self) -> bool:
        return self.is_answered or self.at_most

    @property
    def more(self) -> int | None:
        """About how many further judges all answers take, at the present shares of the agents."""
        needs = [
            None if agent.more is None else agent.more * self.judges / max(agent.evidence.n, 1)
            for agent in self.agents
            if agent.decided is None
        ]
        left = None if self.design.most is None else max(0, self.design.most - self.judges)
        if None in needs:
            return left
        further = math.ceil(max((need for need in needs if need is not None), default=0.0))
        return further if left is None else min(further, left)

    @property
    def words(self) -> str:
        """One of: stop (and why), continue."""
        if self.is_answered:
            found = {agent.decided for agent in self.agents}
            if len(found) == 1:
                return self.agents[0].words
            return f"stop: every {self.design.unit} has its answer"
        if self.at_most:
            return f"stop: {self.design.most} judges, the largest number"
        return continue_words(self.more)

    @property
    def decided_agents(self) -> frozenset[str]:
        """The agents that have their answer."""
        return frozenset(agent.name for agent in self.agents if agent.decided is not None)


def continue_words(more: int | None) -> str:
    """
    >>> continue_words(12), continue_words(None)
    ('continue, about 12 more', 'continue, no answer in sight yet')
    """
    return "continue, no answer in sight yet" if more is None else f"continue, about {more} more"


def weigh(
    design: SequentialDesign,
    shares: Mapping[str, Sequence[Fraction]],
    judges: int,
    reached: Sequence[ReachedVerdict] = (),
) -> EvidenceState:
    """Weigh all shares to date. The same shares and answers give the same state, whatever the order
    of arrival.
    """
    agents = []
    for part in design.contrasts:
        name = part.contrast.name
        evidence = weigh_evidence([float(share) for share in shares.get(name, ())], part.rule)
        own = tuple(verdict for verdict in reached if verdict.agent == name)
        decided = next(
            (verdict.verdict for verdict in own if verdict.verdict in ENDING[design.until]), None
        )
        more = 0 if decided is not None else _more(design, evidence)
        agents.append(
            AgentState(design=part, evidence=evidence, reached=own, decided=decided, more=more)
        )
    return EvidenceState(design=design, agents=tuple(agents), judges=judges)


def _more(design: SequentialDesign, evidence: Evidence) -> int | None:
    """Judges to the first answer that counts. One that only awaits those of other agents takes at
    least one more.
    """
    needs = {"different": evidence.more_different, "equivalent": evidence.more_equivalent}
    known = [
        needs[verdict]
        for verdict in ENDING[design.until]
        if verdict in needs and needs[verdict] is not None
    ]
    return max(1, min(need for need in known if need is not None)) if known else None


def has_ended(design: SequentialDesign, judges: int, reached: Sequence[ReachedVerdict]) -> bool:
    """Whether recruiting ends: `EvidenceState.is_stopped`, without weighing anything."""
    ending = ENDING[design.until]
    decided = {verdict.agent for verdict in reached if verdict.verdict in ending}
    return set(design.names) <= decided or (design.most is not None and judges >= design.most)


def new_verdicts(
    design: SequentialDesign,
    shares: Mapping[str, Sequence[Fraction]],
    judges: int,
    reached: Sequence[ReachedVerdict],
) -> tuple[ReachedVerdict, ...]:
    """The answers that the evidence gives now and had not given before.

    For several agents an answer needs more evidence (e-BH): at most a share alpha of the answers of
    one kind may be false. The evidence of an answer that was given counts as it was then.
    """
    weighed = [
        log_evidence([float(share) for share in shares.get(part.contrast.name, ())], part.rule)
        for part in design.contrasts
    ]
    found: list[ReachedVerdict] = []
    for verdict in VERDICTS:
        before = {given.agent: given.log_evidence for given in reached if given.verdict == verdict}
        logs = [
            before.get(name, getattr(evidence, verdict))
            for name, evidence in zip(design.names, weighed, strict=True)
        ]
        # In units of the rule's own threshold, which a pool raises.
        surplus = [
            log - part.rule.log_threshold - math.log(design.alpha)
            for log, part in zip(logs, design.contrasts, strict=True)
        ]
        chosen = e_benjamini_hochberg(surplus, alpha=design.alpha)
        found += [
            ReachedVerdict(
                agent=name, verdict=verdict, n=evidence.n, judges=judges, log_evidence=log
            )
            for name, evidence, log, enough in zip(design.names, weighed, logs, chosen, strict=True)
            if enough and name not in before
        ]
    return tuple(found)
