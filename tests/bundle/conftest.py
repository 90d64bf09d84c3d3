"""A study with every part a bundle has to carry, and sessions of it built from the plan."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import pytest
from sqlalchemy import Connection, insert

from believable.bundle.session_records import (
    ClosedTrial,
    CollectedSession,
    DecisionRecord,
    SessionRecord,
    StrayRecord,
    StudyRecord,
)
from believable.contracts.registries import INSTRUMENTS
from believable.core import event_chain
from believable.core.nodes import from_plain
from believable.core.seeds import generator
from believable.pages.check import Check
from believable.pages.consent import Consent
from believable.pages.watch import Watch
from believable.store.tables.collected import decisions, events, sessions, strays, trials
from believable.study.definition import Definition, Medium
from believable.study.plan import Assignment, cells, plan, session_seed
from believable.study.reading import read_study

T0_MS = 1_760_000_000_000

TREE: dict[str, Any] = {
    "believable": 1,
    "title": "Who plays like a human?",
    "seed": 7,
    "languages": ["en"],
    "conditions": ["human", "scripted"],
    "stimuli": [
        {"id": "h1", "file": "h1.mp4", "condition": "human", "scenario": "atrium"},
        {"id": "s1", "file": "s1.mp4", "condition": "scripted", "scenario": "atrium"},
    ],
    "arms": {"tool": ["ranktrace", "btrace"]},
    "timeline": [
        {"consent": {"id": "consent", "text": "Please agree.", "require": ["agree"]}},
        {
            "form": {
                "id": "about",
                "questions": [
                    {
                        "id": "experience",
                        "prompt": "How often do you play?",
                        "likert": {"points": 5},
                    },
                    {
                        "id": "words",
                        "prompt": "Why | really?",
                        "long_text": {"max_length": 1_000_000},
                    },
                    {"id": "age", "prompt": "Age", "number": {"min": 18, "max": 99}},
                ],
            }
        },
        {
            "check": {
                "id": "attention",
                "question": {
                    "id": "colour",
                    "prompt": "Which?",
                    "choice": {"options": ["blue", "red"]},
                },
                "correct": "blue",
            }
        },
        {
            "block": {
                "id": "clips",
                "order": "latin_square",
                "over": "condition",
                "each": [
                    {
                        "watch": {
                            "id": "clip",
                            "stimulus": "any",
                            "ask": [
                                {
                                    "id": "feel",
                                    "prompt": "It seemed",
                                    "matrix": {"rows": ["alive", "clever"], "points": 5},
                                }
                            ],
                        }
                    }
                ],
            }
        },
        {"finish": {"text": "Thank you."}},
    ],
}


def definition_of(tree: dict[str, Any]) -> Definition:
    reading = read_study(from_plain(tree), file="study.yaml")
    assert not reading.problems, [str(problem) for problem in reading.problems]
    media = {
        one["id"]: Medium(digest="0" * 64, bytes=10, duration_ms=2000, media_type="video/mp4")
        for one in tree["stimuli"]
    }
    return Definition(study=reading.study, tree=tree, pages={}, media=media)


@dataclass(frozen=True)
class Making:
    """Builds sessions of one study."""

    definition: Definition

    def study(self, **changes: Any) -> StudyRecord:
        record = StudyRecord(
            id="who_plays",
            title="Who plays like a human?",
            definitions={self.definition.hash: self.definition.to_json()},
        )
        return replace(record, **changes)

    def session(
        self,
        number: int = 1,
        *,
        words: str = "It looked around.",
        until: int | None = None,
        link_kind: str = "open",
        extra_events: int = 0,
        **changes: Any,
    ) -> CollectedSession:
        """A session that went through the first `until` trials (default: all, and finished)."""
        study = self.definition.study
        rng = generator(study.seed, "session", number, link_kind)
        cell = cells(study)[(number - 1) % len(cells(study))]
        assignment = Assignment(dict(cell.arms), dict(cell.rows), session_seed(study, number))
        planned = plan(study, assignment)
        session_id = f"{link_kind[:1]}{rng.getrandbits(100):025x}"
        bodies: list[str] = []
        trials: list[ClosedTrial] = []
        clock = T0_MS + 1000 * number

        def happen(kind: str, trial: int | None, **data: Any) -> int:
            nonlocal clock
            clock += 500
            body = {
                "kind": kind,
                "trial": trial,
                "at_ms": clock,
                "mono_ms": clock - T0_MS + 0.5,
                "data": data,
            }
            bodies.append(json.dumps(body, separators=(",", ":")))
            return len(bodies)

        happen("page.open", None)
        ends_at = len(planned) - 1 if until is None else until
        for one in planned[:ends_at]:
            opened = clock
            happen("trial.shown", one.position)
            answers: dict[str, Any] = {}
            if isinstance(one.trial, Consent):
                answers = {item.id: True for item in one.trial.require}
            if isinstance(one.trial, Watch):
                happen("media.interval", one.position, from_ms=0, to_ms=1234.5, rate=1)
                happen("page.hidden", one.position)
                happen("page.visible", one.position)
            for question in one.trial.all_questions:
                instrument = INSTRUMENTS[question.kind]
                raw = words if question.id == "words" else instrument.simulate(question.params, rng)
                if isinstance(one.trial, Check):
                    raw = "blue"
                happen("answer.change", one.position, question=question.id, value=raw)
                answers[question.id] = instrument.read(question.params, raw)
            if one.key == "about":
                happen("text.paste", one.position, question="words", length=12)
            for _ in range(extra_events):
                happen("clock", one.position)
            seq = happen("trial.submit", one.position, answers=answers)
            trials.append(
                ClosedTrial(
                    position=one.position,
                    run=0,
                    key=one.key,
                    status="done",
                    attempts=1,
                    submit_seq=seq,
                    answers=answers,
                    opened_ms=opened,
                    closed_ms=clock,
                )
            )
        finished = until is None
        events = tuple((seq, body, T0_MS + seq) for seq, body in enumerate(bodies, start=1))
        record = SessionRecord(
            id=session_id,
            number=number,
            link_kind=link_kind,
            definition=self.definition.hash,
            language="en",
            arms=assignment.arms,
            rows=assignment.rows,
            seed=assignment.seed,
            state="finished" if finished else "active",
            outcome="complete" if finished else None,
            position=ends_at,
            run=0,
            epoch=1,
            head_seq=len(events),
            head_hash=event_chain.extend(event_chain.origin(session_id), bodies),
            started_ms=T0_MS + 1000 * number,
            finished_ms=clock if finished else None,
            rejected=False,
            recruiter_hash=f"{number:064x}",
        )
        return CollectedSession(
            session=replace(record, **changes), trials=tuple(trials), events=events
        )


@pytest.fixture(scope="session")
def making() -> Making:
    return Making(definition_of(TREE))


@pytest.fixture(scope="session")
def some_sessions(making: Making) -> tuple[CollectedSession, ...]:
    """Complete, incomplete, screened out, rejected, with a text set aside, and with a stray."""
    done = [making.session(number) for number in (1, 2, 3)]
    rejected = making.session(4, rejected=True)
    judged = replace(
        rejected,
        decisions=(
            DecisionRecord(
                kind="reject", target="", reason="=cheated", user="ann", at_ms=T0_MS, blind=True
            ),
            DecisionRecord(
                kind="exclude_text",
                target="about/words",
                reason="copied",
                user="ann",
                at_ms=T0_MS,
                blind=True,
            ),
        ),
    )
    stray = replace(done[2], strays=(StrayRecord(1, 99, '{"kind":"clock"}', T0_MS),))
    out = making.session(
        5, until=3, state="finished", outcome="screened_out", finished_ms=T0_MS + 60_000
    )
    return (done[0], done[1], stray, judged, out, making.session(6, until=2))


def put_session(conn: Connection, one: CollectedSession, study: str = "who_plays") -> None:
    session = one.session
    values = asdict(session) | {
        "arms": json.dumps(dict(session.arms)),
        "rows": json.dumps(dict(session.rows)),
    }
    hidden = {
        "token_hash": f"t-{session.id}",
        "code_hash": f"c-{session.id}",
        "recruiter_extra": "{}",
    }
    times = {"opened_ms": 0, "seen_ms": 0, "reserved_until_ms": 0, "reservation_ms": 0}
    for name in ("weighed", "agent_probability"):
        assert values.pop(name) is None, f"{name} is in another table, which is not filled here"
    conn.execute(insert(sessions).values(**values, **hidden, **times, study=study))
    happened = [
        {"seq": seq, "body": body, "received_ms": received_ms}
        for seq, body, received_ms in one.events
    ]
    closed, beside = (list(map(asdict, records)) for records in (one.trials, one.strays))
    for table, records in ((trials, closed), (events, happened), (strays, beside)):
        rows = [record | {"session": session.id} for record in records]
        for row in rows:
            if "answers" in row:
                row["answers"] = json.dumps(row["answers"])
        if rows:
            conn.execute(insert(table), rows)
    for decision in one.decisions:
        row = {name: value for name, value in asdict(decision).items() if name != "blind"}
        conn.execute(insert(decisions).values(session=session.id, **row))


@pytest.fixture(scope="session")
def insert_session() -> Callable[..., None]:
    """Puts a session and all that belongs to it into a database."""
    return put_session


HOSTILE = [
    "<script>alert(1)</script>",
    '=HYPERLINK("http://evil","x")',
    "+1+1",
    "-2+3|cmd|' /C calc'!A0",
    "@SUM(1+1)",
    "\t=1",
    "\r=1",
    "line one\nline two\r\nline three",
    "\u202eevil\u202c \u2066isolated\u2069 \u200e",
    "nul \x00 bell \x07 escape \x1b[31m delete \x7f",
    "half \ud83d character \udc00",
    '"quoted", \'single\', `back`, ""',
    "'starts with an apostrophe",
    "'\"starts like our own mark",
    "x" * 1_000_000,
    "=" + "y" * 999_999,
    "🦊 emoji, ß, 漢字, é",
    " leading and trailing space ",
    "NA",
    "NULL",
    "1e5",
    "\ufeffbyte order mark",
    "line\u2028separator",
]


def with_words(session: CollectedSession, text: str) -> CollectedSession:
    """The answer kept exactly, whatever its instrument would have replaced."""
    about = session.trials[1]
    kept = replace(about, answers={**about.answers, "words": text})
    return replace(session, trials=(session.trials[0], kept, *session.trials[2:]))


@pytest.fixture(scope="session")
def hostile_texts() -> list[str]:
    """What people (and programs) type to break things."""
    return HOSTILE


@pytest.fixture(scope="session")
def hostile_sessions(making: Making) -> list[CollectedSession]:
    """One session per hostile text, given as an answer."""
    return [
        with_words(making.session(number, words=text), text)
        for number, text in enumerate(HOSTILE, start=1)
    ]


MakeDefinition = Callable[[dict[str, Any]], Definition]


@pytest.fixture(scope="session")
def make_definition() -> MakeDefinition:
    return definition_of
