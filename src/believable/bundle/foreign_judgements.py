"""Import judgements that another tool collected: yes/no ("is this a person?") and ratings, one line
per judge and stimulus.

The bundle carries a study definition with its own design, so `believable analyse BUNDLE` compares
the conditions at once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from believable.bundle.folder import BundleFolder
from believable.bundle.foreign_csv import foreign_rows
from believable.bundle.imports import imported_participant, judge_tables
from believable.bundle.judgements import judgement_rows, judgement_table
from believable.bundle.session_records import StudyRecord
from believable.bundle.tables import Cell, Row
from believable.bundle.two_choices import NO, YES
from believable.bundle.write import WrittenBundle, write_codebook
from believable.contracts.record import ID_PATTERN
from believable.core.errors import InvalidInput, StudyError
from believable.core.nodes import from_plain
from believable.core.registry import did_you_mean
from believable.study.definition import Definition
from believable.study.reading import read_study

#: Source column → names of its column. The first one is used in messages.
COLUMNS = {
    "judge": ("judge", "participant", "rater"),
    "stimulus": ("stimulus", "clip", "item"),
    "condition": ("condition", "agent", "player"),
    "answer": ("answer", "judgement", "judgment"),
    "called_human": ("called_human",),
    "rating": ("rating", "score"),
    "trial": ("trial",),
    "scenario": ("scenario",),
    "rt_ms": ("rt_ms",),
    "why": ("why", "reason", "comment"),
    "group": ("group", "arm"),
}
CALLED_HUMAN = frozenset({"human", "person"})
CALLED_AGENT = frozenset({"agent", "machine", "program", "computer", "ai", "bot", "artificial"})
#: Answers and the trial in the definition of the bundle.
HUMAN, AGENT, TRIAL = "human", "agent", "judged"
MOST_POINTS = 11


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignJudgement:
    """One judgement of one stimulus. `called_human` and `rating` are None if the file has no such
    answer.
    """

    line: int
    trial: str
    stimulus: str
    condition: str
    scenario: str
    called_human: bool | None
    rating: float | None
    rt_ms: float | None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingScale:
    """The least and the greatest rating that judges could give."""

    low: float
    high: float


@dataclass(slots=True)
class SingleJudge:
    """The judgements of one judge, in the order of the file."""

    group: str
    judgements: list[ForeignJudgement] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementFile:
    """The content of a file. `renamed` maps names of conditions to the ids that a study file
    allows.
    """

    judges: Mapping[str, SingleJudge]
    conditions: tuple[str, ...]
    renamed: Mapping[str, str]
    scale: RatingScale | None
    unread: tuple[str, ...]

    @property
    def judgements(self) -> Iterator[ForeignJudgement]:
        for judge in self.judges.values():
            yield from judge.judgements

    @property
    def n_answered(self) -> int:
        return sum(judgement.called_human is not None for judgement in self.judgements)

    @property
    def n_rated(self) -> int:
        return sum(judgement.rating is not None for judgement in self.judgements)


def read_judgements(path: Path, *, scale: RatingScale | None = None) -> JudgementFile:
    """Read a CSV file with one line per judge and stimulus.

    judge, stimulus, condition  who judged what; the condition is `human` or the agent's name
    answer or called_human      human or agent (also person, machine, program …); or 1 and 0
    rating                      a number on `scale`, which has to be stated because no file says
                                where its scale ends
    further                     trial, scenario, rt_ms, why, group
    """
    judges: dict[str, SingleJudge] = {}
    with foreign_rows(path, "judgements") as rows:
        column = _find_columns(path, rows.names, scale)
        for line, row in rows:
            cells = {what: row[name].strip() for what, name in column.items()}
            _add_judgement(judges, cells, f"{path}:{line}", line, scale)
        unread = tuple(name for name in rows.names if name and name not in column.values())
    if not judges:
        raise InvalidInput(
            f"{path}: there is no line with a judgement in it. Export the judgements again."
        )
    names = tuple(
        dict.fromkeys(
            judgement.condition for judge in judges.values() for judgement in judge.judgements
        )
    )
    ids = _condition_ids(path, names)
    return JudgementFile(
        judges=judges,
        conditions=tuple(ids.values()),
        renamed={name: own for name, own in ids.items() if name != own},
        scale=scale,
        unread=unread,
    )


def _find_columns(path: Path, names: Sequence[str], scale: RatingScale | None) -> dict[str, str]:
    folded = {name.casefold(): name for name in names}
    column = {
        what: folded[option]
        for what, options in COLUMNS.items()
        if (option := next((name for name in options if name in folded), None)) is not None
    }
    for what in ("judge", "stimulus", "condition"):
        if what not in column:
            raise InvalidInput(
                f"{path}:1: expected a column `{what}`, got {', '.join(names) or 'nothing'}."
                f" {did_you_mean(what, names)}"
            )
    if not {"answer", "called_human", "rating"} & set(column):
        raise InvalidInput(
            f"{path}:1: expected a column `answer` (human or agent), `called_human` (1 or 0) or"
            f" `rating`, got {', '.join(names)}."
        )
    if {"answer", "called_human"} <= set(column):
        raise InvalidInput(
            f"{path}:1: expected one of `answer` and `called_human`, got both. Remove one of them."
        )
    if "rating" in column and scale is None:
        raise InvalidInput(
            f"{path}:1: the ends of the scale of `rating` are not known. State them: --scale LOW"
            " HIGH."
        )
    if scale is not None and "rating" not in column:
        raise InvalidInput(f"{path}:1: --scale is about a column `rating`, got {', '.join(names)}.")
    return column


def _add_judgement(
    judges: dict[str, SingleJudge],
    cells: Mapping[str, str],
    place: str,
    line: int,
    scale: RatingScale | None,
) -> None:
    name, stimulus, condition = cells["judge"], cells["stimulus"], cells["condition"]
    if not name or not stimulus or not condition:
        raise InvalidInput(
            f"{place}: expected a judge, a stimulus and a condition, got {name!r}, {stimulus!r} and"
            f" {condition!r}."
        )
    judge = judges.setdefault(name, SingleJudge(cells.get("group", "")))
    if cells.get("group", "") != judge.group:
        raise InvalidInput(
            f"{place}: {name} is in group {cells['group']!r} here and {judge.group!r} before."
        )
    judgement = ForeignJudgement(
        line=line,
        trial=cells.get("trial", ""),
        stimulus=stimulus,
        condition=condition,
        scenario=cells.get("scenario", ""),
        called_human=_parse_answer(cells, place),
        rating=_parse_rating(cells.get("rating", ""), place, scale),
        rt_ms=_parse_time(cells.get("rt_ms", ""), place),
        why=cells.get("why", ""),
    )
    for earlier in judge.judgements:
        if (earlier.stimulus, earlier.trial) == (judgement.stimulus, judgement.trial):
            raise InvalidInput(
                f"{place}: {name} has judged {stimulus!r} already, in line {earlier.line}. Remove"
                " one of them, or number the trials in a column `trial`."
            )
    judge.judgements.append(judgement)


def _parse_answer(cells: Mapping[str, str], place: str) -> bool | None:
    if word := cells.get("called_human", "").casefold():
        if word not in YES | NO:
            raise InvalidInput(
                f"{place}: expected 1 or 0 in `called_human`, got {cells['called_human']!r}."
            )
        return word in YES
    if word := cells.get("answer", "").casefold():
        if word not in CALLED_HUMAN | CALLED_AGENT:
            raise InvalidInput(
                f"{place}: expected human or agent in `answer` (also"
                f" {', '.join(sorted(CALLED_HUMAN | CALLED_AGENT))}), got {cells['answer']!r}."
            )
        return word in CALLED_HUMAN
    return None


def _parse_rating(cell: str, place: str, scale: RatingScale | None) -> float | None:
    if not cell or scale is None:
        return None
    value = _parse_number(cell, place, "rating")
    if not scale.low <= value <= scale.high:
        raise InvalidInput(
            f"{place}: expected a rating from {scale.low:g} to {scale.high:g}, got {cell!r}."
            " Correct it, or --scale."
        )
    return value


def _parse_time(cell: str, place: str) -> float | None:
    return _parse_number(cell, place, "rt_ms") if cell else None


def _parse_number(cell: str, place: str, column: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InvalidInput(f"{place}: expected a number in `{column}`, got {cell!r}.")
    return value


def _condition_ids(path: Path, names: Sequence[str]) -> dict[str, str]:
    """Return an id for every condition. Signs that an id cannot have become `_`."""
    ids: dict[str, str] = {}
    for name in names:
        own = name if re.match(ID_PATTERN, name) else re.sub(r"[^A-Za-z0-9_]", "_", name)[:63]
        own = own if own[0].isalpha() else f"c{own}"[:63]
        if own in ids.values():
            other = next(given for given, taken in ids.items() if taken == own)
            raise InvalidInput(
                f"{path}: the conditions {other!r} and {name!r} both become the id {own!r}. Rename"
                " one of them."
            )
        ids[name] = own
    return ids


def write_judgements_bundle(
    judged: JudgementFile, folder: Path, *, name: str, title: str
) -> WrittenBundle:
    """Write one session per judge and one trial per judgement, with the definition that declares
    the analysis.
    """
    definition = _define_study(judged, title)
    grouped = any(judge.group for judge in judged.judges.values())
    tables = (*judge_tables(grouped=grouped), judgement_table([definition]))
    with BundleFolder(folder, StudyRecord(id=name, title=title), tables) as bundle:
        for number, judge in enumerate(judged.judges.values(), start=1):
            session = f"judge{number}"
            participant = imported_participant(number, session, trials=len(judge.judgements))
            participant |= {
                "participant": f"P{number}",
                "outcome": "complete",
                "definition": definition.hash,
            }
            if grouped:
                participant["arm_group"] = judge.group
            bundle.row("participants", participant)
            rows: dict[str, list[Row]] = {"trials": [], "shown": [], "answers": []}
            for table, entry in _session_rows(session, judge, judged):
                rows[table].append(entry)
                bundle.row(table, entry)
            for judgement in judgement_rows(
                participant, rows["trials"], rows["answers"], rows["shown"], []
            ):
                bundle.row("judgements", judgement)
        bundle.text(
            f"materials/definition-{definition.hash[:12]}.json",
            definition.to_json(),
            "Study of the imported judgements.",
        )
        write_codebook(bundle, title, tables, {definition.hash: definition})
    return WrittenBundle(folder, len(judged.judges), sum(1 for _ in judged.judgements))


def _session_rows(
    session: str, judge: SingleJudge, judged: JudgementFile
) -> Iterator[tuple[str, dict[str, Cell]]]:
    for position, judgement in enumerate(judge.judgements):
        condition = judged.renamed.get(judgement.condition, judgement.condition)
        about: dict[str, Cell] = {
            "session": session,
            "position": position,
            "run": 0,
            "trial_key": f"{TRIAL}-{position}",
        }
        about |= {
            "trial": TRIAL,
            "stimulus": judgement.stimulus,
            "condition": condition,
            "scenario": judgement.scenario or None,
        }
        yield "trials", about | {"kind": "watch", "status": "done", "rt_ms": judgement.rt_ms}
        yield "shown", about | {"player": 0, "how": "played", "views": 0, "watched_ms": 0.0}
        if judgement.called_human is not None:
            yield (
                "answers",
                about | _answer("answer", "choice", HUMAN if judgement.called_human else AGENT),
            )
        if judgement.rating is not None:
            yield "answers", about | _answer("rating", _rating_kind(judged), judgement.rating)
        if judgement.why:
            yield "answers", about | _answer("why", "text", judgement.why)


def _answer(question: str, kind: str, value: str | float) -> dict[str, Cell]:
    column = "value_text" if isinstance(value, str) else "value_number"
    return {
        "question": question,
        "kind": kind,
        column: value,
        "player": 0,
        "changes": 0,
        "pasted": 0,
    }


def _rating_kind(judged: JudgementFile) -> str:
    """Ratings from 1 in whole points are a Likert item, any other scale is a number with limits."""
    scale = judged.scale
    points = scale is not None and scale.low == 1 and scale.high in range(2, MOST_POINTS + 1)
    whole = all(
        judgement.rating is None or judgement.rating == int(judgement.rating)
        for judgement in judged.judgements
    )
    return "likert" if points and whole else "number"


def _define_study(judged: JudgementFile, title: str) -> Definition:
    questions: list[dict[str, Any]] = []
    measures: dict[str, Any] = {}
    if judged.n_answered:
        questions.append(
            {"id": "answer", "prompt": "Human or agent?", "choice": {"options": [HUMAN, AGENT]}}
        )
        measures["called_human"] = {
            "question": f"{TRIAL}.answer",
            "yes": [HUMAN],
            "title": "Called human",
        }
    if judged.n_rated and judged.scale is not None:
        scale, kind = judged.scale, _rating_kind(judged)
        params = (
            {"points": int(scale.high)}
            if kind == "likert"
            else {"min": scale.low, "max": scale.high, "whole": False}
        )
        questions.append({"id": "rating", "prompt": "Rating", kind: params})
        measures["rating"] = {"question": f"{TRIAL}.rating", "title": "Rating"}
    if any(judgement.why for judgement in judged.judgements):
        questions.append({"id": "why", "prompt": "Why?", "required": False, "text": {}})
        measures["why"] = {"question": f"{TRIAL}.why", "title": "Reasons"}
    tree = {
        "believable": 1,
        "title": title,
        "seed": 1,
        "conditions": list(judged.conditions),
        "timeline": [{"watch": {"id": TRIAL, "stimulus": "any", "ask": questions}}, {"finish": {}}],
        "analysis": {
            "measures": measures,
            "outcomes": {"primary": [name for name in measures if name != "why"]},
        },
    }
    parsed = read_study(from_plain(tree), file="imported judgements")
    if parsed.problems:
        raise StudyError(parsed.problems)
    return Definition(study=parsed.study, tree=tree)
