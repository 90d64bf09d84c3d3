"""Choices between two: how often each group is preferred to each other, pair by pair and on one
scale.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from believable.analysis.claims import Claim, name_clips, refuse
from believable.analysis.data import Data, rows_of
from believable.analysis.findings import (
    LOOSE_CELL,
    Chart,
    Column,
    Section,
    estimate_cells,
    estimate_columns,
    number_or,
    table,
)
from believable.analysis.numbers import counted, estimate_words
from believable.analysis.own_design.contrast_tables import (
    MeasureContext,
    contrast_findings,
    contrasts,
    group_findings,
    sides_note,
)
from believable.analysis.own_design.group_contrasts import Contrast
from believable.analysis.own_design.measured_rows import BoolArray, IntArray, ObjectArray
from believable.analysis.own_design.sampled_stimuli import in_words
from believable.analysis.own_design.share_sections import mean_of_shares
from believable.stats.bradley_terry import bradley_terry
from believable.stats.counts import binomial
from believable.stats.crossed import variance_split
from believable.stats.crossed_contrasts import crossed_share_test
from believable.stats.effects import dz
from believable.stats.estimate import Estimate, undefined
from believable.stats.inputs import FloatArray
from believable.stats.location import paired_t
from believable.stats.means import mean_t
from believable.stats.pairs import comparisons
from believable.stats.result import Alternative, holm, no_result
from believable.study.measures import BY_CONDITION
from believable.study.own_design import SIDES

_SHARE = "mean of people's shares, Wilson interval with the effective number"


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedChoices:
    """One entry per choice between two groups. `score` is 1 where the first of the page was chosen,
    0 where the second was, and one half where neither was. `left_out` counts choices that are about
    no two groups, `unanswered` those left open.
    """

    person: IntArray
    first: ObjectArray
    second: ObjectArray
    #: The two stimuli of the page, in either order; None if they are not known.
    clips: ObjectArray
    score: FloatArray
    left_out: int
    unanswered: int

    def __len__(self) -> int:
        return len(self.person)

    def clips_between(self, a: str, b: str) -> ObjectArray:
        """The stimuli of the decided choices between `a` and `b`, in the order of `between`."""
        straight: BoolArray = (self.first == a) & (self.second == b) & (self.score != 0.5)
        turned: BoolArray = (self.first == b) & (self.second == a) & (self.score != 0.5)
        return np.concatenate([self.clips[straight], self.clips[turned]])

    def scores_between(self, a: str, b: str) -> tuple[IntArray, FloatArray]:
        """People and scores of `a` in the choices between `a` and `b`."""
        straight: BoolArray = (self.first == a) & (self.second == b)
        turned: BoolArray = (self.first == b) & (self.second == a)
        person = np.concatenate([self.person[straight], self.person[turned]])
        return person, np.concatenate([self.score[straight], 1 - self.score[turned]])


def choices(data: Data, context: MeasureContext) -> PairedChoices:
    """The chosen stimulus: the answer's side, and the condition of the stimulus on that side."""
    table_, shown = data.table("answers"), data.table("shown")
    keep = table_["question"].values == context.source.question
    keep &= np.isin(table_["trial"].values.astype(str), context.source.trials)
    rows = np.flatnonzero(keep)
    person, position = data.code_of(table_)[rows], table_["position"].values[rows]
    code, place, player = data.code_of(shown), shown["position"].values, shown["player"].values
    on_page = Counter(zip(code.tolist(), place.tolist(), strict=True))
    two = np.fromiter(
        (on_page[key] == 2 for key in zip(person.tolist(), position.tolist(), strict=True)),
        np.bool_,
        len(rows),
    )
    sides = [
        rows_of([code, place, player], [person, position, np.full(len(rows), side)])
        for side in (0, 1)
    ]
    condition = np.full(
        len(shown) + 1, None, dtype=object
    )  # the last entry means a position without a stimulus, −1
    condition[:-1] = shown["condition"].values
    first, second = condition[sides[0]], condition[sides[1]]
    stimulus = np.full(len(shown) + 1, None, dtype=object)
    stimulus[:-1] = shown["stimulus"].values
    clips = np.empty(len(rows), dtype=object)
    clips[:] = [
        None if None in pair else " + ".join(sorted(map(str, pair)))
        for pair in zip(stimulus[sides[0]], stimulus[sides[1]], strict=True)
    ]
    answers = table_["value_text"].values[rows]
    answered = np.fromiter((answer is not None for answer in answers), np.bool_, len(rows))
    known = np.isin(first.astype(str), context.groups) & np.isin(second.astype(str), context.groups)
    apart = two & known & (first != second)
    score = np.array(
        [1.0 - SIDES[answer] if answer in SIDES else 0.5 for answer in answers], dtype=np.float64
    )
    kept = apart & answered
    return PairedChoices(
        person=person[kept],
        first=first[kept],
        second=second[kept],
        clips=clips[kept],
        score=score[kept],
        left_out=int((~apart & answered).sum()),
        unanswered=int((~answered).sum()),
    )


def preference_section(data: Data, context: MeasureContext) -> Section:
    """Shares of each pair against one half, and Bradley–Terry strengths of all groups."""
    judged = choices(data, context)
    compared = contrasts(
        context,
        lambda a, b, side: decide_pair(
            pair_contrast(judged, a, b, alternative=side, level=context.level), judged, context
        ),
    )
    adjusted = holm([contrast.test.p_value for contrast in compared])
    rows: list[tuple[LOOSE_CELL, ...]] = []
    for contrast, p_holm in zip(compared, adjusted, strict=True):
        person, score = judged.scores_between(contrast.first, contrast.second)
        test, none = contrast.test, contrast.test.reason or "undefined"
        estimate = test.estimate or undefined(none, method=_SHARE, n=0, level=context.level)
        rows.append(
            (
                f"{contrast.first} over {contrast.second}",
                len(np.unique(person)),
                len(score),
                int((score == 1).sum()),
                int((score == 0).sum()),
                int((score == 0.5).sum()),
                *estimate_cells(estimate),
                number_or(test.p_value, none),
                number_or(p_holm, none),
                test.method,
            )
        )
    shares = [won(judged, group, context.level) for group in context.groups]
    strengths = _strengths(judged, context)
    words = []
    undecided = int((judged.score == 0.5).sum())
    if undecided:
        words.append(
            f"{counted(undecided, 'choice')} named both or neither: counted in the table, left out"
            " of the shares, and ties in the strengths."
        )
    if judged.left_out:
        words.append(f"{counted(judged.left_out, 'choice')} between no two groups are not counted.")
    if judged.unanswered:
        words.append(f"{counted(judged.unanswered, 'choice')} left open are not counted.")
    share_columns = tuple(
        replace(column, form="share", digits=1)
        for column in estimate_columns(
            "share", "Share", about="share of decided choices for the first"
        )
    )
    return Section(
        name=context.name,
        title=context.title,
        paragraphs=tuple(words),
        findings=(
            *group_findings(
                context,
                shares,
                lambda group, share: (
                    f"{context.title}: {group} is preferred in {estimate_words(share)} of its"
                    " choices."
                ),
                {group: _scope(judged, group) for group in context.groups},
            ),
            *contrast_findings(context, compared, lambda contrast: _words(context, contrast)),
        ),
        tables=(
            table(
                f"{context.name}_pairs",
                f"{context.title}, pair by pair",
                (
                    Column(name="pair", title="Pair"),
                    Column(name="people", title="People", form="integer"),
                    Column(name="choices", title="Choices", form="integer"),
                    Column(
                        name="first", title="First", form="integer", about="choices of the first"
                    ),
                    Column(
                        name="second", title="Second", form="integer", about="choices of the second"
                    ),
                    Column(
                        name="undecided", title="Undecided", form="integer", about="both or neither"
                    ),
                    *share_columns,
                    Column(name="p", title="p", form="p"),
                    Column(
                        name="p_holm",
                        title="p Holm",
                        form="p",
                        about="adjusted over the pairs of this table",
                    ),
                    Column(name="method", title="Test"),
                ),
                rows,
                status="exploratory",
                note=sides_note(context, compared, " over ").strip(),
            ),
            table(
                f"{context.name}_strengths",
                f"{context.title}: strength of each group",
                (
                    context.group_column,
                    Column(name="choices", title="Choices", form="integer"),
                    *estimate_columns(
                        "strength",
                        "Log strength",
                        about="Bradley–Terry, centred; intervals clustered by person",
                    ),
                ),
                strengths,
                status="exploratory",
                note=(
                    "Equal strengths mean equal chances; a difference of 1 means odds of about 2.7"
                    " to 1."
                ),
            ),
        ),
        charts=(
            Chart(
                name=f"{context.name}_pairs_chart",
                title=f"{context.title}, pair by pair",
                kind="points",
                table=f"{context.name}_pairs",
                use={
                    "category": "pair",
                    "value": "share",
                    "low": "share_low",
                    "high": "share_high",
                },
                x_title="Share of choices for the first",
                rules=(("x", 0.5, "one half"),),
                x_range=(0, 1),
                caption="Points: shares of decided choices; bars: their intervals.",
            ),
            Chart(
                name=f"{context.name}_strengths_chart",
                title=f"{context.title}: strength of each group",
                kind="points",
                table=f"{context.name}_strengths",
                use={
                    "category": "group",
                    "value": "strength",
                    "low": "strength_low",
                    "high": "strength_high",
                },
                x_title="Log strength (Bradley–Terry)",
                caption="Points: strengths; bars: intervals clustered by person.",
            ),
        ),
    )


def _words(context: MeasureContext, contrast: Contrast) -> str:
    test = contrast.test
    pair = f"{context.title}: {contrast.first} over {contrast.second}"
    if test.estimate is None or test.estimate.value is None:
        return f"{pair} cannot be judged ({test.reason})."
    return f"{pair}, share of decided choices {estimate_words(test.estimate)}, against one half."


def pair_contrast(
    judged: PairedChoices, first: str, second: str, *, alternative: Alternative, level: float
) -> Contrast:
    """The share of decided choices for the first, against one half: exact where each person chose
    once, else over people.
    """
    person, score = judged.scores_between(first, second)
    decided = score != 0.5
    person, score = person[decided], score[decided]
    if not len(score):
        method, reason = "exact binomial test", f"nobody chose between {first} and {second}"
        estimate = undefined(reason, method="share", n=0, level=level)
        test = no_result(reason, method=method, n=0, alternative=alternative, estimate=estimate)
        return Contrast(first=first, second=second, design="within", test=test)
    people, counts = np.unique(person, return_counts=True)
    if counts.max() == 1:
        test = binomial(int(score.sum()), len(score), alternative=alternative, level=level)
        return Contrast(first=first, second=second, design="within", test=test)
    codes = np.searchsorted(people, person)
    shares = np.bincount(codes, weights=score) / np.bincount(codes)
    half = np.full(len(shares), 0.5)
    test = paired_t(shares, half, alternative=alternative, level=level)
    effect = dz(shares, half, level=level)
    test = replace(
        test,
        method="t test of people's shares against one half",
        estimate=mean_t(shares, level=level),
        effect=effect,
    )
    return Contrast(first=first, second=second, design="within", test=test)


def decide_pair(contrast: Contrast, judged: PairedChoices, context: MeasureContext) -> Contrast:
    """The contrast over people and pairs of stimuli if the plan asks for it, and its sources of
    variance.
    """
    person, score = judged.scores_between(contrast.first, contrast.second)
    person, score = person[score != 0.5], score[score != 0.5]
    clips = judged.clips_between(contrast.first, contrast.second)
    if not len(score) or context.measure.by != BY_CONDITION or any(clip is None for clip in clips):
        return contrast
    clips = clips.astype(str)
    count = len(set(clips.tolist()))
    known = replace(contrast, split=variance_split(score, person, clips), clips=(count, count))
    if context.plan.over == "judges":
        return known
    side = contrast.test.alternative
    test = crossed_share_test(score, person, clips, alternative=side, level=context.level)
    named = replace(in_words(test), n=contrast.test.n, effect=contrast.test.effect)
    subject = f"{contrast.first} and {contrast.second} in general"
    return replace(
        known,
        test=refuse(
            named,
            Claim(
                over="both",
                n_clips=count,
                unit="clip",
                subject=subject,
                least=None,
                people="people",
            ),
        ),
    )


def won(judged: PairedChoices, group: str, level: float) -> Estimate:
    """The share of decided choices with this group that it won, as the mean over people."""
    own = ((judged.first == group) | (judged.second == group)) & (judged.score != 0.5)
    if not own.any():
        return undefined(
            f"nobody chose between {group} and another", method=_SHARE, n=0, level=level
        )
    score = np.where(judged.first == group, judged.score, 1 - judged.score)[own]
    _, codes = np.unique(judged.person[own], return_inverse=True)
    return mean_of_shares(np.bincount(codes, weights=score) / np.bincount(codes), _SHARE, level)


def _scope(judged: PairedChoices, group: str) -> str:
    """The pairs of stimuli that the share of a group rests on: its interval is over people
    alone.
    """
    own = (judged.first == group) | (judged.second == group)
    known = {clip for clip in judged.clips[own].tolist() if clip is not None}
    return name_clips(len(known)) if known else ""


def _strengths(judged: PairedChoices, context: MeasureContext) -> list[tuple[LOOSE_CELL, ...]]:
    words = {1.0: "left", 0.0: "right", 0.5: "tie"}
    choices_coded = comparisons(
        [str(name) for name in judged.first],
        [str(name) for name in judged.second],
        [words[score] for score in judged.score.tolist()],
        judges=[str(code) for code in judged.person],
    )
    model = bradley_terry(choices_coded, level=context.level)
    rows: list[tuple[LOOSE_CELL, ...]] = []
    for group in context.groups:
        count = int(((judged.first == group) | (judged.second == group)).sum())
        known = group in model.items
        strength = (
            model.of(group)
            if known
            else undefined(f"nobody chose between {group} and another", method="", n=0)
        )
        rows.append((group, count, *estimate_cells(strength)))
    return rows
