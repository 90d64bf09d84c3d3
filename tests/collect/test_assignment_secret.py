"""A published study tells its seed. Without the server's key nobody can compute which session came
when.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from believable.collect.desk import Collect
from believable.contracts.trial import Block
from believable.core.clock import VirtualClock
from believable.store.engine import Store
from believable.study.plan import choose, chooser, session_seed
from believable.study.records import Study

N_PEOPLE = 24


def drawn(
    folder: Path, study: Any, key: bytes, link: str, study_id: str = "s"
) -> list[tuple[Any, ...]]:
    """What was drawn for people who join one after the other, on a server with this key."""
    clock = VirtualClock(1_000_000)
    with Store.open(f"sqlite:///{folder / 'believable.db'}", clock=clock) as store:
        desk = Collect(store, clock=clock, key=key, media_dir=folder / "media")
        address = desk.publish(study_id, study).links[link]
        tokens = [desk.join(address, {}, "en", True, {}).now().token for _ in range(N_PEOPLE)]
        found = [desk.view(token).now().session for token in tokens]
        return [
            (
                session.number,
                *sorted(session.arms.items()),
                *sorted(session.rows.items()),
                session.seed,
            )
            for session in found
        ]


def same_numbers(first: list[tuple[Any, ...]], second: list[tuple[Any, ...]]) -> int:
    return sum(one == other for one, other in zip(first, second, strict=True))


def test_another_key_draws_something_else_for_the_same_session(
    tmp_path: Path, make_definition: Any, with_tables: Callable[[Path], Path]
) -> None:
    study = make_definition()
    folders = [tmp_path / name for name in "abcdef"]
    for folder in folders:
        folder.mkdir()
        with_tables(folder)
    first = drawn(folders[0], study, b"1" * 32, "open")
    assert drawn(folders[1], study, b"1" * 32, "open") == first, "the same key draws the same"
    assert same_numbers(drawn(folders[2], study, b"2" * 32, "open"), first) == 0
    assert same_numbers(drawn(folders[3], study, b"1" * 32, "open", "t"), first) == 0, (
        "each study has a secret of its own"
    )
    public = [session_seed(study.study, number) for number in range(1, N_PEOPLE + 1)]
    assert not {row[-1] for row in first} & set(public), (
        "the published seed and a number give no session's seed"
    )
    simulated = [
        drawn(folder, study, key, "simulated")
        for folder, key in zip(folders[4:], (b"1" * 32, b"2" * 32), strict=True)
    ]
    assert simulated[0] == simulated[1], "simulated sessions come out the same on every server"
    assert [row[-1] for row in simulated[0]] == public


def test_the_order_of_pages_does_not_tell_the_number(make_definition: Any) -> None:
    """Who knows the study and its seed guesses the order of a session as often as chance: here once
    in 120.
    """
    study: Study = make_definition().study
    block = next(item for item in study.timeline if isinstance(item, Block)).model_copy(
        update={"order": "random"}
    )

    def orders(secret: str) -> list[tuple[int, ...]]:
        return [
            tuple(chooser(choose(study, {}, number, secret))(block, 0, list("abcde")))
            for number in range(1, 601)
        ]

    public, first, second = orders(""), orders("one"), orders("two")
    for left, right in ((public, first), (public, second), (first, second)):
        matches = sum(one == other for one, other in zip(left, right, strict=True))
        assert matches <= 15, "expected 5 of 600; more than 15 happen in 1 of 10,000 runs"
