"""Revising a study that participants have begun, on each kind of database."""

from __future__ import annotations

import pytest

from believable.collect.desk import Collect
from believable.collect.revise import UnexplainedChange, pending_change, revise
from believable.core.clock import VirtualClock
from believable.core.errors import Conflict, InvalidInput
from believable.store.study_versions import study_versions
from believable.study.definition import Definition
from tests.collect.conftest import Enter, MakeDefinition

OLD, NEW = "A small study", "A study of clips"


def reworded(definition: Definition) -> Definition:
    return Definition(
        study=definition.study,
        tree={**definition.tree, "title": NEW},
        pages=definition.pages,
        media=definition.media,
        extensions=definition.extensions,
    )


def state(desk: Collect, definition: Definition, reason: str, at_ms: int) -> int:
    return desk.store.write(
        lambda conn: revise(
            conn, study_id="s", definition=definition, reason=reason, user="ada", at_ms=at_ms
        )
    )[1]


def test_a_change_waits_for_its_reason_and_sessions_keep_theirs(
    desk: Collect, make_definition: MakeDefinition, enter: Enter, clock: VirtualClock
) -> None:
    first = make_definition()
    links = desk.publish("s", first).links
    second = reworded(first)
    desk.publish("s", second)  # no participant has begun
    desk.publish("s", first)
    early = enter(links["open"])
    with pytest.raises(
        UnexplainedChange, match=r"1 session is pinned to it(?s:.*)believable revise s --reason"
    ):
        desk.publish("s", second)
    pending = desk.store.read(lambda conn: pending_change(conn, study_id="s", definition=second))
    assert pending is not None
    assert [(change.path, change.was, change.now) for change in pending.changes] == [
        ("title", OLD, NEW)
    ]
    clock.advance(1000)
    assert (
        state(desk, second, "  A half emoji \N{GRINNING FACE} and 'quotes'.  ", clock.now_ms()) == 2
    )
    desk.publish("s", second)
    clock.advance(1000)
    late = enter(links["open"])
    definitions = [desk.view(person.token).now().session.definition for person in (early, late)]
    assert definitions == [first.hash, second.hash]
    versions = desk.store.read(lambda conn: study_versions(conn, "s"))
    assert [
        (version.number, version.definition, version.n_sessions, version.user)
        for version in versions
    ] == [(1, first.hash, 1, None), (2, second.hash, 1, "ada")]
    assert versions[1].reason == "A half emoji \N{GRINNING FACE} and 'quotes'."


def test_a_reason_is_needed_only_once_and_only_for_a_change(
    desk: Collect, make_definition: MakeDefinition, enter: Enter, clock: VirtualClock
) -> None:
    first = make_definition()
    links = desk.publish("s", first).links
    with pytest.raises(Conflict, match="no participant has begun"):
        state(desk, reworded(first), "x", 1)
    enter(links["open"])
    with pytest.raises(Conflict, match="nothing changed"):
        state(desk, first, "x", 1)
    with pytest.raises(InvalidInput, match="expected 1 to 2000 characters"):
        state(desk, reworded(first), " ", 1)
    state(desk, reworded(first), "x", clock.now_ms())
    desk.publish("s", first)  # put back: it is the definition of the latest session
    desk.publish("s", reworded(first))  # and forth: the reason of this change is on record
