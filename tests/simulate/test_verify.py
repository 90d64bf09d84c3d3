"""The comparison of store and logs must notice what it is there to notice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from believable.core.clock import WallClock
from believable.core.errors import NotFound
from believable.simulate.asgi import running
from believable.simulate.client import Participant
from believable.simulate.crowd import link_token, sessions_so_far
from believable.simulate.pace import HastyPace
from believable.web.app import Settings, create_app
from validation.stored_check import differences

STUDY = """\
believable: 1
title: Compared
seed: 1
timeline:
  - form: {id: f, questions: [{id: q, prompt: Q, slider: {}}]}
  - finish: {}
"""


def compared(tmp_path: Path, spoil: Callable[[Participant], None]) -> list[str]:
    study = tmp_path / "compared"
    study.mkdir()
    (study / "study.yaml").write_text(STUDY)
    app: Any = create_app(Settings(data_dir=tmp_path / "data", study_folders=(study,)))

    async def main() -> list[str]:
        async with running(app) as http:
            person = Participant(http, HastyPace(WallClock().now_ms()))
            await person.join(link_token(app.state.store, "compared"))
            await person.claim()
            for number in range(5):
                person.note("answer.change", question="q", value=number)
            await person.flush()
            assert sessions_so_far(app.state.store, "compared") == 1
            with pytest.raises(NotFound):
                link_token(app.state.store, "elsewhere")
            spoil(person)
            return differences(app.state.store, [person])

    return asyncio.run(main())


def changed(person: Participant) -> None:
    person.log[2] = person.log[2].replace('"value":2', '"value":9')


def forgotten(person: Participant) -> None:
    person.log.append(person.log[0])
    person.acked += 1


def invented(person: Participant) -> None:
    person.log.pop()
    person.acked -= 1


def of_another(person: Participant) -> None:
    person.token = "A" * 22


def test_equal_is_equal(tmp_path: Path) -> None:
    assert compared(tmp_path, lambda person: None) == []


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (changed, "stored differ"),
        (forgotten, "were acknowledged"),
        (invented, "not a beginning"),
        (of_another, "not stored"),
    ],
)
def test_every_difference_is_found(
    tmp_path: Path, spoil: Callable[[Participant], None], words: str
) -> None:
    found = compared(tmp_path, spoil)
    assert any(words in line for line in found), found
