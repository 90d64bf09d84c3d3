"""Rounds are filmed in the data folder, where the next start deletes what a killed server left."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from believable.core.errors import Unavailable
from believable.web.participant.round_course import FilmRenderer


def test_a_round_is_filmed_among_the_drafts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafts, used = tmp_path / "drafts", list[Path]()
    start = asyncio.create_subprocess_exec

    async def note(*words: str, **named: Any) -> Any:
        used.extend(Path(word).parent for word in words if word.endswith("round.mp4"))
        assert (used[0] / "round.replay.json.gz").read_bytes() == b"no recording"
        return await start(*words, **named)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", note)
    with pytest.raises(Unavailable, match="could not be filmed"):
        asyncio.run(FilmRenderer(drafts).film(b"no recording", None))
    assert [folder.parent for folder in used] == [drafts]
    assert list(drafts.iterdir()) == []
