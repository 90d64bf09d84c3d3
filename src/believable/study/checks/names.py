"""Names: ids that are used once, stimuli and conditions that exist, questions that have a prompt;
recruiting and arms.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from believable.contracts.trial import Question, TrialBase, outline
from believable.core.nodes import Node
from believable.study.plan import cell_count
from believable.study.reading import Reading
from believable.study.wording import unknown

#: A stimulus cannot be called this, because `stimulus: any` means something else.
_RESERVED = "any"


def check_stimuli(reading: Reading) -> None:
    study = reading.study
    places = [(stimulus, reading.place(stimulus)) for stimulus in study.stimuli]
    report_repeated(
        reading, [(stimulus.id, node.get("id") or node) for stimulus, node in places], "stimulus id"
    )
    for stimulus, node in places:
        if stimulus.id == _RESERVED:
            reading.report(
                node.get("id") or node,
                "'any' cannot be the id of a stimulus.",
                "Choose another id.",
            )
        known_condition(reading, stimulus.condition, node.get("condition"))
    _conditions(reading)


def known_condition(reading: Reading, name: str | None, node: Node | None) -> bool:
    """Return whether the study declares the condition; report it if not."""
    if (
        name is None
        or node is None
        or name in reading.study.conditions
        or reading.is_broken("conditions")
    ):
        return True
    message, cure = unknown("condition", name, reading.study.conditions)
    reading.report(
        node,
        message,
        cure if reading.study.conditions else f"Declare it: `conditions: [{name}, …]`.",
    )
    return False


def known_scenario(reading: Reading, name: str | None, node: Node | None) -> bool:
    if (
        name is None
        or node is None
        or name in reading.study.scenarios
        or reading.is_broken("stimuli")
    ):
        return True
    message, cure = unknown("scenario", name, reading.study.scenarios)
    reading.report(node, message, cure if reading.study.scenarios else "Give stimuli a `scenario`.")
    return False


def known_stimulus(reading: Reading, name: str, node: Node) -> bool:
    names = {stimulus.id for stimulus in reading.study.stimuli}
    if name in names or {f"stimulus:{name}", "stimulus:*"} & reading.doubtful:
        return True
    reading.report(node, *unknown("stimulus", name, names))
    return False


def _conditions(reading: Reading) -> None:
    place = reading.root.get("conditions")
    if place is None or not place.is_list or reading.is_broken("conditions"):
        return
    report_repeated(reading, [(node.value, node) for node in place], "condition")
    if reading.is_broken("stimuli"):
        return
    used = {stimulus.condition for stimulus in reading.study.stimuli}
    if any(entry.item.plays_round for entry in outline(reading.study.timeline)):
        return  # conditions may be those of rounds; see `pages.play`
    for node in place:
        if node.value not in used:
            cure = "Give a stimulus this condition, or remove it."
            reading.report(
                node, f"no stimulus has the condition {node.value!r}.", cure, severity="warning"
            )


def check_timeline(reading: Reading) -> None:
    entries = list(outline(reading.study.timeline))
    _check_ids(reading, [entry.item for entry in entries], "trial id")
    for entry in entries:
        _check_ids(reading, entry.item.all_questions, "question id")
        _prompts(reading, entry.item)


def report_repeated(reading: Reading, nodes: Iterable[tuple[str, Node]], what: str) -> None:
    """Report each name that was given before."""
    lines: dict[str, int] = {}
    for name, node in nodes:
        if name in lines:
            reading.report(
                node,
                f"the {what} {name!r} is used in line {lines[name]} already.",
                "Give it another one.",
            )
        lines.setdefault(name, node.line)


def _check_ids(
    reading: Reading, records: Sequence[TrialBase] | Sequence[Question], what: str
) -> None:
    places = [(record.id, reading.place(record).get("id")) for record in records]
    report_repeated(reading, [(name, node) for name, node in places if node is not None], what)


def _prompts(reading: Reading, item: TrialBase) -> None:
    """A heading can replace a prompt; without either the question is unclear."""
    if getattr(item, "title", None) is not None or getattr(item, "text", None) is not None:
        return
    for question in item.all_questions:
        place = reading.place(question)
        if question.prompt is None and not reading.is_broken(place.path):
            message = f"the question {question.id!r} has no prompt: people see only how to answer."
            reading.report(place, message, "Add `prompt: …`.", severity="warning")


#: Past this, finding the least filled cell would be slow and no study could fill them.
MAX_CELLS = 20_000


def check_recruiting(reading: Reading, *, now_ms: int) -> None:
    _platform(reading)
    _closing(reading, now_ms)


def check_arms(reading: Reading) -> None:
    place = reading.root.get("arms")
    if place is not None and not reading.is_broken("arms"):
        tested = _tested_arms(reading)
        misnamed = bool(tested - set(reading.study.arms) - {None})
        for name, levels in reading.study.arms.items():
            node = place.value[name]
            report_repeated(reading, [(level.value, level) for level in node], "level")
            if not levels:
                reading.report(node, f"the arm {name!r} has no levels.", "List two or more.")
            elif len(levels) == 1:
                message = f"the arm {name!r} has one level, so everybody is in it."
                reading.report(
                    node, message, "Add another level, or remove the arm.", severity="warning"
                )
            elif name not in tested and not misnamed and not reading.doubtful:
                message = f"people are spread over {name!r}, but no rule looks at it."
                cure = f"Use it: `skip_if: {{arm: {name}, is: {levels[0]}}}`."
                reading.report(node, message, cure, severity="warning")
    if not any(problem.severity == "error" for problem in reading.problems):
        _cells(reading)


def _tested_arms(reading: Reading) -> set[str | None]:
    entries = list(outline(reading.study.timeline))
    rules = [entry.item.skip_if for entry in entries]
    rules += [question.show_if for entry in entries for question in entry.item.all_questions]
    read = {arm for entry in entries for arm in entry.item.arms_read}
    return {rule.arm for rule in rules if rule is not None} | read


def _cells(reading: Reading) -> None:
    study = reading.study
    count = cell_count(study)
    place = reading.root.get("arms") or reading.root.get("timeline") or reading.root
    if count > MAX_CELLS:
        message = f"arms and Latin squares make {count:,} combinations, the limit is {MAX_CELLS:,}."
        reading.report(place, message, "Use `order: random` for some blocks.")
    elif study.recruit.limit is not None and study.recruit.limit < count:
        recruit = reading.root.get("recruit") or reading.root
        message = (
            f"{study.recruit.limit} participants cannot fill the {count} combinations of arms and"
            " orders."
        )
        reading.report(
            recruit.get("limit") or recruit,
            message,
            f"Recruit at least {count}.",
            severity="warning",
        )


def _platform(reading: Reading) -> None:
    place = reading.root.get("recruit")
    recruit = reading.study.recruit
    if place is None or reading.is_broken("recruit"):
        return
    if recruit.platform == "custom" and recruit.id_parameter is None:
        reading.report(
            place, "a custom platform without an id parameter.", "Add `id_parameter: NAME`."
        )
    if recruit.platform != "custom" and recruit.id_parameter is not None:
        node = place.get("id_parameter") or place
        cure = "Set `platform: custom`, or remove it."
        reading.report(
            node, f"id_parameter is for custom platforms, not for {recruit.platform!r}.", cure
        )


def _closing(reading: Reading, now_ms: int) -> None:
    place = reading.root.get("recruit")
    closes = reading.study.recruit.closes
    if place is None or closes is None:
        return
    if closes.timestamp() * 1000 <= now_ms:
        node = place.get("closes") or place
        cure = "Choose a later one before recruiting."
        reading.report(
            node,
            f"the closing date {closes:%Y-%m-%d %H:%M} UTC has passed.",
            cure,
            severity="warning",
        )
