"""Coded texts in both databases: collected once, zero loss on the way from the desk, versions,
rounds, decisions, export rows.
"""

from __future__ import annotations

import json

import pytest
from sqlalchemy import Connection, func, select

from believable.coding.labels import Label, Mark, as_json
from believable.coding.responses import Response
from believable.coding.samples import RoundPlan
from believable.core import event_chain
from believable.core.errors import BelievableError, Conflict, InvalidInput, NotFound, TakenOver
from believable.store import alarms, bundle_export, coding_marks, coding_projects, coding_rounds
from believable.store.bundle_export import pseudonyms
from believable.store.coding_projects import CodingProject, TextMedium
from believable.store.engine import Store
from believable.store.tables import coding as coding_tables
from believable.study.codebook import ready

pytestmark = pytest.mark.both_databases

BOOK = ready("hntt")
PROJECT = CodingProject(
    id="why",
    study=None,
    pool="imported",
    title="Why",
    sources=(),
    seed=7,
    suggestions=False,
    rule="none",
    created_ms=0,
)
CODERS = ["kim", "lee"]
GOAL, SMOOTH = Label("goal", "+", "more"), Label("smoothness", "-", "less", ((0, 4),))


def response(number: int) -> Response:
    return Response(
        text=f"text {number}",
        prompt="Why?",
        judge=f"j{number // 3}",
        trial_key=f"t{number}",
        condition="ab"[number % 2],
        session=f"s{number // 3}",
        stimuli=("x", "y"),
        chosen=1,
        moment_ms=5.5,
    )


@pytest.fixture
def filled(store: Store) -> Store:
    def put(conn: Connection) -> None:
        coding_projects.create_project(conn, PROJECT, BOOK, user="ada")
        media = (TextMedium("digest", False), TextMedium("other", True))
        coding_projects.put_texts(conn, PROJECT, [(response(n), media) for n in range(30)])

    store.write(put)
    return store


TEN_TEXTS = RoundPlan(kind="agreement", n=10)


def draw(store: Store, plan: RoundPlan = TEN_TEXTS, again: int | None = None) -> int:
    return store.write(
        lambda conn: coding_rounds.add_round(
            conn, PROJECT, plan, CODERS, again=again, user="ada", at_ms=1
        )
    ).number


def operation(number: int, mark: Mark, round_number: int = 1, **more: object) -> str:
    body = {
        "kind": "mark",
        "round": round_number,
        "number": number,
        "mark": as_json(mark),
        "version": 1,
        "suggested": True,
        "at_ms": 5,
    }
    return json.dumps(body | more)


def first_tasks(store: Store, coder: str = "kim") -> list[int]:
    return [
        one.number for one in store.read(lambda conn: coding_rounds.tasks_of(conn, "why", coder))
    ]


def claim(store: Store, coder: str = "kim") -> coding_marks.ClaimedDesk:
    return store.write(
        lambda conn: coding_marks.claim_desk(conn, "why", coder, new_id=f"log-{coder}")
    )


def send(store: Store, epoch: int, *sent: tuple[int, str], coder: str = "kim") -> int:
    def append(conn: Connection) -> int | BelievableError:
        return coding_marks.append_operations(conn, "why", coder, epoch, sent, at_ms=9)

    return store.write(append)


# ----------------------------------------------------------------------------------------------
# texts


def test_texts_come_back_as_they_were_under_numbers_that_tell_nothing(filled: Store) -> None:
    found = filled.read(lambda conn: coding_projects.texts(conn, "why"))
    assert sorted(found) == list(range(1, 31))
    assert {one.response for one in found.values()} == {response(n) for n in range(30)}
    assert [one.response.text for one in found.values()] != [f"text {n}" for n in range(30)]
    assert found[1].media == (TextMedium("digest", False), TextMedium("other", True))


def test_collecting_again_adds_only_what_is_new(filled: Store) -> None:
    more = [(response(n), ()) for n in range(25, 40)]
    assert filled.write(lambda conn: coding_projects.put_texts(conn, PROJECT, more)) == 10
    words = filled.read(lambda conn: coding_projects.words(conn, "why"))
    assert len(words) == 40
    assert {int(words[number].split()[1]) for number in range(31, 41)} == set(range(30, 40))


# ----------------------------------------------------------------------------------------------
# zero loss


def test_operations_are_acknowledged_in_a_chain_and_the_latest_holds(filled: Store) -> None:
    draw(filled)
    one = first_tasks(filled)[0]
    claimed = claim(filled)
    assert (claimed.epoch, claimed.ack, claimed.head) == (1, 0, event_chain.origin(claimed.log))
    bodies = [
        operation(one, Mark(labels=(GOAL,))),
        operation(one, Mark(labels=(GOAL, SMOOTH), uncertain=True, memo="hm", done=True)),
    ]
    assert send(filled, 1, (1, bodies[0])) == 1
    assert send(filled, 1, (1, bodies[0]), (2, bodies[1])) == 2
    (stored,) = filled.read(lambda conn: coding_marks.marks(conn, "why"))
    assert stored.mark == Mark(labels=(GOAL, SMOOTH), uncertain=True, memo="hm", done=True)
    assert (stored.coder, stored.version, stored.suggested, stored.review) == (
        "kim",
        1,
        True,
        False,
    )
    again = claim(filled)
    assert (again.epoch, again.ack, again.head) == (
        2,
        2,
        event_chain.extend(event_chain.origin(claimed.log), bodies),
    )


def test_a_gap_waits_for_what_is_missing_and_order_is_kept(filled: Store) -> None:
    draw(filled)
    one = first_tasks(filled)[0]
    claim(filled)
    late, early = operation(one, Mark(labels=(SMOOTH,))), operation(one, Mark(labels=(GOAL,)))
    assert send(filled, 1, (2, late)) == 0
    assert filled.read(lambda conn: coding_marks.marks(conn, "why")) == ()
    assert send(filled, 1, (1, early)) == 2
    (stored,) = filled.read(lambda conn: coding_marks.marks(conn, "why"))
    assert stored.mark.labels == (SMOOTH,)


def test_a_tab_that_was_taken_over_is_told_and_what_it_sent_is_kept_outside(filled: Store) -> None:
    draw(filled)
    one = first_tasks(filled)[0]
    claim(filled)
    send(filled, 1, (1, operation(one, Mark(labels=(GOAL,)))))
    claim(filled)
    with pytest.raises(TakenOver, match="another tab"):
        send(filled, 1, (2, operation(one, Mark(labels=(SMOOTH,)))))
    (stored,) = filled.read(lambda conn: coding_marks.marks(conn, "why"))
    assert stored.mark.labels == (GOAL,)
    count = select(func.count()).select_from(coding_tables.coding_strays)
    assert filled.read(lambda conn: conn.execute(count).scalar()) == 1


def test_other_content_under_a_known_number_is_an_alarm_and_kept(filled: Store) -> None:
    draw(filled)
    one = first_tasks(filled)[0]
    claim(filled)
    send(filled, 1, (1, operation(one, Mark(labels=(GOAL,)))))
    with pytest.raises(Conflict, match="stored with other content"):
        send(filled, 1, (1, operation(one, Mark(labels=(SMOOTH,)))))
    assert [one.kind for one in filled.read(alarms.standing)] == ["chain_conflict"]
    with pytest.raises(Conflict, match="never given out"):
        send(filled, 7, (2, "x"))
    with pytest.raises(NotFound, match="never opened"):
        send(filled, 1, (1, "x"), coder="lee")


@pytest.mark.parametrize(
    "body", ["no json", '{"kind": "dance"}', '{"kind": "mark", "round": "1"}', "[]"]
)
def test_what_cannot_be_understood_is_kept_and_sounds_an_alarm(filled: Store, body: str) -> None:
    draw(filled)
    claim(filled)
    assert send(filled, 1, (1, body)) == 1
    assert (
        filled.read(
            lambda conn: conn.execute(select(coding_tables.coding_operations.c.body)).scalar()
        )
        == body
    )
    assert [one.kind for one in filled.read(alarms.standing)] == ["coding_operation"]


def test_nobody_marks_what_is_not_on_their_list(filled: Store) -> None:
    draw(filled)
    other = next(n for n in range(1, 31) if n not in first_tasks(filled))
    claim(filled)
    assert send(filled, 1, (1, operation(other, Mark(labels=(GOAL,))))) == 1
    assert filled.read(lambda conn: coding_marks.marks(conn, "why")) == ()
    assert "not on this coder's list" in filled.read(alarms.standing)[0].message


# ----------------------------------------------------------------------------------------------
# rounds


def test_rounds_draw_from_what_is_left_and_can_be_coded_again(filled: Store) -> None:
    first = draw(filled)
    taken = set(first_tasks(filled))
    assert len(taken) == 10
    second = draw(filled, RoundPlan(kind="split", n=None, overlap=0.25))
    samples = filled.read(lambda conn: coding_rounds.samples(conn, "why"))
    rest = {number for (number_of, number) in samples if number_of == second}
    assert rest == set(range(1, 31)) - taken
    kinds = [kind for (number_of, _), kind in samples.items() if number_of == second]
    assert kinds.count("overlap") == 5
    with pytest.raises(InvalidInput, match="no text is left"):
        draw(filled)
    third = draw(filled, again=first)
    assert {
        n for (r, n) in filled.read(lambda conn: coding_rounds.samples(conn, "why")) if r == third
    } == taken


def test_progress_and_closing(filled: Store) -> None:
    draw(filled)
    claim(filled)
    one = first_tasks(filled)[0]
    send(filled, 1, (1, operation(one, Mark(labels=(GOAL,), done=True))))
    found = filled.read(lambda conn: coding_rounds.coder_progress(conn, "why"))
    assert [(line.coder, line.done, line.n) for line in found] == [("kim", 1, 10), ("lee", 0, 10)]
    filled.write(lambda conn: coding_rounds.set_round_state(conn, "why", 1, "closed"))
    assert first_tasks(filled) == []
    with pytest.raises(NotFound, match="has no round 9"):
        filled.read(lambda conn: coding_rounds.get_round(conn, "why", 9))


# ----------------------------------------------------------------------------------------------
# versions


def marked(store: Store, labels: tuple[Label, ...]) -> None:
    draw(store)
    claim(store)
    send(store, 1, (1, operation(first_tasks(store)[0], Mark(labels=labels, done=True))))


@pytest.mark.parametrize(
    ("policy", "labels", "done", "review"),
    [
        ("keep", (GOAL, SMOOTH), True, False),
        ("review", (GOAL, SMOOTH), True, True),
        ("drop", (SMOOTH,), False, True),
    ],
)
def test_a_new_version_carries_labels_as_decided(
    filled: Store, policy: str, labels: tuple[Label, ...], done: bool, review: bool
) -> None:
    marked(filled, (GOAL, SMOOTH))
    assert filled.read(
        lambda conn: coding_projects.affected_labels(conn, "why", ["goal", "other"])
    ) == {"goal": 1, "other": 0}
    new = BOOK.model_copy(update={"title": "Second"})

    def add(conn: Connection) -> int:
        given = {"goal": policy}
        return coding_projects.add_version(
            conn, "why", new, given, after=1, note="n", user="ada", at_ms=3
        )  # type: ignore[arg-type]

    assert filled.write(add) == 2
    (stored,) = filled.read(lambda conn: coding_marks.marks(conn, "why"))
    assert (stored.mark.labels, stored.mark.done, stored.review, stored.version) == (
        labels,
        done,
        review,
        1,
    )
    versions = filled.read(lambda conn: coding_projects.books(conn, "why"))
    assert [(version.version, version.book.title) for version in versions] == [
        (1, BOOK.title),
        (2, "Second"),
    ]
    with pytest.raises(Conflict, match="made version 2"):
        filled.write(add)


# ----------------------------------------------------------------------------------------------
# decisions and files


def disagree(store: Store) -> int:
    draw(store)
    number = first_tasks(store)[0]
    for coder, label in (("kim", GOAL), ("lee", SMOOTH)):
        claim(store, coder)
        send(store, 1, (1, operation(number, Mark(labels=(label,), done=True))), coder=coder)
    return number


def test_a_decision_holds_and_nothing_is_overwritten(filled: Store) -> None:
    number = disagree(filled)
    assert filled.read(lambda conn: coding_marks.final_labels(conn, PROJECT)) == ()
    for how, label in (("adjudicated", GOAL), ("discussed", SMOOTH)):
        filled.write(
            lambda conn, how=how, label=label: coding_marks.decide(  # type: ignore[misc]
                conn,
                "why",
                round_number=1,
                number=number,
                how=how,
                mark=Mark(labels=(label,), done=True),
                version=1,
                note="because",
                user="ada",
                at_ms=4,
            )
        )
    (held,) = filled.read(lambda conn: coding_marks.final_labels(conn, PROJECT))
    assert (held.number, held.how, held.mark.labels, held.note) == (
        number,
        "discussed",
        (SMOOTH,),
        "because",
    )
    assert len(filled.read(lambda conn: coding_marks.outcomes(conn, "why"))[number]) == 2


def test_the_rule_of_the_project_settles_the_rest(filled: Store) -> None:
    disagree(filled)
    filled.write(
        lambda conn: coding_projects.change_project(
            conn, "why", suggestions=True, rule="random_coder"
        )
    )
    project = filled.read(lambda conn: coding_projects.get_project(conn, "why"))
    assert project.suggestions
    (held,) = filled.read(lambda conn: coding_marks.final_labels(conn, project))
    assert held.how == "random_coder"
    assert held.coder in CODERS
    with pytest.raises(InvalidInput, match="rule: expected one of"):
        filled.write(
            lambda conn: coding_projects.change_project(conn, "why", suggestions=True, rule="dice")
        )


def test_files_hold_no_condition_and_coders_are_numbered_in_the_final_ones(filled: Store) -> None:
    disagree(filled)
    found = filled.read(lambda conn: bundle_export.files_of(conn, "why"))
    assert set(found) == {"texts.csv", "labels.csv", "final.csv", "codebook.csv", "codebook.qdc"}
    assert found["texts.csv"].startswith("response,prompt,text\n1,Why?,text ")
    assert filled.read(lambda conn: pseudonyms(conn, PROJECT)) == {
        "kim": "coder_1",
        "lee": "coder_2",
    }
    assert "condition" not in found["texts.csv"] + found["labels.csv"] + found["final.csv"]


def test_labels_from_a_file_need_a_list_that_has_the_text(filled: Store) -> None:
    draw(filled)
    number = first_tasks(filled)[0]
    marks = [bundle_export.MarkedText(number, "kim", Mark(labels=(GOAL,), done=True))]
    assert (
        filled.write(
            lambda conn: bundle_export.put_labels(conn, "why", 1, marks, version=1, at_ms=2)
        )
        == 1
    )
    stranger = [bundle_export.MarkedText(number, "zoe", Mark(labels=(GOAL,), done=True))]
    with pytest.raises(InvalidInput, match="not on the list of 'zoe'"):
        filled.write(
            lambda conn: bundle_export.put_labels(conn, "why", 1, stranger, version=1, at_ms=2)
        )


def test_projects_are_found_by_name_and_by_coder(filled: Store) -> None:
    with pytest.raises(NotFound, match=r"no coding project 'whi'. Did you mean 'why'\?"):
        filled.read(lambda conn: coding_projects.get_project(conn, "whi"))
    with pytest.raises(Conflict, match="already"):
        filled.write(lambda conn: coding_projects.create_project(conn, PROJECT, BOOK, user="ada"))
    assert filled.read(lambda conn: coding_projects.projects_of_coder(conn, "kim")) == ()
    draw(filled)
    assert [
        one.id for one in filled.read(lambda conn: coding_projects.projects_of_coder(conn, "kim"))
    ] == ["why"]
