"""Judgements of two that another tool collected: one line per judge and pair becomes the bundle of
a comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from believable.bundle.folder import BundleFolder
from believable.bundle.foreign_csv import foreign_rows
from believable.bundle.imports import imported_participant, judge_tables
from believable.bundle.session_records import StudyRecord
from believable.bundle.tables import Cell
from believable.bundle.write import WrittenBundle, write_codebook
from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean

HUMAN, AGENT = "human", "agent"
#: Source column → names of its column. The first is the one that messages use.
COLUMNS = {
    "judge": ("judge", "participant", "session"),
    "pair": ("pair", "trial", "question"),
    "chosen": ("chosen", "choice", "answer"),
    "correct": ("correct",),
    "human": ("human", "human_side"),
    "agent": ("agent", "condition"),
    "scenario": ("scenario",),
    "certainty": ("certainty", "uncertainty"),
    "why": ("why", "text", "reason"),
    "game": ("familiarity_game", "game"),
    "genre": ("familiarity_genre", "genre"),
    "group": ("group", "arm", "study"),
}
FIRST, SECOND = frozenset({"first", "left", "a", "1"}), frozenset({"second", "right", "b", "2"})
YES, NO = frozenset({"1", "true", "yes", "1.0"}), frozenset({"0", "false", "no", "0.0"})
#: The trials of a judge, as the ready study calls them.
PAIRS, FAMILIARITY = "pairs", "familiarity"
PEOPLE_QUESTIONS = {"game": "choice", "genre": "choice"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoChoice:
    """One judged pair.

    human_first   whether the human one was player A (left) on the page; None if the file does not
                  say
    chose_human   whether the human one was chosen; None if the choice was left open
    """

    line: int
    pair: str
    agent: str
    scenario: str
    human_first: bool | None
    chose_human: bool | None
    certainty: float | None
    why: str


@dataclass(frozen=True, slots=True)
class ForeignJudge:
    """Everything one judge said."""

    name: str
    group: str
    about: Mapping[str, str]
    choices: tuple[TwoChoice, ...]


@dataclass(frozen=True, slots=True)
class ChoiceFile:
    """The judges of a file, and the columns that were not read."""

    judges: tuple[ForeignJudge, ...]
    unread: tuple[str, ...]

    @property
    def n_open(self) -> int:
        """Count the pairs without an answer."""
        return sum(choice.chose_human is None for judge in self.judges for choice in judge.choices)

    @property
    def without_sides(self) -> int:
        """Count the pairs whose order on the page is not known."""
        return sum(choice.human_first is None for judge in self.judges for choice in judge.choices)


@dataclass(slots=True)
class _Gathered:
    group: str
    about: dict[str, str] = field(default_factory=dict)
    choices: dict[str, TwoChoice] = field(default_factory=dict)


def read_choices(path: Path) -> ChoiceFile:
    """One line per judge and pair: `judge`, `pair`, and the choice, either as `correct` or as
    `chosen` with `human`.

    chosen and human  sides (left, right; A, B; first, second; 1, 2), or `chosen` names human or the
    agent
    further           agent, scenario, certainty (1 certain … 5 uncertain), why, familiarity_game,
                      familiarity_genre, group
    """
    with foreign_rows(path, "choices") as rows:
        place = _places(path, rows.names)
        judges: dict[str, _Gathered] = {}
        for line, row in rows:
            _add(
                judges,
                {what: row[name].strip() for what, name in place.items()},
                f"{path}:{line}",
                line,
            )
        names = [name for name in rows.names if name and name not in place.values()]
    if not judges:
        raise InvalidInput(
            f"{path}: there is no line with a choice in it. Export the choices again."
        )
    return ChoiceFile(
        tuple(
            ForeignJudge(name, judge.group, judge.about, tuple(judge.choices.values()))
            for name, judge in judges.items()
        ),
        tuple(names),
    )


def _places(path: Path, names: Sequence[str]) -> dict[str, str]:
    folded = {name.casefold(): name for name in names}
    place = {
        what: folded[next(option for option in options if option in folded)]
        for what, options in COLUMNS.items()
        if any(option in folded for option in options)
    }
    for what in ("judge", "pair"):
        if what not in place:
            raise InvalidInput(
                f"{path}:1: expected a column `{what}`, got {', '.join(names) or 'nothing'}."
                f" {did_you_mean(what, names)}"
            )
    if "correct" not in place and "chosen" not in place:
        raise InvalidInput(
            f"{path}:1: expected a column `correct` (1: the human one was chosen), or `chosen` and"
            f" `human` with sides, got {', '.join(names)}."
        )
    return place


def _add(judges: dict[str, _Gathered], cells: Mapping[str, str], place: str, line: int) -> None:
    name, pair = cells["judge"], cells["pair"]
    if not name or not pair:
        raise InvalidInput(f"{place}: expected a judge and a pair, got {name!r} and {pair!r}.")
    judge = judges.setdefault(name, _Gathered(cells.get("group", "")))
    if pair in judge.choices:
        raise InvalidInput(
            f"{place}: {name} has judged pair {pair!r} already, in line {judge.choices[pair].line}."
            " Remove one of them."
        )
    for what in PEOPLE_QUESTIONS:
        if cells.get(what) and judge.about.setdefault(what, cells[what]) != cells[what]:
            raise InvalidInput(
                f"{place}: {what} of {name} is {cells[what]!r} here and {judge.about[what]!r}"
                " before. Correct one of them."
            )
    if cells.get("group", "") != judge.group:
        raise InvalidInput(
            f"{place}: {name} is in group {cells['group']!r} here and {judge.group!r} before."
        )
    human_first, chose_human = _sides(cells, place)
    judge.choices[pair] = TwoChoice(
        line=line,
        pair=pair,
        agent=cells.get("agent", "") or AGENT,
        scenario=cells.get("scenario", ""),
        human_first=human_first,
        chose_human=chose_human,
        certainty=_certainty(cells.get("certainty", ""), place),
        why=cells.get("why", ""),
    )


def _sides(cells: Mapping[str, str], place: str) -> tuple[bool | None, bool | None]:
    """Return whether the human one was first and whether it was chosen; None for either if the file
    does not say.
    """
    human_first = None
    if cells.get("human"):
        human_first = _side(cells["human"])
        if human_first is None:
            raise InvalidInput(
                f"{place}: expected a side in `human` (left, right, A, B, first, second), got"
                f" {cells['human']!r}."
            )
    if cells.get("correct"):
        word = cells["correct"].casefold()
        if word not in YES | NO:
            raise InvalidInput(f"{place}: expected 1 or 0 in `correct`, got {cells['correct']!r}.")
        return human_first, word in YES
    chosen = cells.get("chosen", "")
    if not chosen:
        return human_first, None
    if chosen.casefold() in (HUMAN, cells.get("agent", "").casefold() or AGENT):
        return human_first, chosen.casefold() == HUMAN
    side = _side(chosen)
    if side is None or human_first is None:
        raise InvalidInput(
            f"{place}: expected in `chosen` human, the agent's name, or a side with the side of the"
            f" human one in `human`, got {chosen!r}."
        )
    return human_first, side == human_first


def _side(word: str) -> bool | None:
    folded = word.casefold()
    return True if folded in FIRST else False if folded in SECOND else None


def _certainty(cell: str, place: str) -> float | None:
    if not cell:
        return None
    try:
        value = float(cell)
    except ValueError:
        value = 0.0
    if not 1 <= value <= 5:
        raise InvalidInput(
            f"{place}: expected 1 (certain) to 5 (uncertain) in `certainty`, got {cell!r}."
        )
    return value


def write_choices_bundle(
    choices: ChoiceFile, folder: Path, *, name: str, title: str
) -> WrittenBundle:
    """One session per judge: familiarity first, then a comparison per pair. Conditions are `human`
    and the agent's name.
    """
    grouped = any(judge.group for judge in choices.judges)
    tables = judge_tables(grouped=grouped)
    with BundleFolder(folder, StudyRecord(id=name, title=title), tables) as bundle:
        for number, judge in enumerate(choices.judges, start=1):
            session = f"judge{number}"
            row = imported_participant(
                number, session, trials=len(judge.choices) + bool(judge.about)
            )
            row |= {"participant": f"P{number}", "outcome": "complete"} | (
                {"arm_group": judge.group} if grouped else {}
            )
            bundle.row("participants", row)
            for table, entry in _rows(session, judge):
                bundle.row(table, entry)
        write_codebook(bundle, title, tables, {})
    return WrittenBundle(
        folder, len(choices.judges), sum(len(judge.choices) for judge in choices.judges)
    )


def _rows(session: str, judge: ForeignJudge) -> Iterator[tuple[str, dict[str, Cell]]]:
    before = int(bool(judge.about))
    if before:
        page = _page(session, 0, FAMILIARITY, FAMILIARITY)
        yield "trials", page | {"kind": "form", "status": "done"}
        for question, answer in judge.about.items():
            yield "answers", page | _answer(question, PEOPLE_QUESTIONS[question], answer)
    for position, choice in enumerate(judge.choices, start=before):
        page = _page(session, position, f"{PAIRS}-{choice.pair}", PAIRS) | {
            "scenario": choice.scenario or choice.pair
        }
        yield "trials", page | {"kind": "compare", "status": "done"}
        # Players must be numbered to be distinguishable. Only the label says that the number is the
        # side on the page.
        human = 1 if choice.human_first is False else 0
        for player, condition in enumerate(
            (choice.agent, HUMAN) if human else (HUMAN, choice.agent)
        ):
            label = None if choice.human_first is None else "AB"[player]
            shown: dict[str, Cell] = {
                "player": player,
                "label": label,
                "how": "played",
                "condition": condition,
            }
            shown |= {"stimulus": f"{choice.pair}-{condition}", "views": 0, "watched_ms": 0.0}
            yield "shown", page | shown
        if choice.chose_human is not None:
            chosen = human if choice.chose_human else 1 - human
            yield "answers", page | _answer("which", "preference", ("first", "second")[chosen])
        if choice.certainty is not None:
            yield "answers", page | _answer("certainty", "certainty", choice.certainty)
        if choice.why:
            yield "answers", page | _answer("why", "long_text", choice.why)


def _page(session: str, position: int, key: str, trial: str) -> dict[str, Cell]:
    return {"session": session, "position": position, "run": 0, "trial_key": key, "trial": trial}


def _answer(question: str, kind: str, value: str | float) -> dict[str, Cell]:
    column = "value_text" if isinstance(value, str) else "value_number"
    return {"question": question, "kind": kind, column: value, "changes": 0, "pasted": 0}
