"""A study with `stopping: {rule: sequential}`: the question and the contrasts that are weighed, and
the form of evidence that its design allows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from believable.contracts.protocol import Declaration, JudgeEvidence
from believable.contracts.registries import PROTOCOLS
from believable.stats.stopping_rule import CLIP_SD, Form, StoppingRule, choose_rule
from believable.study.aimed_units import NotSequential, arm_of_agents, block_of_pairs, pair_blocks
from believable.study.declaration import About, DeclaredPlan, Stopping, Until
from believable.study.judge_shares import AskedPage, JudgeContrast, JudgedQuestion, asked_pages
from believable.study.levels import NOTHING_SETTLED, PAIR_MARK, levels, pair_of
from believable.study.measures import BY_CONDITION, DeclaredMeasure
from believable.study.own_design import groups_of, model_of, pair_name, source_of
from believable.study.plan import Assignment, Cell, cells, plan, session_seed
from believable.study.plan_roles import settled_roles
from believable.study.pool_draw import effective_draw
from believable.study.records import Stimulus, Study

#: The rule's defaults.
MARGIN = 0.1
UNTIL: Until = "both"
#: Plans that are looked at per condition, to see which clips judges are shown.
_PLANS = 12

Draw = Literal["fresh", "pool", "shared"]
Weighed = Literal["agents", "pairs"]

#: How a form of evidence is called in sentences.
FORM_NAMES: Mapping[Form, str] = {
    "symmetric": "the symmetric form (fresh clips, the two kinds exchangeable)",
    "betting": "the betting form",
    "t": "the t form (12 or more answers per judge)",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ContrastDesign:
    """One contrast as judges see it, and the rule that follows.

    trials    how many answers a judge gives about it, the fewest
    clips     how many clips the group with the fewest has
    draw      whether each judge sees fresh clips, some of a pool, or the same ones as all others
    balanced  whether a judge sees as many clips of both groups
    """

    contrast: JudgeContrast
    trials: int
    clips: int
    draw: Draw
    balanced: bool
    rule: StoppingRule

    @property
    def form_words(self) -> str:
        """The form and why, in words."""
        if self.draw == "fresh":
            return f"{FORM_NAMES[self.rule.form]}, fresh clips"
        if not self.rule.widening:
            return f"{FORM_NAMES[self.rule.form]}, only about these {self.clips} clips of each kind"
        return (
            f"{FORM_NAMES[self.rule.form]}, clips from a pool of {self.clips}, widened by"
            f" {self.rule.widening:.3f}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialDesign:
    """Everything that the rule needs.

    most      the largest number of judges; None for any
    outcome   the outcome of the analysis that the evidence is about
    lead      the outcome that is twice the share less 1; empty if there is none
    of        `agents`, each against the same reference, or `pairs` of any two
    aimed_arm  the arm whose levels are the agents, if assignment follows the evidence; else empty
    aimed_block  the same for pairs: the block whose levels they are
    """

    question: JudgedQuestion
    contrasts: tuple[ContrastDesign, ...]
    until: Until
    alpha: float
    margin: float
    most: int | None
    outcome: str
    lead: str = ""
    of: Weighed = "agents"
    aimed_arm: str = ""
    aimed_block: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(part.contrast.name for part in self.contrasts)

    @property
    def unit(self) -> str:
        """The word for one of them: agent, or pair."""
        return self.of.removesuffix("s")


def sequential_design(study: Study) -> SequentialDesign | None:
    """The design of a study with this rule; None for another rule. Raises NotSequential if the rule
    cannot be followed.
    """
    declared = study.analysis
    if declared is None or declared.stopping is None or declared.stopping.rule != "sequential":
        return None
    stopping = declared.stopping
    question, contrasts, outcome = _choose_weighed(declared, study)
    evidence = _evidence_of(declared)
    of: Weighed = "pairs" if evidence is not None and evidence.compares == "pairs" else "agents"
    aimed = stopping.assign == "aimed"
    margin = MARGIN if stopping.margin is None else stopping.margin
    alpha = declared.alpha if stopping.alpha is None else stopping.alpha
    if alpha <= 0.01:
        raise NotSequential(
            "alpha",
            f"expected more than 0.01, got {alpha:g} from the plan.",
            "Add `alpha: 0.05` to `stopping`.",
        )
    pages = _asked_in_plans(study, question, _count_plans(study, contrasts))
    designs = tuple(
        _contrast_design(contrast, question, pages, study, (margin, alpha))
        for contrast in contrasts
    )
    return SequentialDesign(
        question=question,
        contrasts=designs,
        until=stopping.until or UNTIL,
        alpha=alpha,
        margin=margin,
        most=stopping.n,
        outcome=outcome,
        lead="" if evidence is None else evidence.lead,
        of=of,
        aimed_arm=arm_of_agents(study, contrasts) if aimed and of == "agents" else "",
        aimed_block=block_of_pairs(study, contrasts).id if aimed and of == "pairs" else "",
    )


def _evidence_of(declared: DeclaredPlan) -> JudgeEvidence | None:
    return None if declared.protocol is None else PROTOCOLS[declared.protocol].declaration.evidence


# ----------------------------------------------------------------------------------------------
# question and contrasts


def _choose_weighed(
    declared: DeclaredPlan, study: Study
) -> tuple[JudgedQuestion, tuple[JudgeContrast, ...], str]:
    if declared.protocol is None:
        return _of_measure(declared, study)
    declaration = PROTOCOLS[declared.protocol].declaration
    evidence = declaration.evidence
    if evidence is None:
        able = [name for name in PROTOCOLS.names if PROTOCOLS[name].declaration.evidence]
        raise NotSequential(
            "rule",
            f"the protocol {declaration.name} has no choices between two kinds to weigh.",
            f"Use the rule complete or after_exclusions, or one of: {', '.join(able)}.",
        )
    roles = settled_roles(declared, study, declaration)
    return _of_protocol(evidence, roles, declared, declaration, study)


def _pairs_of(
    evidence: JudgeEvidence, question: JudgedQuestion, declared: DeclaredPlan, study: Study
) -> tuple[JudgeContrast, ...]:
    """The pairs that hypotheses name, as they name them; without any, those that judges see."""
    outcomes = {evidence.outcome, evidence.lead}
    claimed = [
        claim.about
        for claim in declared.hypotheses
        if claim.outcome in outcomes and claim.about and PAIR_MARK in claim.about
    ]
    seen = [
        name for block in pair_blocks(study) for name in levels(study, block, NOTHING_SETTLED)
    ] or [
        pair_name(*sorted(shown, key=study.conditions.index))
        for pages in _asked_in_plans(study, question, _PLANS * len(study.conditions))
        for page in pages
        if len(shown := {str(stimulus.condition) for stimulus in page.stimuli}) == 2
    ]
    by_pair: dict[frozenset[str], str] = {}
    for name in claimed or seen:
        by_pair.setdefault(frozenset(pair_of(name)), name)
    return tuple(
        JudgeContrast(name, (pair_of(name)[0],), (pair_of(name)[1],)) for name in by_pair.values()
    )


def _of_protocol(
    evidence: JudgeEvidence,
    roles: Mapping[str, tuple[str, ...]],
    declared: DeclaredPlan,
    declaration: Declaration,
    study: Study,
) -> tuple[JudgedQuestion, tuple[JudgeContrast, ...], str]:
    def option(name: str) -> object:
        return declared.options.get(name, declaration.option(name).default)

    if evidence.chance and option(evidence.chance) != 0.5:
        raise NotSequential(
            "rule",
            f"guessing has to give 0.5, and `options.{evidence.chance}` is"
            f" {option(evidence.chance)}.",
            "Use the rule after_exclusions.",
        )
    controls = option(evidence.controls) if evidence.controls else ()
    question = JudgedQuestion(
        names=roles[evidence.question],
        compares="answers" if evidence.compares == "answers" else "sides",
        yes=evidence.yes,
        open=evidence.open,
        controls=tuple(map(str, controls)) if isinstance(controls, list | tuple) else (),
    )
    if evidence.compares == "pairs":
        pairs = _pairs_of(evidence, question, declared, study) if question.names else ()
        if not pairs:
            raise NotSequential(
                "rule",
                f"{declaration.name} finds nothing to weigh: its role {evidence.question!r} has to"
                " be played, by a question about two clips.",
                "Name it in `roles`.",
            )
        return question, pairs, evidence.outcome
    reference = roles[evidence.reference]
    agents = [name for role in evidence.agents for name in roles[role]] or [
        name for name in study.conditions if name not in reference
    ]
    contrasts = tuple(
        JudgeContrast(agent, reference, (agent,))
        if evidence.chosen == "reference"
        else JudgeContrast(agent, (agent,), reference)
        for agent in dict.fromkeys(agents)
        if agent not in reference
    )
    if not question.names or not contrasts:
        raise NotSequential(
            "rule",
            f"{declaration.name} finds nothing to weigh: its roles {evidence.question!r},"
            f" {evidence.reference!r} and those of agents have to be played.",
            "Name them in `roles`.",
        )
    return question, contrasts, evidence.outcome


def _of_measure(
    declared: DeclaredPlan, study: Study
) -> tuple[JudgedQuestion, tuple[JudgeContrast, ...], str]:
    """A measure that compares conditions: a preference, a share, or a mean of a bounded scale."""
    chosen = declared.stopping.outcome if declared.stopping is not None else None
    ranked = dict.fromkeys((*declared.outcomes.primary, *declared.measures))
    fitting = {
        name: question
        for name in ranked
        if name in declared.measures
        and (question := _question_of(declared.measures[name], study)) is not None
    }
    if chosen is not None and chosen not in fitting:
        raise NotSequential(
            "outcome",
            f"{chosen!r} is no measure that can be weighed.",
            f"Choose one of: {', '.join(fitting) or 'none'}.",
        )
    if not fitting:
        raise NotSequential(
            "rule",
            "no measure can be weighed: it takes a preference, a share or a mean of a bounded"
            " scale, by condition.",
            "Use the rule complete or after_exclusions.",
        )
    name = next(iter(fitting)) if chosen is None else chosen
    groups = groups_of(declared.measures[name], study)
    claimed = [
        tuple(hypothesis.about.split("-"))
        for hypothesis in declared.hypotheses
        if hypothesis.outcome == name and hypothesis.about and "-" in hypothesis.about
    ]
    pairs = list(dict.fromkeys(claimed)) or list(combinations(groups, 2))
    contrasts = tuple(JudgeContrast(pair_name(a, b), (a,), (b,)) for a, b in pairs)
    return fitting[name], contrasts, name


def _question_of(measure: DeclaredMeasure, study: Study) -> JudgedQuestion | None:
    source = source_of(measure, study)
    if source is None or source.question is None or measure.by != BY_CONDITION:
        return None
    names = tuple(f"{trial}.{source.question}" for trial in source.trials)
    model = model_of(measure, source)
    if model == "preference":
        return JudgedQuestion(names=names, compares="sides")
    if model == "share":
        return JudgedQuestion(
            names=names, compares="answers", item=measure.item, yes=measure.yes or ("yes",)
        )
    least, greatest = source.scale
    if model != "mean" or least is None or greatest is None or (source.items and not measure.item):
        return None
    return JudgedQuestion(
        names=names, compares="answers", item=measure.item, scale=(least, greatest)
    )


# ----------------------------------------------------------------------------------------------
# what judges see


def _count_plans(study: Study, contrasts: Sequence[JudgeContrast]) -> int:
    """Return a number of plans that surely contains every contrast."""
    taken = [block.sample or 1 for block in pair_blocks(study)]
    return _PLANS * max(len(study.conditions), len(contrasts) // min(taken, default=1))


def _asked_in_plans(study: Study, question: JudgedQuestion, n_plans: int) -> list[list[AskedPage]]:
    """The asked pages of some sessions, over all arms and orders."""
    stimuli = {stimulus.id: stimulus for stimulus in study.stimuli}
    every = cells(study)
    return [
        list(
            asked_pages(
                question,
                plan(
                    study,
                    Assignment(
                        dict(cell.arms), dict(cell.rows), session_seed(study, number, "evidence")
                    ),
                ),
                stimuli,
            )
        )
        for number, cell in enumerate(_spread(every, n_plans))
    ]


def _spread(every: Sequence[Cell], n: int) -> Iterator[Cell]:
    """n cells: all of them in turn, or some of many."""
    chosen = every[:: max(1, len(every) // n)]
    return (chosen[number % len(chosen)] for number in range(n))


def _contrast_design(
    contrast: JudgeContrast,
    question: JudgedQuestion,
    plans: Sequence[Sequence[AskedPage]],
    study: Study,
    levels: tuple[float, float],
) -> ContrastDesign:
    about, stopping = _plan_of(study)
    seen = [_clips_of(contrast, question, pages) for pages in plans]
    shown = [clips for clips in seen if clips[0] and clips[1]]
    if not shown:
        raise NotSequential(
            "rule",
            f"no judge compares {_either(contrast.first)} with {_either(contrast.second)}.",
            "Show them to the same judges, or use the rule after_exclusions.",
        )
    all_clips = [
        {
            stimulus.id
            for stimulus in study.stimuli
            if stimulus.condition in group and stimulus.scenario not in question.controls
        }
        for group in (contrast.first, contrast.second)
    ]
    n_clips = min(map(len, all_clips))
    same = all(set(first) | set(second) == all_clips[0] | all_clips[1] for first, second in shown)
    trials = min(
        len(first) if question.compares == "sides" else len(first) + len(second)
        for first, second in shown
    )
    draw: Draw = "shared" if same else "pool"
    per_judge = max(
        len(_names([stimulus for page in pages for stimulus in page.stimuli], group))
        for pages in plans
        for group in (contrast.first, contrast.second)
    )
    if _lasts(study, n_clips, per_judge):
        draw = "fresh"
    balanced = all(len(first) == len(second) for first, second in shown)
    if draw == "shared" and about == "agent":
        raise NotSequential(
            "rule",
            f"all judges see the same clips of {contrast.name!r}, which says nothing about other"
            " clips, however many judges there are.",
            "Add `about: these clips` to `analysis`, or show each judge other clips.",
        )
    rule = choose_rule(
        trials=trials,
        pool=n_clips if draw == "pool" else None,
        shared=about != "agent",
        balanced=balanced,
        clip_sd=CLIP_SD if stopping.clip_sd is None else stopping.clip_sd,
        margin=levels[0],
        alpha=levels[1],
    )
    return ContrastDesign(
        contrast=contrast, trials=trials, clips=n_clips, draw=draw, balanced=balanced, rule=rule
    )


def _lasts(study: Study, clips: int, per_judge: int) -> bool:
    """Whether each judge up to the last sees clips that no other judge sees."""
    most = _plan_of(study)[1].n
    return effective_draw(study) == "fresh" and most is not None and clips >= most * per_judge


def _plan_of(study: Study) -> tuple[About, Stopping]:
    if study.analysis is None or study.analysis.stopping is None:
        raise AssertionError("a sequential study declares an analysis")
    return study.analysis.about, study.analysis.stopping


def _either(group: Sequence[str]) -> str:
    return " or ".join(group)


def _clips_of(
    contrast: JudgeContrast, question: JudgedQuestion, pages: Sequence[AskedPage]
) -> tuple[list[str], list[str]]:
    """The clips of each group that one judge's answers are about."""
    first: list[str] = []
    second: list[str] = []
    for page in pages:
        if {stimulus.scenario for stimulus in page.stimuli} & set(question.controls):
            continue
        own = [_names(page.stimuli, group) for group in (contrast.first, contrast.second)]
        if question.compares == "answers" or all(own):
            first += own[0]
            second += own[1]
    return first, second


def _names(stimuli: Sequence[Stimulus], group: Sequence[str]) -> list[str]:
    return [stimulus.id for stimulus in stimuli if stimulus.condition in group]


def clips_needed(design: ContrastDesign) -> int:
    """How many clips of each kind the pool needs, so that equivalence can be shown at all."""
    return math.ceil(design.clips * (design.rule.widening / design.rule.margin) ** 2) + 1
