"""Names of media tell nothing, and open nothing of anybody else."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from believable.collect.desk import Collect
from believable.core.errors import NotFound, Withdrawn


def names(desk: Collect, person: Any) -> dict[str, Path]:
    """The names of a whole session, as its pages show them."""
    found = {}
    for _ in range(2):
        person.run_to("clip")
        view = desk.view(person.token).now()
        (shown,) = view.media
        assert shown.player == "video"
        found[shown.name] = asyncio.run(desk.medium(person.token, shown.name))
        person.answer_page()
    return found


def test_names_differ_between_sessions_and_stimuli(
    desk: Collect, make_definition: Any, enter: Any, tmp_path: Path
) -> None:
    link = desk.publish("s", make_definition()).links["open"]
    one, other = enter(link), enter(link)
    of_one, of_other = names(desk, one), names(desk, other)
    assert (
        set(of_one.values())
        == set(of_other.values())
        == {tmp_path / "media" / ("a" * 64), tmp_path / "media" / ("b" * 64)}
    )
    assert not set(of_one) & set(of_other)
    assert {len(name) for name in {*of_one, *of_other}} == {26}
    for name in of_other:
        with pytest.raises(NotFound, match="no medium with this name"):
            asyncio.run(desk.medium(one.token, name))


def test_file_names_and_digests_open_nothing(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    person = enter(desk.publish("s", make_definition()).links["open"])
    for name in ("h1", "h1.mp4", "a" * 64, "../secret.key", ""):
        with pytest.raises(NotFound):
            asyncio.run(desk.medium(person.token, name))


def test_a_withdrawn_session_shows_no_media(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    person = enter(desk.publish("s", make_definition()).links["open"])
    name = next(iter(names(desk, person)))
    desk.withdraw(person.token).now()
    with pytest.raises(Withdrawn):
        asyncio.run(desk.medium(person.token, name))
