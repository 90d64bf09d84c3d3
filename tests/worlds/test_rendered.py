"""Worlds that draw themselves: pictures, quick resumption, and films from the recording alone."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from believable.core.errors import InvalidInput
from believable.recordings.file import write
from believable.recordings.film_file import load_av
from believable.recordings.recording import Recording
from believable.stimuli import raster
from believable.worlds.contract import (
    GameControls,
    Input,
    MouseLook,
    Pixels,
    Rendering,
    RoundPlace,
    View,
    World,
)
from believable.worlds.live_round import LiveRound, record_round
from believable.worlds.world_check import check_world
from tests.worlds.gridworld import GRIDWORLD, GridGame, GridSetup

SIZE_PX = 32
DIM, BRIGHT = 60, 255
CONTROLS = GameControls({"ArrowRight": ("step_x", 1), "ArrowLeft": ("step_x", -1)})


def painted(game: GridGame, view: View) -> Pixels:
    """The player bright and the rival dim on black."""
    picture = np.zeros((view.height_px, view.width_px, 3), np.uint8)
    scale = view.height_px // 8
    for (x, y), colour in ((game.rival, DIM), (game.player, BRIGHT)):
        picture[y * scale : (y + 1) * scale, x * scale : (x + 1) * scale] = colour
    return picture if view.camera != "below" else picture[::-1]


class PaintedGame(GridGame):
    """The board as a picture. Closed games are counted."""

    closed = 0

    def __init__(self, setup: GridSetup, recorded: bool) -> None:
        super().__init__(setup, recorded)
        self._inputs: list[Input] = []

    def step(self, inputs: Mapping[str, Input]) -> Sequence[str]:
        self._inputs.append(inputs["player"])
        return super().step(inputs)

    def picture(self) -> Pixels:
        return painted(self, View(SIZE_PX, SIZE_PX))

    def skip(self, inputs: Sequence[Mapping[str, Input]]) -> None:
        for pressed in inputs:
            self.step(pressed)

    def welcome(self) -> Mapping[str, Any]:
        return {"size": 8, "width_px": SIZE_PX, "height_px": SIZE_PX}

    def record(self) -> Recording:
        xs, ys = zip(*self._inputs, strict=True)
        plain = super().record()
        return replace(
            plain,
            telemetry={**plain.telemetry, "step_x": xs, "step_y": ys},
            provenance={"setup": self.setup.model_dump_json()},
        )

    def close(self) -> None:
        PaintedGame.closed += 1


class Careless(PaintedGame):
    """Does not go where it would have gone."""

    def skip(self, inputs: Sequence[Mapping[str, Input]]) -> None:
        super().skip([{"player": (0, 0)} for _ in inputs])


def pictures(recording: Recording, view: View) -> Generator[Pixels, None, None]:
    game = GridGame(GridSetup.model_validate_json(str(recording.provenance["setup"])), False)
    columns = (recording.telemetry["step_x"], recording.telemetry["step_y"])
    for frame, pressed in enumerate(zip(*columns, strict=True)):
        game.step({"player": pressed})  # type: ignore[dict-item]
        if frame >= view.first_frame:
            yield painted(game, view)


def wrong_pictures(recording: Recording, view: View) -> Generator[Pixels, None, None]:
    for picture in pictures(recording, view):
        yield picture // 2


def unskipped_pictures(recording: Recording, view: View) -> Generator[Pixels, None, None]:
    yield from pictures(recording, replace(view, first_frame=0))


def world(**changed: Any) -> World:
    rendering = Rendering(("above", "below"), pictures, lambda setup: CONTROLS)
    playing = replace(GRIDWORLD.game, new=PaintedGame, rendering=rendering, **changed)
    return replace(GRIDWORLD, playing=playing, folder=GRIDWORLD.folder / "without-a-page")


def a_setup() -> GridSetup:
    setup: GridSetup = GRIDWORLD.game.settle(
        GRIDWORLD.game.options(gems=18), RoundPlace(5, "t", None, "wanderer", 5, False)
    )
    return setup


def test_it_keeps_the_contract_without_a_script_of_its_own_and_gives_everything_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = []
    monkeypatch.setattr(PaintedGame, "closed", 0)
    counted = replace(
        world().game, new=lambda setup, recorded: begun.append(1) or PaintedGame(setup, recorded)
    )
    check_world(replace(world(), playing=counted))
    assert len(begun) == PaintedGame.closed > 0


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"new": Careless}, "it differs at tick"),
        (
            {"rendering": Rendering(("above",), wrong_pictures, lambda setup: CONTROLS)},
            "differs from what was seen at tick 1",
        ),
        (
            {"rendering": Rendering(("above",), unskipped_pictures, lambda setup: CONTROLS)},
            "begin with frame [0-9]+ .*begins with another",
        ),
        (
            {
                "rendering": Rendering(
                    ("above",), pictures, lambda setup: GameControls({"KeyW": ("step_z", 1)})
                )
            },
            "a key or the mouse sets 'step_z', which is no part of an input",
        ),
        (
            {
                "rendering": Rendering(
                    ("above",), pictures, lambda setup: GameControls({"KeyW": ("step_y", 2)})
                )
            },
            "a key sets 'step_y' to 2, outside of -1 to 1",
        ),
        (
            {
                "rendering": Rendering(
                    ("above",),
                    pictures,
                    lambda setup: GameControls({}, {}, MouseLook("step_x", "step_y", 1)),
                )
            },
            "the mouse moves 'step_x', which is 'held', not 'moved'",
        ),
    ],
)
def test_what_breaks_it_is_told(changed: dict[str, Any], words: str) -> None:
    broken = replace(world(), playing=replace(world().game, **changed))
    with pytest.raises(InvalidInput, match=words):
        check_world(broken)


CHANGES = [[0, 1, 1, 0], [3, 2, 0, 1], [9, 3, -1, -1], [30, 4, 1, 1]]


def test_a_round_is_taken_up_without_looking_at_what_was() -> None:
    playing, stepped = world().game, []

    class Counted(PaintedGame):
        def skip(self, inputs: Sequence[Mapping[str, Input]]) -> None:
            stepped.append(len(inputs))
            super().skip(inputs)

    live = LiveRound.rebuilt(replace(playing, new=Counted), a_setup(), CHANGES, 20)
    whole = LiveRound.rebuilt(playing, a_setup(), CHANGES, 20, recorded=True)
    assert stepped == [19]
    assert live.message() == whole.message()
    assert (live.picture() == whole.picture()).all()
    assert live.applied == live.received == 3


def test_films_come_from_the_world_at_any_size_and_camera(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(raster, "WORLDS", {"gridworld": world()})
    recording, _ = record_round(world().game, a_setup(), CHANGES)
    source = tmp_path / "round.replay.json.gz"
    write(recording, source)
    for camera, rows in (("", slice(None)), ("below", slice(None, None, -1))):
        target = tmp_path / f"film{camera}.mp4"
        count = raster.render_file(
            source, target, raster.Look(128, 128, frames_per_s=10, camera=camera, crf=4)
        )
        with load_av("test").open(str(target)) as film:
            seen = [frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]
        wanted = list(pictures(recording, View(128, 128)))
        assert count == len(seen) == recording.timing.frames == len(wanted)
        for shown, picture in zip(seen, wanted, strict=True):
            assert np.abs(shown.astype(int) - picture[rows].astype(int)).mean() < 4
    with pytest.raises(InvalidInput, match=r"camera: unknown 'abov'\. Did you mean 'above'"):
        raster.render_file(source, tmp_path / "no.mp4", raster.Look(128, 128, camera="abov"))
    assert not list(tmp_path.glob(".*part"))


def test_at_another_rate_a_film_shows_what_stood_on_screen() -> None:
    frames = [np.full((2, 2, 3), number, np.uint8) for number in range(7)]
    shown = raster._at_moments(
        iter(frames), 0, 1000 / 35, [0.0, 1000 / 30, 2000 / 30, 100.0, 3000 / 35, 1000.0]
    )
    assert [int(picture[0, 0, 0]) for picture in shown] == [0, 1, 2, 3, 3, 6]
    later = raster._at_moments(iter(frames[2:]), 2, 1000 / 35, [2000 / 30, 100.0, 1000.0])
    assert [int(picture[0, 0, 0]) for picture in later] == [2, 3, 6], (
        "the same from a later frame on"
    )


def test_a_world_that_is_drawn_has_no_camera(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(raster, "WORLDS", {"gridworld": GRIDWORLD})
    recording, _ = record_round(GRIDWORLD.game, a_setup(), CHANGES)
    write(recording, tmp_path / "round.replay.json.gz")
    with pytest.raises(InvalidInput, match="drawn from above and has none, got 'first'"):
        raster.render_file(
            tmp_path / "round.replay.json.gz",
            tmp_path / "x.mp4",
            raster.Look(64, 64, camera="first"),
        )
