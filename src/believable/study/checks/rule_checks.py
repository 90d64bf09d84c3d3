"""Rules: they look at answers that have been given, and at values that can occur."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from believable.contracts.instrument import Instrument
from believable.contracts.record import Rule
from believable.contracts.registries import INSTRUMENTS
from believable.contracts.trial import Entry, Question, outline
from believable.core.errors import InvalidInput
from believable.core.nodes import Node
from believable.study.question_reading import impossible_answer
from believable.study.reading import Reading
from believable.study.wording import shown, unknown

_NUMERIC = ("number", "integer")


def check_rules(reading: Reading) -> None:
    entries = list(outline(reading.study.timeline))
    checker = _RuleChecker(reading, entries)
    for index, entry in enumerate(entries):
        place = reading.place(entry.item)
        if entry.item.skip_if is not None:
            checker.check(entry.item.skip_if, place.get("skip_if"), index)
        for number, question in enumerate(entry.item.all_questions):
            if question.show_if is not None:
                checker.check(
                    question.show_if, reading.place(question).get("show_if"), index, number
                )


class _RuleChecker:
    def __init__(self, reading: Reading, entries: Sequence[Entry]) -> None:
        self._reading = reading
        self._entries = entries
        self._index = {entry.item.id: i for i, entry in reversed(list(enumerate(entries)))}

    def check(self, rule: Rule, node: Node | None, index: int, number: int | None = None) -> None:
        """`index` is the entry that holds the rule, `number` its question where the rule is a
        `show_if`.
        """
        if node is None or self._reading.is_broken(node.path):
            return
        if rule.arm is not None:
            self._arm(rule, node)
            return
        if rule.opened is not None:
            self._check_opened(rule, node, index, number)
            return
        target = self._question(rule, node, index, number)
        if target is not None:
            self._value(rule, node, *target)

    # ------------------------------------------------------------------------------------------
    # arms

    def _arm(self, rule: Rule, node: Node) -> None:
        arms = self._reading.study.arms
        if self._reading.is_broken("arms"):
            return
        if rule.arm not in arms:
            self._reading.report(node.value["arm"], *unknown("arm", str(rule.arm), arms))
            return
        test, value = rule.test
        place = node.value[test]
        if test not in ("is", "is_not", "in"):
            self._reading.report(
                place, f"an arm cannot be tested with {test!r}.", "Use is, is_not or in."
            )
            return
        levels = arms[rule.arm]
        values, places = (value, list(place)) if test == "in" else ((value,), [place])
        strange = [
            (value, at) for value, at in zip(values, places, strict=True) if value not in levels
        ]
        for value, at in strange:
            self._reading.report(at, *unknown(f"level of arm {rule.arm!r}:", str(value), levels))
        if not strange and test in ("is", "in") and set(levels) <= set(values):
            self._reading.report(
                place,
                f"this holds in every arm of {rule.arm!r}.",
                "Leave a level out, or remove the rule.",
            )

    # ------------------------------------------------------------------------------------------
    # opened overlays

    def _check_opened(self, rule: Rule, node: Node, index: int, number: int | None) -> None:
        trial, place = self._entries[index].item, node.value["opened"]
        if number is None:
            message = (
                "what was opened beside a player decides about questions of its own page only."
            )
            self._reading.report(place, message, "Use it in `show_if` of a question below `ask:`.")
            return
        there = trial.player.overlays
        if trial.rated_turn is not None:
            there = tuple(
                name
                for entry in self._entries[:index]
                if trial.is_about(entry.item)
                for name in entry.item.player.overlays
            )
        if not (there if rule.opened == "any" else rule.opened in there):
            message = (
                f"nothing on this page opens {shown(place)}, so the question would never be asked."
            )
            cure = (
                "Ask it below a `watch` with `overlay:"
                f" {{{'log' if rule.opened == 'log' else 'plan'}: true}}`."
            )
            self._reading.report(place, message, cure)

    # ------------------------------------------------------------------------------------------
    # answers

    def _question(
        self, rule: Rule, node: Node, index: int, number: int | None
    ) -> tuple[Question, str | None] | None:
        """The question that a rule looks at and the item named, if it has been asked by then."""
        place = node.value["answer"]
        trial, _, rest = str(rule.answer).partition(".")
        name, _, item = rest.partition(".")
        reading = self._reading
        if {trial, "*", f"{trial}.{name}", f"{trial}.*", f"*.{name}", "*.*"} & reading.doubtful:
            return None
        if not rest:
            reading.report(
                place,
                f"expected trial.question, got {shown(place)}.",
                "Write `answer: trial.question`.",
            )
            return None
        target = self._index.get(trial)
        asking = {entry.item.id for entry in self._entries if entry.item.all_questions}
        if target is None or trial not in asking:
            reading.report(place, *unknown("trial with questions", trial, asking))
            return None
        questions = self._entries[target].item.all_questions
        asked = next((question for question in questions if question.id == name), None)
        if asked is None:
            reading.report(
                place,
                *unknown(f"question of {trial!r}:", name, [question.id for question in questions]),
            )
            return None
        holder = self._entries[target].item
        if asked in holder.repeated_questions and not (
            target == index and number is not None and number < len(holder.repeated_questions)
        ):
            message = f"{trial}.{name} is asked for each clip, so there is more than one answer."
            reading.report(place, message, "Use it in rules below `rate:` of the same page only.")
            return None
        own_page = target == index and number is not None and questions.index(asked) < number
        if target >= index and not own_page:
            line = reading.place(asked).line
            cure = "Put the question in front of the rule."
            reading.report(
                place, f"the answer {trial}.{name} is only given later, in line {line}.", cure
            )
            return None
        shuffling = None if own_page else self._shuffling_block(target, index)
        if shuffling is not None:
            cure = "Set `order: fixed`, or move the question in front of the block."
            reading.report(
                place, f"block {shuffling!r} is shuffled, so {trial}.{name} may come later.", cure
            )
            return None
        return asked, item or None

    def _shuffling_block(self, target: int, index: int) -> str | None:
        """The id of the block that puts both in an order of chance."""
        around = self._entries[index].blocks
        shared = [
            block
            for block in self._entries[target].blocks
            if any(block is outer for outer in around)
        ]
        if shared and shared[-1].over is None and shared[-1].order != "fixed":
            return shared[-1].id
        return None

    # ------------------------------------------------------------------------------------------
    # values

    def _value(self, rule: Rule, node: Node, question: Question, item: str | None) -> None:
        kind = INSTRUMENTS[question.kind]
        if self._reading.is_broken(self._reading.place(question).path):
            return
        items = kind.items(question.params)
        test, value = rule.test
        place = node.value["answer"]
        if item is not None and item not in items:
            self._reading.report(place, *unknown(f"row of {question.id!r}:", item, items))
        elif items and item is None and test != "answered":
            cure = f"Write `answer: {rule.answer}.ROW` with one of: {', '.join(items)}."
            self._reading.report(place, f"{question.id!r} has several rows.", cure)
        elif test in ("at_least", "at_most"):
            self._bound(test, value, node.value[test], kind, question)
        elif test == "in":
            for option, at in zip(value, node.value[test], strict=True):
                self._possible(option, at, kind, question)
        elif test != "answered":
            self._possible(value, node.value[test], kind, question)

    def _bound(
        self, test: str, value: float, node: Node, kind: Instrument[Any], question: Question
    ) -> None:
        options = kind.options(question.params)
        numbers = [option for option in options if isinstance(option, int)]
        if len(numbers) < len(options) or (
            not options and not all(record.type in _NUMERIC for record in kind.records)
        ):
            message = f"answers of {question.id!r} are no numbers, so {test!r} cannot hold."
            self._reading.report(node, message, "Use is, is_not or in.")
            return
        least, greatest = (min(numbers), max(numbers)) if numbers else kind.bounds(question.params)
        if test == "at_least" and greatest is not None and value > greatest:
            message = (
                f"{value:g} is out of reach: answers of {question.id!r} are at most {greatest:g}."
            )
            self._reading.report(node, message, "Choose a smaller number.")
        if test == "at_most" and least is not None and value < least:
            message = (
                f"{value:g} is out of reach: answers of {question.id!r} are at least {least:g}."
            )
            self._reading.report(node, message, "Choose a greater number.")

    def _possible(self, value: Any, node: Node, kind: Instrument[Any], question: Question) -> None:
        options = kind.options(question.params)
        parts = value if isinstance(value, list | tuple) else (value,)
        if options:
            possible = all(any(_same(part, option) for option in options) for part in parts)
        else:
            possible = _readable(kind, question, value)
        if not possible:
            self._reading.report(node, *impossible_answer(kind, question, value))


def _same(value: Any, option: str | int) -> bool:
    if isinstance(value, bool):
        return False
    return bool(value == option) or (isinstance(option, str) and str(value) == option)


def _readable(kind: Instrument[Any], question: Question, value: Any) -> bool:
    try:
        kind.read(question.params, value)
    except InvalidInput:
        return False
    return True
