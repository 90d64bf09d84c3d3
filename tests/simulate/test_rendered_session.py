"""Simulated people play a world that draws itself, through the page's own connection and faster
than time.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from believable.app.simulate import on_virtual_clock
from believable.app.study_data import DataOptions
from believable.bundle.read import read
from believable.core.clock import WallClock
from believable.simulate.crowd import Crowd
from believable.store.bundle_export import export
from believable.store.engine import Store

pytest.importorskip("vizdoom", reason="needs the extra doom")

STUDY = """\
believable: 1
title: A game
seed: 3
timeline:
  - play: {id: game, world: doom, opponent: bot, map: deathmatch, picture: 160x120, duration_s: 5}
  - finish: {}
"""


def test_everybody_plays_to_the_end_and_the_bundle_has_it(tmp_path: Path) -> None:
    folder = tmp_path / "game"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY)
    settings = DataOptions().settings([folder])
    visits = on_virtual_clock(
        settings, Crowd(participants=2, drop_out=0, seed=5), lambda visit: None
    )
    assert [visit.outcome for visit in visits] == ["complete"] * 2
    with Store.open(settings.url, clock=WallClock()) as store:
        export(store, "game", tmp_path / "bundle", simulated=True)
    bundle = read(tmp_path / "bundle")
    rows = list(bundle["rounds"].rows())
    assert [row["ticks"] for row in rows] == [175, 175]
    assert {row["map"] for row in rows} == {"deathmatch"}
    walked = [row for row in bundle["round_inputs"].rows() if row["forward"]]
    assert len({row["session"] for row in walked}) == 2
