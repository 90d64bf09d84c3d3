"""Output that every measure has: its groups, its pairs of groups with tests, findings for declared
comparisons.

The tables hold every group and every pair. Findings answer the plan: the pairs and groups that
hypotheses name, or all pairs of a measure that no hypothesis names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from believable.analysis.claims import name_clips, split_words
from believable.analysis.findings import (
    LOOSE_CELL,
    Column,
    Finding,
    Table,
    Undefined,
    estimate_cells,
    estimate_columns,
    number_or,
    table,
)
from believable.analysis.numbers import estimate_words, listed, number
from believable.analysis.own_design.group_contrasts import Contrast, equivalence
from believable.analysis.settled_plan import Plan
from believable.stats.estimate import Estimate
from believable.stats.result import Alternative, holm
from believable.study.measures import DeclaredMeasure, MeasureModel
from believable.study.own_design import MARGIN, MeasureSource, pair_name

#: Contrasts a pair of groups: `(first, second, alternative) → contrast`.
Contrasting = Callable[[str, str, Alternative], Contrast]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureContext:
    """One measure of the plan with everything settled: what its section is made from."""

    name: str
    title: str
    measure: DeclaredMeasure
    source: MeasureSource
    model: MeasureModel
    groups: tuple[str, ...]
    plan: Plan

    @property
    def level(self) -> float:
        return self.plan.level

    @property
    def group_column(self) -> Column:
        by = self.measure.by.replace("_", " ")
        return Column(
            name="group", title=f"{by[0].upper()}{by[1:]}", about=f"level of {self.measure.by}"
        )

    def has_claim(self, about: str) -> bool:
        return any(
            hypothesis.about == about for hypothesis in self.plan.hypotheses(self.name, about)
        )


def pairs(context: MeasureContext) -> tuple[tuple[str, str], ...]:
    """All pairs of groups, in the order of the study file; a hypothesis that names one the other
    way round turns it.
    """
    return tuple(
        (second, first) if context.has_claim(pair_name(second, first)) else (first, second)
        for first, second in combinations(context.groups, 2)
    )


def contrasts(context: MeasureContext, contrast: Contrasting) -> tuple[Contrast, ...]:
    """Every pair, each on the side that its hypothesis looks at."""
    return tuple(
        contrast(first, second, context.plan.alternative(context.name, pair_name(first, second)))
        for first, second in pairs(context)
    )


def group_findings(
    context: MeasureContext,
    estimates: Sequence[Estimate],
    words: Callable[[str, Estimate], str],
    scopes: Mapping[str, str],
) -> Iterator[Finding]:
    """Groups that a hypothesis speaks of alone. `scopes` names the stimuli of groups whose interval
    is over people alone.
    """
    for group, estimate in zip(context.groups, estimates, strict=True):
        if context.has_claim(group):
            sentence, scope = words(group, estimate), scopes.get(group, "")
            if scope:
                sentence = f"For {scope}: {sentence}"
            yield Finding(
                outcome=context.name,
                title=f"{context.title}, {group}",
                sentence=sentence,
                estimate=estimate,
                about=group,
                scope=scope,
            )


def contrast_findings(
    context: MeasureContext, all_contrasts: Sequence[Contrast], words: Callable[[Contrast], str]
) -> Iterator[Finding]:
    """Pairs that hypotheses speak of; all of them if none does, or if one does not name any."""
    named = any(
        hypothesis.outcome == context.name for hypothesis in context.plan.declared.hypotheses
    )
    for contrast in all_contrasts:
        about = pair_name(contrast.first, contrast.second)
        claims = context.plan.hypotheses(context.name, about)
        if named and not claims:
            continue
        title = f"{context.title}, {contrast.first} against {contrast.second}"
        if not claims or any(claim.criterion != "equivalent" for claim in claims):
            test = contrast.test
            yield _about(
                context,
                contrast,
                Finding(
                    outcome=context.name,
                    title=title,
                    sentence=words(contrast),
                    estimate=test.estimate,
                    test=test,
                    about=about,
                ),
            )
        if any(claim.criterion == "equivalent" for claim in claims):
            yield _about(context, contrast, _equivalence_finding(context, contrast, about))


def _about(context: MeasureContext, contrast: Contrast, finding: Finding) -> Finding:
    """The finding with its sources of variance; it says that it is about these clips if it is."""
    clips = contrast.clips[0]
    if not clips:
        return finding
    scope = "" if context.plan.over == "both" else name_clips(clips)
    parts = "" if contrast.split is None else split_words(contrast.split, judges="people")
    sentences = [
        f"For {scope}: {words}" if scope else words for words in (finding.sentence, parts) if words
    ]
    return replace(finding, sentence=" ".join(sentences), scope=scope)


def _equivalence_finding(context: MeasureContext, contrast: Contrast, about: str) -> Finding:
    margin = float(context.plan.test_option(context.name, MARGIN.name))
    test = equivalence(contrast, margin, context.plan.alpha)
    known = test.estimate is not None and test.estimate.value is not None
    difference = (
        f": difference {estimate_words(test.estimate)}"
        if test.estimate is not None and known
        else ""
    )
    sentence = (
        f"{context.title}: {contrast.first} and {contrast.second} were compared within a margin of"
        f" {margin:g}{difference}."
    )
    title = f"{context.title}, equivalence of {contrast.first} and {contrast.second}"
    return Finding(
        outcome=context.name,
        title=title,
        sentence=sentence,
        estimate=test.estimate,
        test=test,
        about=about,
        kind="equivalence",
    )


def difference_words(context: MeasureContext, contrast: Contrast, what: str) -> str:
    """`Humanness of human minus that of scripted …`, or why it cannot be said."""
    test = contrast.test
    name = f"{context.title}: {what.format(first=contrast.first, second=contrast.second)}"
    if test.estimate is None or test.estimate.value is None:
        return f"{name} cannot be estimated ({test.reason})."
    effect = ""
    if test.effect is not None and test.effect.value is not None:
        effect = f"; {_effect_name(test.effect)} = {number(test.effect.value)}"
    return f"{name} is {estimate_words(test.estimate)}{effect}."


def _effect_name(effect: Estimate) -> str:
    """Its symbol: the words before the comma, without the author."""
    return effect.method.partition(",")[0].removeprefix("Cohen's ").removeprefix("Hedges' ")


def contrast_table(
    context: MeasureContext, all_contrasts: Sequence[Contrast], estimate: str, *, ranks: bool
) -> Table:
    """Every pair with its test; p once as it is, and once adjusted by Holm's method over the pairs
    of this table.
    """
    adjusted = holm([contrast.test.p_value for contrast in all_contrasts])
    rows: list[tuple[LOOSE_CELL, ...]] = []
    for contrast, p_holm in zip(all_contrasts, adjusted, strict=True):
        test, none = contrast.test, contrast.test.reason or "undefined"
        value = test.estimate
        effect = test.effect
        size = number_or(
            None if effect is None else effect.value, (effect.reason if effect else "") or none
        )
        order = contrast.ranks
        rows.append(
            (
                (
                    f"{contrast.first} − {contrast.second}"
                    if ranks
                    else f"{contrast.first} / {contrast.second}"
                ),
                test.n,
                *(estimate_cells(value) if value is not None else (Undefined(none),) * 3),
                number_or(test.statistic, none),
                number_or(
                    test.df[0] if test.df else None, none if test.statistic is None else "has none"
                ),
                number_or(test.p_value, none),
                number_or(p_holm, none),
                *(
                    (
                        size,
                        (
                            number_or(order.p_value, order.reason or none)
                            if order
                            else Undefined(none)
                        ),
                    )
                    if ranks
                    else ()
                ),
                contrast.formula or test.method,
            )
        )
    more = (
        (
            Column(
                name="effect",
                title="d",
                form="number",
                digits=2,
                about="standardised effect: dz of people who judged both, else Hedges' g",
            ),
            Column(
                name="p_ranks",
                title="p ranks",
                form="p",
                about="Wilcoxon or Mann–Whitney test of people's means",
            ),
        )
        if ranks
        else ()
    )
    return table(
        f"{context.name}_contrasts",
        f"{context.title}: {'differences' if ranks else 'odds ratios'} between groups",
        (
            Column(name="contrast", title="Contrast"),
            Column(name="people", title="People", form="integer"),
            *estimate_columns("estimate", estimate),
            Column(
                name="statistic",
                title="t or z" if ranks else "z or k",
                form="number",
                about="t, z, or the count of an exact test",
            ),
            Column(name="df", title="df", form="number", digits=1),
            Column(name="p", title="p", form="p"),
            Column(
                name="p_holm",
                title="p Holm",
                form="p",
                about="adjusted over the contrasts of this table",
            ),
            *more,
            Column(name="method", title="Model or test"),
        ),
        rows,
        status="exploratory",
        note=(
            "Each contrast uses the judgements of its two groups. p Holm is adjusted over the rows"
            " of this table; the verdict on a hypothesis uses the adjustment that the plan"
            " declares."
        )
        + sides_note(context, all_contrasts, " − " if ranks else " / "),
    )


def sides_note(context: MeasureContext, all_contrasts: Sequence[Contrast], between: str) -> str:
    """Which p of a table are one-sided, and which rows no hypothesis is about: one column may hold
    both kinds.
    """
    directed, free = [], []
    for contrast in all_contrasts:
        name = f"{contrast.first}{between}{contrast.second}"
        if contrast.test.alternative != "two-sided":
            directed.append(name)
        if not context.plan.hypotheses(context.name, pair_name(contrast.first, contrast.second)):
            free.append(name)
    said = ""
    if directed:
        others = "" if len(directed) == len(all_contrasts) else "; the others are two-sided"
        said = f" One-sided, as their hypotheses are: p of {listed(directed)}{others}."
    if free and len(free) < len(all_contrasts):
        said += f" Without a hypothesis, and therefore exploratory: {listed(free)}."
    return said
