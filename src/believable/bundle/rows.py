"""Converts the data collected in one session to the rows of the tables, and to the positions of
stimuli on each page. Pure.
"""

from __future__ import annotations

import bisect
import heapq
import json
import operator
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from believable.bundle.logged_events import finite_number, read_events
from believable.bundle.marks import (
    TRACE_VALUES,
    Happening,
    Logs,
    flag_rows,
    reaction_rows,
    trace_rows,
)
from believable.bundle.round_tables import rows_of
from believable.bundle.session_exclusions import exclusion_rows
from believable.bundle.session_records import ClosedTrial, CollectedSession, day
from believable.bundle.shown_stimuli import digest_of, player_of, shown_rows
from believable.bundle.stream_tables import stream_row
from believable.bundle.tables import Cell, Row
from believable.contracts.instrument import AnswerCell
from believable.contracts.registries import INSTRUMENTS
from believable.contracts.trial import PlannedTrial, Question
from believable.core.errors import InvalidInput
from believable.core.event_chain import EventKind
from believable.recordings.actions import ActionLog
from believable.study.definition import Definition, Medium
from believable.study.earlier_pages import rated_positions, round_name, round_position
from believable.study.plan import Assignment, plan
from believable.study.pool_draw import with_draw
from believable.study.records import Stimulus

#: The number of an event, by which they are in order.
_SEQ = operator.attrgetter("seq")


def question_columns(
    planned: PlannedTrial,
    question: str,
    stimuli: Mapping[str, Stimulus],
    media: Mapping[str, Medium],
) -> dict[str, Cell]:
    """The columns of an answer that say which question it is, and for a clip of a group which
    stimulus it is about.
    """
    name, clip = planned.trial.question_and_player(question)
    if clip is None:
        return {"question": name, "player": None}
    about = stimuli[planned.stimulus_ids[clip]]
    place: dict[str, Cell] = {"question": name, "player": clip}
    place |= {"stimulus": about.id, "stimulus_digest": digest_of(media, about.id)}
    return place | {"condition": about.condition, "scenario": about.scenario}


@dataclass(frozen=True, slots=True)
class TrialSubject:
    """Which condition, scenario and stimulus a trial is about."""

    condition: str | None
    scenario: str | None
    stimulus: str | None
    stimulus_digest: str | None

    def columns(self) -> dict[str, Cell]:
        return {
            "condition": self.condition,
            "scenario": self.scenario,
            "stimulus": self.stimulus,
            "stimulus_digest": self.stimulus_digest,
        }


class SessionRows:
    """The rows of one session, table by table."""

    def __init__(self, collected: CollectedSession, definition: Definition) -> None:
        self._collected = collected
        self._session = collected.session
        session = self._session
        assignment = Assignment(session.arms, session.rows, session.seed)
        self._plan = plan(definition.study, with_draw(assignment, collected.draws))
        self._stimuli = {stimulus.id: stimulus for stimulus in definition.study.stimuli}
        self._media = definition.media
        self._happenings = read_events(collected)
        self._view_checks = {
            (check.position, check.run, check.player): check for check in collected.view_checks
        }
        self._by_position: dict[int | None, list[Happening]] = defaultdict(list)
        #: What happened on pages of the plan.
        self._by_kind: dict[str, list[Happening]] = defaultdict(list)
        last = len(self._plan)
        for happening in self._happenings:
            self._by_position[happening.position].append(happening)
            if happening.position is not None and happening.position < last:
                self._by_kind[happening.kind].append(happening)
        self._columns: dict[tuple[int, int], dict[str, Cell]] = {}
        #: What happened in each run of a page, by position and run.
        self._runs: dict[tuple[int, int], list[Happening]] = {}
        self._exclusions = tuple(exclusion_rows(collected, self._plan))

    def participant(self) -> Row:
        session, trials = self._session, self._collected.trials
        ended = session.finished_ms
        row: dict[str, Cell] = {
            "session": session.id,
            "number": session.number,
            "link_kind": session.link_kind,
            "simulated": session.is_simulated,
            "language": session.language,
            "definition": session.definition,
            "state": session.state,
            "outcome": session.outcome,
            "included": not any(row["scope"] == "session" for row in self._exclusions),
            "started_on": day(session.started_ms),
            "duration_ms": None if ended is None else ended - session.started_ms,
            "trials": sum(
                trial.status != "skipped" for trial in trials if trial.run == session.run
            ),
            "events": session.head_seq,
            "takeovers": max(0, session.epoch - 1),
            "texts_reviewed": len(
                {decision.target for decision in self._collected.decisions if decision.target}
            ),
            "weighed": session.weighed,
            "agent_probability": session.agent_probability,
            "receipt": session.head_hash,
            "recruiter_hash": session.recruiter_hash,
        }
        row |= {f"arm_{arm}": level for arm, level in session.arms.items()}
        row |= {f"order_{block}": number for block, number in session.rows.items()}
        return row

    def draws(self) -> Iterator[Row]:
        for drawn in self._collected.draws:
            yield {
                "session": self._session.id,
                "draw_place": drawn.place,
                "number": drawn.number,
                "kind": drawn.kind,
                "name": drawn.name,
                "probability": drawn.probability,
            }

    def trials(self) -> Iterator[Row]:
        for trial in self._collected.trials:
            planned = self._planned_trial(trial)
            rt_ms, hidden_ms = self._times(trial)
            yield self._trial_columns(planned, trial.run) | {
                "status": trial.status,
                "attempts": trial.attempts if trial.status != "skipped" else None,
                "opened_ms": (
                    None if trial.opened_ms is None else trial.opened_ms - self._session.started_ms
                ),
                "closed_ms": trial.closed_ms - self._session.started_ms,
                "rt_ms": rt_ms,
                "hidden_ms": hidden_ms,
            }
        standing = self._standing_at()
        if standing is not None:
            yield self._trial_columns(standing, self._session.run) | {"status": "open"}

    def answers(self) -> Iterator[Row]:
        for trial in self._collected.trials:
            planned = self._planned_trial(trial)
            known = {question.id: question for question in planned.trial.page_questions}
            effort = self._effort(trial)
            for name, answer in trial.answers.items():
                changes, pasted = effort.get(name, (0, 0))
                base = self._trial_columns(planned, trial.run) | question_columns(
                    planned, name, self._stimuli, self._media
                )
                base |= {"changes": changes, "pasted": pasted}
                question = known.get(name)
                base["kind"] = question.kind if question else planned.trial.kind
                base["correct"] = (
                    None if answer is None else planned.trial.quiz.is_right(name, answer)
                )
                attention = (
                    {}
                    if question is None
                    else INSTRUMENTS[question.kind].attention(question.params)
                )
                for cell in self._cells(question, answer):
                    row = base | {"item": cell.item or None} | _value(cell.value)
                    if cell.item in attention and cell.value is not None:
                        row["correct"] = cell.value == attention[cell.item]
                    yield row

    def shown(self) -> Iterator[Row]:
        """The positions of stimuli on the completed pages, and on the page at which the session
        stopped.
        """
        standing = self._standing_at()
        over = [trial for trial in self._collected.trials if trial.status != "skipped"]
        pages = [(self._planned_trial(trial), trial.run, self._during(trial)) for trial in over]
        if standing is not None:
            since = max(
                [
                    self._session.run_after_seq,
                    *(trial.submit_seq or 0 for trial in self._collected.trials),
                ]
            )
            pages.append(
                (
                    standing,
                    self._session.run,
                    [happening for happening in self._happenings if happening.seq > since],
                )
            )
        for planned, run, happened in pages:
            played = [
                happening
                for happening in happened
                if happening.kind.startswith("media.") and happening.position == planned.position
            ]
            for player, row in enumerate(
                shown_rows(self._plan, planned.position, played, self._stimuli, self._media)
            ):
                yield (
                    self._trial_columns(planned, run)
                    | row
                    | self._check_cells(planned.position, run, player)
                )

    def _check_cells(self, position: int, run: int, player: int) -> dict[str, Cell]:
        """The server's evidence about a view; empty if it was not checked."""
        check = self._view_checks.get((position, run, player))
        if check is None:
            return {}
        return {
            "could_be_seen": check.possible,
            "length_ms": check.length_ms,
            "sent_share": min(1.0, check.sent_bytes / max(1, check.media_bytes)),
            "open_ms": check.open_ms,
            "refused_views": check.refused,
        }

    def views(self) -> Iterator[Row]:
        """Play intervals of media, each with the panels open alongside: the browser ends an
        interval whenever they change.
        """
        opened: set[tuple[int, str]] = set()
        for happening in self._on_pages(
            "trial.shown", "overlay.open", "overlay.close", "media.interval"
        ):
            if happening.kind == "trial.shown":
                opened.clear()
            elif happening.kind != "media.interval":
                pane = player_of(happening.data), str(happening.data.get("which"))
                opened.discard(pane)
                if happening.kind == "overlay.open" and pane[1] in ("plan", "log"):
                    opened.add(pane)
            else:
                player = player_of(happening.data)
                beside = sorted(which for index, which in opened if index == player)
                yield from self._stretch(happening, player, ("stimulus", *beside))

    def _stretch(self, happening: Happening, player: int, what: Sequence[str]) -> Iterator[Row]:
        start, end, rate = (
            finite_number(happening.data.get(key)) for key in ("from_ms", "to_ms", "rate")
        )
        if happening.position is None or start is None or end is None:
            return
        stimulus = self._stimulus_at(happening.position, player)
        for name in what:
            yield {
                "session": self._session.id,
                "position": happening.position,
                "stimulus": stimulus,
                "stimulus_digest": digest_of(self._media, stimulus),
                "player": player,
                "what": name,
                "seq": happening.seq,
                "from_ms": start,
                "to_ms": end,
                "rate": 1.0 if rate is None else rate,
            }

    def _stimulus_at(self, position: int, player: int) -> str | None:
        planned = self._plan[position]
        shown = planned.stimulus_ids or (planned.stimulus_id or round_name(self._plan, position),)
        return shown[player] if 0 <= player < len(shown) else None

    def flags(self, logs: Logs) -> Iterator[Row]:
        def shown(position: int) -> tuple[str | None, ActionLog | None]:
            stimulus = self._stimulus_at(position, 0)
            return stimulus, None if stimulus is None else logs.of(self._media.get(stimulus))

        events = self._on_pages(*(kind for kind in self._by_kind if kind.startswith("flag.")))
        for row in flag_rows(events, shown, self._session.id):
            stimulus = row["stimulus"]
            yield {
                **row,
                "stimulus_digest": digest_of(
                    self._media, None if stimulus is None else str(stimulus)
                ),
            }

    def reactions(self) -> Iterator[Row]:
        return reaction_rows(
            self._on_pages(*(kind for kind in self._by_kind if kind.endswith(".delay"))),
            self._session.id,
        )

    def traces(self) -> Iterator[Row]:
        return trace_rows(self._on_pages(*TRACE_VALUES), self._annotation_row)

    def own_streams(self, streams: Mapping[str, EventKind]) -> Iterator[tuple[str, Row]]:
        """Table and row of each event that only one instrument records."""
        for event in self._on_pages(*streams):
            columns = self._annotation_row(event)
            if columns is not None:
                stream = streams[event.kind]
                yield stream.own_table, stream_row(stream, event, columns)

    def _on_pages(self, *kinds: str) -> Iterator[Happening]:
        """What of these kinds happened on pages of the plan, in order."""
        return heapq.merge(*(self._by_kind.get(kind, ()) for kind in kinds), key=_SEQ)

    def _annotation_row(self, event: Happening) -> Row | None:
        assert event.position is not None, "only what happened on a page is annotated"
        planned = self._plan[event.position]
        annotation = planned.trial.annotation
        if annotation is None or planned.trial.practises:
            return None
        columns = self._trial_columns(planned, self._run_of(event.seq, event.position))
        return {name: cell for name, cell in columns.items() if name != "kind"} | {
            "instrument": annotation.kind
        }

    def _run_of(self, seq: int, position: int) -> int:
        """The run of the session that an event belongs to."""
        session = self._session
        if seq > session.run_after_seq:
            return session.run
        runs = (
            trial.run
            for trial in self._collected.trials
            if trial.position == position
            and trial.submit_seq is not None
            and seq <= trial.submit_seq
        )
        return min(runs, default=max(0, session.run - 1))

    def exclusions(self) -> Sequence[Row]:
        return self._exclusions

    def _planned_trial(self, trial: ClosedTrial) -> PlannedTrial:
        if trial.position < len(self._plan) and self._plan[trial.position].key == trial.key:
            return self._plan[trial.position]
        raise InvalidInput(
            f"session {self._session.id}: trial {trial.key!r} at position {trial.position} is not"
            f" in the plan of its definition {self._session.definition[:12]}. The database was"
            " changed, or another version wrote it."
        )

    def _standing_at(self) -> PlannedTrial | None:
        session = self._session
        closed = {trial.position for trial in self._collected.trials if trial.run == session.run}
        unfinished = (
            session.state == "active"
            and session.position not in closed
            and session.position < len(self._plan)
        )
        return self._plan[session.position] if unfinished else None

    def _trial_columns(self, planned: PlannedTrial, run: int) -> dict[str, Cell]:
        """What every row about a trial begins with: the same for thousands of samples. Callers add
        to it, never change it.
        """
        columns = self._columns.get((planned.position, run))
        if columns is None:
            columns = {
                "session": self._session.id,
                "position": planned.position,
                "run": run,
                "trial_key": planned.key,
                "trial": planned.trial.id,
                "kind": planned.trial.kind,
                **self._shown(planned).columns(),
            }
            self._columns[planned.position, run] = columns
        return columns

    def _shown(self, planned: PlannedTrial) -> TrialSubject:
        about = rated_positions(self._plan, planned.position)
        source = self._plan[about[0]] if len(about) == 1 else planned
        own = round_position(self._plan, source.position)
        if own is not None:
            played = self._plan[own]
            return TrialSubject(
                played.condition, played.scenario, round_name(self._plan, source.position), None
            )
        return TrialSubject(
            source.condition,
            source.scenario,
            source.stimulus_id,
            digest_of(self._media, source.stimulus_id),
        )

    def rounds(self) -> Iterator[tuple[str, Row]]:
        """Rows about rounds that were played, each with the name of its table."""
        session = self._session
        return rows_of(session.id, self._plan, self._collected.rounds, session.started_ms)

    def _window(self, trial: ClosedTrial) -> tuple[int, int] | None:
        """The events of this run of the trial: after the run before it ended, up to its own
        submission.
        """
        if trial.submit_seq is None:
            return None
        before = [
            other.submit_seq
            for other in self._collected.trials
            if other.position == trial.position
            and other.run < trial.run
            and other.submit_seq is not None
        ]
        began = self._session.run_after_seq if trial.run == self._session.run else 0
        return max([began, *before]), trial.submit_seq

    def _during(self, trial: ClosedTrial) -> Sequence[Happening]:
        run = trial.position, trial.run
        if run not in self._runs:
            window = self._window(trial)
            own = [] if window is None else self._by_position.get(trial.position, [])
            first, last = (bisect.bisect_right(own, seq, key=_SEQ) for seq in window or (0, 0))
            self._runs[run] = own[first:last]
        return self._runs[run]

    def _times(self, trial: ClosedTrial) -> tuple[float | None, float | None]:
        """How long the page was up before the accepted submission, and how much of that it was
        hidden.
        """
        shown_ms: float | None = None
        hidden_since: float | None = None
        hidden_ms = 0.0
        for seq, kind, _, _, mono_ms, _ in self._during(trial):
            if mono_ms is None:
                continue
            if kind == "trial.shown":
                shown_ms, hidden_since, hidden_ms = mono_ms, None, 0.0
            elif kind == "page.hidden" and hidden_since is None:
                hidden_since = mono_ms
            elif kind == "page.visible" and hidden_since is not None:
                hidden_ms += mono_ms - hidden_since
                hidden_since = None
            elif seq == trial.submit_seq and shown_ms is not None:
                return mono_ms - shown_ms, hidden_ms
        return None, None

    def _effort(self, trial: ClosedTrial) -> dict[str, tuple[int, int]]:
        """Per question: how often it was changed, and how many characters were pasted."""
        effort: dict[str, tuple[int, int]] = {}
        for _, kind, _, _, _, data in self._during(trial):
            if kind != "answer.change" and kind != "text.paste":
                continue
            name = data.get("question")
            if type(name) is not str:
                continue
            changes, pasted = effort.get(name, (0, 0))
            if kind == "answer.change":
                effort[name] = changes + 1, pasted
            else:
                effort[name] = changes, pasted + int(finite_number(data.get("length")) or 0)
        return effort

    def _cells(self, question: Question | None, answer: Any) -> Sequence[AnswerCell]:
        if answer is None:
            return (AnswerCell("", None),)
        if question is None:
            if isinstance(answer, int | float) and not isinstance(answer, bool):
                return (AnswerCell("", answer),)
            return (
                AnswerCell(
                    "", answer if isinstance(answer, str) else json.dumps(answer, sort_keys=True)
                ),
            )
        return INSTRUMENTS[question.kind].cells(question.params, answer)


def _value(value: str | int | float | None) -> dict[str, Cell]:
    if isinstance(value, str):
        return {"value_text": value, "value_number": None}
    return {"value_text": None, "value_number": value}
