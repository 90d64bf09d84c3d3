"""The questions of a group page: those about a clip are asked once for every clip, under an id of their own."""

from __future__ import annotations

from believable.study.records import Group, Question, Rule

#: Between the author's id and the number of the clip. No id of the file has it.
_MARK = "-"


def clip_id(question: str, clip: int) -> str:
    """`rating`, 1 → `rating-1`. Clips count from 0, in the order of the page."""
    return f"{question}{_MARK}{clip}"


def clip_of(question: str) -> tuple[str, int | None]:
    """`rating-1` → `rating`, 1; a question about the whole page has no clip.

    >>> clip_of("rating-1"), clip_of("favourite")
    (('rating', 1), ('favourite', None))
    """
    name, mark, clip = question.rpartition(_MARK)
    return (name, int(clip)) if mark and clip.isdecimal() else (question, None)


def expanded(group: Group) -> tuple[Question, ...]:
    """All questions of the page in order: clip by clip, then those about the whole page."""
    each = [question.id for question in group.rate]
    about_clips = [
        _of_clip(group.id, question, each, clip) for clip in range(group.size) for question in group.rate
    ]
    return (*about_clips, *group.ask)


def _of_clip(group: str, question: Question, each: list[str], clip: int) -> Question:
    rule = question.show_if and _rule_of_clip(group, question.show_if, each, clip)
    return question.model_copy(update={"id": clip_id(question.id, clip), "show_if": rule})


def _rule_of_clip(group: str, rule: Rule, each: list[str], clip: int) -> Rule:
    """A rule on another question about the clip looks at the answer for the same clip."""
    trial, _, rest = (rule.answer or "").partition(".")
    question, dot, item = rest.partition(".")
    if trial != group or question not in each:
        return rule
    return rule.model_copy(update={"answer": f"{trial}.{clip_id(question, clip)}{dot}{item}"})
