"""Many simulated sessions of one study at once, as columns on a virtual clock: assigned, begun,
left, failed or finished.

Behaviours decide answers, traces and flags; here it becomes the tables of a bundle, as if
the server had exported them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from believable.bundle import memory
from believable.bundle.read import Bundle
from believable.simulate.conduct import Conduct
from believable.simulate.pool import FloatArray, IntArray, ObjectArray, Pool

START_MS = 1_750_000_000_000
_LABELS = np.array(["A", "B", "C", "D"], dtype=object)
#: Columns of a table about pages, and the pool's array of each.
_PAGE_COLUMNS = {
    "trial_key": "key",
    "trial": "trial",
    "condition": "condition",
    "scenario": "scenario",
}


class Sessions:
    """`stop` is the page at which each person stopped (past the last one for those who
    finished).
    """

    def __init__(self, pool: Pool, count: int, conduct: Conduct, rng: np.random.Generator) -> None:
        self.pool, self.count, self.rng = pool, count, rng
        self.people = np.arange(count)
        self.session = session_ids(count)
        cell = np.resize(rng.permutation(len(pool.cells)), count)
        self.plan: IntArray = cell * pool.each + rng.integers(pool.each, size=count)
        fate = rng.random((3, count))
        self.careless = fate[1] < conduct.careless
        self.hasty = fate[2] < conduct.hasty
        length = pool.length[self.plan]
        leaves = fate[0] < conduct.drop_out
        self.stop = np.where(
            leaves, np.floor(rng.uniform(0.05, 0.95, count) * length), length
        ).astype(np.int64)
        self.left = leaves
        self.failed = np.zeros(count, np.bool_)
        # A separate random generator: everything else stays the same in a study of one language.
        self.language = np.array(pool.study.languages, dtype=object)[
            rng.spawn(1)[0].integers(len(pool.study.languages), size=count)
        ]
        tempo = np.exp(rng.normal(0, 0.25, count)) * np.where(self.hasty, 0.15, 1.0)
        noise = np.exp(rng.normal(0, 0.2, (count, pool.pages)))
        self.rt_ms = np.round(pool.page_ms[self.plan] * tempo[:, None] * noise)
        self.closed_ms = np.cumsum(self.rt_ms, axis=1)
        self._answers: list[dict[str, Any]] = []
        self._traces: list[dict[str, Any]] = []
        self._flags: list[dict[str, Any]] = []
        self._reactions: list[dict[str, Any]] = []
        self._views: list[dict[str, Any]] = []
        self._watched: set[str] = set()
        self._exclusions: list[dict[str, Any]] = []

    # ------------------------------------------------------------------------------------------
    # what happens

    def fail(self, who: NDArray[np.bool_], trial: str) -> None:
        """These people fail a check that ends the session, if they get to it."""
        at = self.pool.positions(trial)[self.plan, 0]
        fails = who & (at < self.stop)
        self.stop = np.where(fails, at + 1, self.stop)
        self.failed |= fails
        self.left &= ~fails

    def reached_mask(self, person: IntArray, position: IntArray) -> NDArray[np.bool_]:
        """Whether a page was done."""
        return (position >= 0) & (position < self.stop[person])

    def answer(
        self,
        person: IntArray,
        position: IntArray,
        question: str,
        kind: str,
        *,
        number: FloatArray | IntArray | None = None,
        text: ObjectArray | None = None,
        correct: NDArray[np.bool_] | None = None,
        player: IntArray | None = None,
        item: str | None = None,
    ) -> None:
        """Answers of many people; those whose page was not done are left out. `player`: the clip of
        the page it is about, `item`: the part of the question.
        """
        keep = np.flatnonzero(self.reached_mask(person, position))
        who, where = person[keep], position[keep]
        block = self._page(who, where) | {
            "question": _same(question, len(who)),
            "kind": _same(kind, len(who)),
            "value_number": np.full(len(who), np.nan)
            if number is None
            else np.asarray(number, np.float64)[keep],
            "value_text": _same(None, len(who)) if text is None else text[keep],
            "correct": _same(None, len(who)) if correct is None else correct[keep].astype(object),
            "player": np.full(len(who), np.nan),
            "item": _same(item, len(who)),
        }
        if player is not None:
            code = self.pool.shown[self.plan[who], where, player[keep]]
            block |= self._stimulus(code) | {"player": player[keep].astype(np.float64)}
        self._answers.append(block)

    def trace(
        self,
        person: IntArray,
        position: IntArray,
        media_ms: FloatArray,
        value: FloatArray,
        instrument: str,
        how: str,
    ) -> None:
        """Samples or marks of many people, each with its own page and time."""
        keep = np.flatnonzero(self.reached_mask(person, position))
        who, where, at = person[keep], position[keep], media_ms[keep]
        opened = self.closed_ms[who, where] - self.rt_ms[who, where]
        self._traces.append(
            self._page(who, where)
            | {
                "instrument": _same(instrument, len(who)),
                "at_ms": (START_MS + opened + at).astype(np.int64),
                "mono_ms": opened + at,
                "media_ms": at,
                "value": value[keep],
                "input": _same(how, len(who)),
            }
        )

    def flag(
        self,
        person: IntArray,
        position: IntArray,
        media_ms: FloatArray,
        action: ObjectArray,
        reason: ObjectArray,
        undone: NDArray[np.bool_],
        **more: NDArray[Any],
    ) -> None:
        """`more` are further columns of the flags table."""
        keep = np.flatnonzero(self.reached_mask(person, position))
        who, where = person[keep], position[keep]
        marks = {"media_ms": media_ms, "action": action, "reason": reason, "undone": undone, **more}
        self._flags.append(
            self._watching(who, where) | {name: values[keep] for name, values in marks.items()}
        )

    def react(self, position: IntArray, delays_ms: FloatArray) -> None:
        """The measurements of a practice: `position` by person, the delays of its trials by person
        and trial.
        """
        trials = delays_ms.shape[1]
        person = np.repeat(self.people, trials)
        keep = np.flatnonzero(self.reached_mask(person, position[person]))
        who = person[keep]
        number = np.tile(np.arange(1, trials + 1), len(self.people))[keep]
        self._reactions.append(
            {
                "session": self.session[who],
                "position": position[who],
                "number": number,
                "delay_ms": delays_ms.ravel()[keep],
            }
        )

    def view(
        self,
        trial: str,
        person: IntArray,
        position: IntArray,
        from_ms: FloatArray,
        to_ms: FloatArray,
        what: str,
        rate: float,
    ) -> None:
        """Stretches watched in a trial, in place of the plain ones."""
        keep = np.flatnonzero(self.reached_mask(person, position))
        who, where = person[keep], position[keep]
        self._watched.add(trial)
        self._views.append(
            self._watching(who, where)
            | {
                "player": np.zeros(len(who), np.int64),
                "what": _same(what, len(who)),
                "from_ms": from_ms[keep],
                "to_ms": to_ms[keep],
                "rate": np.full(len(who), rate),
            }
        )

    def exclude_text(
        self, person: IntArray, position: IntArray, question: str, detail: str
    ) -> None:
        """A reviewer excludes these texts."""
        keep = np.flatnonzero(self.reached_mask(person, position))
        who, where = person[keep], position[keep]
        said = {
            "scope": "answer",
            "question": question,
            "reason": "text_excluded",
            "detail": detail,
        }
        self._exclusions.append(
            {"session": self.session[who], "trial_key": self.pool.key[self.plan[who], where]}
            | {name: _same(words, len(who)) for name, words in said.items()}
        )

    # ------------------------------------------------------------------------------------------
    # where

    def _watching(self, who: IntArray, where: IntArray) -> dict[str, Any]:
        """Whose page it is, and the stimulus on it."""
        stimulus = self.pool.stimulus[self.plan[who], where]
        return {"session": self.session[who], "position": where, "stimulus": stimulus}

    def _page(self, who: IntArray, where: IntArray) -> dict[str, Any]:
        """The same, with all keys that identify the page."""
        pages = {name: getattr(self.pool, column) for name, column in _PAGE_COLUMNS.items()}
        return self._watching(who, where) | {
            name: page[self.plan[who], where] for name, page in pages.items()
        }

    def _stimulus(self, code: IntArray) -> dict[str, Any]:
        pool = self.pool
        return {
            "stimulus": pool.stimuli[code],
            "condition": pool.stimulus_condition[code],
            "scenario": pool.stimulus_scenario[code],
        }

    # ------------------------------------------------------------------------------------------
    # tables

    def bundle(self) -> Bundle:
        """Everything, as a bundle in memory."""
        tables: dict[str, Any] = {
            "participants": self._participants(),
            "trials": self._trials(),
            "answers": _join(self._answers),
            "traces": self._number(_join(self._traces)),
            "flags": self._flag_table(),
            "reactions": self._number(_join(self._reactions)),
            "views": self._number(_join([*self._views, self._plain_views()])),
            "shown": self._shown(),
            "actions": list(self.pool.material.actions),
            "plans": list(self.pool.material.plans),
            "exclusions": _join([*self._session_exclusions(), *self._exclusions]),
        }
        return memory.bundle(
            {name: rows for name, rows in tables.items() if rows}, self.pool.definition
        )

    @staticmethod
    def _number(columns: dict[str, Any]) -> dict[str, Any]:
        if columns:
            columns["seq"] = np.arange(1, len(columns["session"]) + 1)
        return columns

    def _flag_table(self) -> dict[str, Any]:
        columns = self._number(_join(self._flags))
        if columns:
            columns["flag"] = np.array([f"f{number}" for number in columns["seq"]], dtype=object)
        return columns

    def _participants(self) -> dict[str, Any]:
        done = np.minimum(self.stop, self.pool.length[self.plan])
        ended = ~self.left
        last = np.maximum(done - 1, 0)
        columns: dict[str, Any] = {
            "session": self.session,
            "state": np.where(ended, "finished", "active").astype(object),
            "outcome": np.where(self.failed, "failed_checks", unless(~ended, "complete")),
            "included": ended & ~self.failed,
            "language": self.language,
            "started_on": "2025-06-15",
            "duration_ms": np.where(ended, self.closed_ms[self.people, last], np.nan),
            "trials": done,
        }
        for name in self.pool.study.arms:
            columns[f"arm_{name}"] = _by_plan(self.pool, self.plan, "arms", name)
        for name in self.pool.assignments[0].rows:
            rows = _by_plan(self.pool, self.plan, "rows", name)
            columns[f"order_{name}"] = rows.astype(np.int64)
        return columns

    def _trials(self) -> dict[str, Any]:
        page = np.arange(self.pool.pages)
        done = page[None, :] < self.stop[:, None]
        standing = (page[None, :] == self.stop[:, None]) & self.left[:, None]
        who, where = np.nonzero(done | standing)
        is_open = standing[who, where]
        failed = self.failed[who] & (where == self.stop[who] - 1)
        status = np.where(is_open, "open", np.where(failed, "failed", "done")).astype(object)
        closed = np.where(is_open, np.nan, self.closed_ms[who, where])
        rt = np.where(is_open, np.nan, self.rt_ms[who, where])
        return self._page(who, where) | {
            "kind": self.pool.kind[self.plan[who], where],
            "status": status,
            "attempts": np.where(is_open, np.nan, 1.0),
            "opened_ms": closed - rt,
            "closed_ms": closed,
            "rt_ms": rt,
            "hidden_ms": np.where(is_open, np.nan, 0.0),
        }

    def _places(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Person, page, player and stimulus of every shown item."""
        codes = self.pool.shown[self.plan]
        done = np.arange(self.pool.pages)[None, :, None] < self.stop[:, None, None]
        who, where, player = np.nonzero((codes >= 0) & done)
        return who, where, player, codes[who, where, player]

    def _shown(self) -> dict[str, Any]:
        pool = self.pool
        who, where, player, code = self._places()
        if not len(who):
            return {}
        plan = self.plan[who]
        played = pool.played[plan, where]
        compared = pool.kind[plan, where] == "compare"
        own = {
            "player": player,
            "label": unless(~compared, _LABELS[player % 4]),
            "how": np.where(played, "played", "remembered").astype(object),
            "views": played.astype(np.int64),
            "watched_ms": np.where(played, pool.lengths_ms[code], 0.0),
        }
        return self._page(who, where) | self._stimulus(code) | own

    def _plain_views(self) -> dict[str, Any]:
        """Watched once from beginning to end, by default."""
        pool = self.pool
        who, where, player, code = self._places()
        plan = self.plan[who]
        plain = pool.played[plan, where] & ~np.isin(
            pool.trial[plan, where].astype(str), sorted(self._watched)
        )
        who, where, player, code = who[plain], where[plain], player[plain], code[plain]
        if not len(who):
            return {}
        return {
            "session": self.session[who],
            "position": where,
            "stimulus": pool.stimuli[code],
            "player": player,
            "what": _same("stimulus", len(who)),
            "from_ms": np.zeros(len(who)),
            "to_ms": pool.lengths_ms[code],
            "rate": np.ones(len(who)),
        }

    def _session_exclusions(self) -> list[dict[str, Any]]:
        exclusions = []
        for who, reason in ((self.left, "incomplete"), (self.failed, "failed_checks")):
            if who.any():
                names = self.session[who]
                keys = self.pool.key[
                    self.plan[who], np.minimum(self.stop[who], self.pool.pages - 1)
                ]
                said = {
                    "scope": "session",
                    "trial_key": None,
                    "question": None,
                    "reason": reason,
                    "detail": None,
                }
                block = {"session": names} | {
                    name: _same(words, len(names)) for name, words in said.items()
                }
                exclusions.append(
                    block | ({"detail": "stopped at " + keys} if reason == "incomplete" else {})
                )
        return exclusions


_IDS: list[str] = []


def session_ids(count: int) -> ObjectArray:
    """Names for sessions, the same each time."""
    while len(_IDS) < count:
        _IDS.append(f"sim{len(_IDS) + 1:05d}")
    return np.array(_IDS[:count], dtype=object)


def _by_plan(pool: Pool, plan: IntArray, part: str, name: str) -> ObjectArray:
    values = np.array(
        [getattr(assignment, part)[name] for assignment in pool.assignments], dtype=object
    )
    return values[plan]


def unless(where: NDArray[np.bool_], values: object) -> ObjectArray:
    """The values (or one value) as objects, None where the condition holds."""
    objects = np.empty(where.shape, dtype=object)
    objects[:] = values
    objects[where] = None
    return objects


def _same(value: object, length: int) -> ObjectArray:
    return np.full(length, value, dtype=object)


def _join(blocks: Sequence[dict[str, Any]]) -> dict[str, Any]:
    filled = [block for block in blocks if block]
    if not filled:
        return {}
    return {name: np.concatenate([block[name] for block in filled]) for name in filled[0]}
