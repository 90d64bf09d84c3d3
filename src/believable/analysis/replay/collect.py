"""What each person watched, saw, flagged and answered, from the data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from believable.analysis.data import Data, texts
from believable.analysis.data import numbers as numbers_of
from believable.analysis.media import logs
from believable.analysis.plan import Plan
from believable.analysis.replay.viewed import Actions, Flag, Judged, Seeing, Stretches, judged
from believable.core.errors import InvalidInput

IntArray = np.ndarray[tuple[int], np.dtype[np.int64]]
NO_ACTIONS = Actions((), np.empty(0), np.empty(0))

#: Why a secondary rating is missing.
BY_DESIGN = "by design"
UNANSWERED = "not answered"


@dataclass(frozen=True, slots=True, eq=False)
class Watched:
    """One replay that one person watched. `place` counts from 1 in the order of watching."""

    session: str
    position: int
    place: int
    condition: str
    scenario: str
    stimulus: str
    actions: Actions
    judged: Judged
    wall_ms: float
    plan_opened: int
    log_opened: int
    undone: int

    @property
    def opened(self) -> bool:
        """Whether plan or log were ever opened beside it."""
        return self.plan_opened + self.log_opened > 0


def seeing_of(plan: Plan) -> Seeing:
    return Seeing(
        float(plan.option("least_share")),
        float(plan.option("least_shown_ms")),
        float(plan.option("merge_ms")),
    )


def contrast(data: Data, plan: Plan) -> tuple[str, str]:
    """The condition of interest and the one it is compared with. With two conditions and no word, the first is compared with."""
    ours, baseline = plan.role("ours"), plan.role("baseline")
    known = [one for one in data.conditions if one not in (ours, baseline)]
    if ours is not None and baseline is not None and data.study is not None:
        return ours, baseline
    present = tuple(dict.fromkeys(one for one in data.table("trials")["condition"].values if one is not None))
    if ours in present and baseline in present and ours is not None and baseline is not None:
        return ours, baseline
    if len(present) == 2:
        return str(present[1]), str(present[0])
    raise InvalidInput(
        f"roles: expected a condition for `ours` and one for `baseline`, got {ours!r} and {baseline!r}; the data have "
        f"{', '.join(map(str, present)) or 'none'}{f', the study {known}' if known else ''}. Name both under `roles:`."
    )


def watched(data: Data, plan: Plan) -> tuple[Watched, ...]:
    """Every replay watched in the trials of the role `day`, by session and position."""
    trials = data.table("trials")
    wanted = np.isin(trials["trial"].values.astype(str), list(plan.roles["day"]))
    rows = np.flatnonzero(wanted & (trials["status"].values == "done"))
    actions, seeing = actions_by_stimulus(data), seeing_of(plan)
    stretches, opened = stretches_by_page(data)
    flags, undone = flags_by_page(data)
    places: dict[str, int] = defaultdict(int)
    found: list[Watched] = []
    order = sorted(
        rows.tolist(), key=lambda row: (trials["session"].values[row], trials["position"].values[row])
    )
    nothing = Stretches(np.empty(0), np.empty(0), np.empty(0))
    for row in order:
        session, position = str(trials["session"].values[row]), int(trials["position"].values[row])
        places[session] += 1
        stimulus = str(trials["stimulus"].values[row] or "")
        key = session, position
        played = stretches.get(key, nothing)
        known = actions.get(stimulus, NO_ACTIONS)
        found.append(
            Watched(
                session, position, places[session], str(trials["condition"].values[row] or ""),
                str(trials["scenario"].values[row] or ""), stimulus, known, judged(known, played, flags.get(key, ()), seeing),
                played.wall_ms, opened.get((*key, "plan"), 0), opened.get((*key, "log"), 0), undone.get(key, 0),
            )
        )  # fmt: skip
    return tuple(found)


def actions_by_stimulus(data: Data) -> Mapping[str, Actions]:
    """The actions of each stimulus; of several versions of its file the one of the definition, else the last."""
    table = data.table("actions")
    current = logs(data.bundle)
    groups: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row, (stimulus, log) in enumerate(zip(table["stimulus"].values, table["log"].values, strict=True)):
        groups[str(stimulus)][str(log)].append(row)
    found: dict[str, Actions] = {}
    for stimulus, versions in groups.items():
        log = current.get(stimulus, "")
        rows = versions[log] if log in versions else list(versions.values())[-1]
        found[stimulus] = Actions.of(
            [str(table["action"].values[row]) for row in rows],
            table["from_ms"].values[rows],
            table["to_ms"].values[rows],
        )
    return found


def ratings(data: Data, role: str) -> Mapping[tuple[str, int], float]:
    """The answers of a role by session and position; those left open are not there."""
    if not data.has(role):
        return {}
    found = data.answers(role)
    return {
        (str(session), int(position)): float(value)
        for session, position, value in zip(found.session, found.position, numbers_of(found), strict=True)
        if value == value
    }


def of_opened(
    answered: Mapping[tuple[str, int], float], seen: Sequence[Watched]
) -> Mapping[tuple[str, int], float]:
    """The answers about replays whose plan or log was opened, as recorded; what people say about it does not count."""
    opened = {(one.session, one.position) for one in seen if one.opened}
    return {page: value for page, value in answered.items() if page in opened}


def missing(one: Watched, answered: Mapping[tuple[str, int], float], *, needs_overlay: bool) -> str | None:
    """Why a rating is missing; None where it is there."""
    if (one.session, one.position) in answered:
        return None
    return BY_DESIGN if needs_overlay and not one.opened else UNANSWERED


def preferences(data: Data, seen: Sequence[Watched]) -> Mapping[str, str]:
    """The condition each person prefers; `both` or `neither` where that was the answer."""
    if not data.has("preference"):
        return {}
    found = data.answers("preference")
    shown = _shown(data)
    watched_by: dict[str, list[str]] = defaultdict(list)
    for one in sorted(seen, key=lambda one: (one.session, one.place)):
        watched_by[one.session].append(one.condition)
    known = {one.condition for one in seen}
    chosen: dict[str, str] = {}
    for session, position, answer in zip(found.session, found.position, texts(found), strict=True):
        if answer is None:
            continue
        if answer in ("first", "second"):
            sides = shown.get((session, int(position))) or watched_by[session]
            place = ("first", "second").index(answer)
            if place < len(sides):
                chosen[str(session)] = sides[place]
        elif answer in known or answer in ("both", "neither"):
            chosen[str(session)] = str(answer)
        else:
            raise InvalidInput(
                f"preference of session {session}: expected first, second or a condition, got {answer!r}."
                " Use the instrument `preference`."
            )
    return chosen


def stretches_by_page(data: Data) -> tuple[dict[tuple[str, int], Stretches], dict[tuple[str, int, str], int]]:
    """What was played on each page, and how often plan and log were opened beside it."""
    table = data.table("views")
    groups: dict[tuple[str, int, str], list[int]] = defaultdict(list)
    for row, key in enumerate(
        zip(table["session"].values, table["position"].values.tolist(), table["what"].values, strict=True)
    ):
        groups[key].append(row)
    since, until, rate = (table[name].values.astype(np.float64) for name in ("from_ms", "to_ms", "rate"))
    played: dict[tuple[str, int], Stretches] = {}
    opened: dict[tuple[str, int, str], int] = {}
    for (session, position, what), rows in groups.items():
        ordered = sorted(rows, key=lambda row: int(table["seq"].values[row]))
        if what == "stimulus":
            kept = [row for row in ordered if rate[row] > 0]
            played[session, position] = Stretches(since[kept], until[kept], rate[kept])
        else:
            opened[session, position, what] = _openings(since[ordered], until[ordered])
    return played, opened


def _openings(since: np.ndarray, until: np.ndarray) -> int:
    """Stretches that go on where the last one ended belong to one opening."""
    if not len(since):
        return 0
    return 1 + int((np.abs(since[1:] - until[:-1]) > 1.0).sum())


def flags_by_page(data: Data) -> tuple[dict[tuple[str, int], list[Flag]], dict[tuple[str, int], int]]:
    table = data.table("flags")
    found: dict[tuple[str, int], list[Flag]] = defaultdict(list)
    undone: dict[tuple[str, int], int] = defaultdict(int)
    for row in table.rows():
        key = str(row["session"]), int(row["position"] or 0)
        if row["undone"]:
            undone[key] += 1
        else:
            action = row["action"]
            found[key].append(Flag(float(row["media_ms"] or 0), None if action is None else str(action)))
    return found, undone


def _shown(data: Data) -> dict[tuple[str, int], list[str]]:
    """The conditions of each page that showed or asked about several, in the order of its players."""
    table = data.table("shown")
    rows: dict[tuple[str, int], list[tuple[int, str]]] = defaultdict(list)
    for row in table.rows():
        rows[str(row["session"]), int(row["position"] or 0)].append(
            (int(row["player"] or 0), str(row["condition"] or ""))
        )
    return {
        key: [condition for _, condition in sorted(sides)] for key, sides in rows.items() if len(sides) > 1
    }
