"""Worlds that draw themselves: pictures, quick resumption, and films from the recording alone."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from believable.contracts.film import Filmable, GameControls, MouseLook, View
from believable.contracts.game import Pixels, RoundContext, SeatInputs
from believable.contracts.inputs import Input, InputChange
from believable.contracts.world import World
from believable.core.errors import InvalidInput
from believable.recordings.file import write
from believable.recordings.film_file import load_av
from believable.recordings.recording import Recording
from believable.stimuli import render
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

    def __init__(self, setup: GridSetup) -> None:
        super().__init__(setup)
        self._inputs: list[Input] = []

    def step(self, inputs: SeatInputs) -> Sequence[str]:
        self._inputs.append(inputs["player"])
        return super().step(inputs)

    def picture(self, seat: str) -> Pixels:
        return painted(self, View(width_px=SIZE_PX, height_px=SIZE_PX))

    def skip(self, inputs: Sequence[SeatInputs]) -> None:
        for pressed in inputs:
            self.step(pressed)

    def welcome(self, seat: str) -> Mapping[str, Any]:
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

    def skip(self, inputs: Sequence[SeatInputs]) -> None:
        super().skip([{"player": (0, 0)} for _ in inputs])


def pictures(recording: Recording, view: View) -> Generator[Pixels, None, None]:
    game = GridGame(GridSetup.model_validate_json(str(recording.provenance["setup"])))
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


def filmable(
    controls: GameControls = CONTROLS,
    films: Callable[[Recording, View], Generator[Pixels, None, None]] = pictures,
) -> Filmable:
    return Filmable(controls=lambda setup: controls, pictures=films, cameras=("above", "below"))


def world(**changed: Any) -> World:
    values = {"new": PaintedGame, "recorded": PaintedGame, "filmable": filmable()} | changed
    playing = replace(GRIDWORLD.game, **values)
    return replace(GRIDWORLD, playing=playing, folder=GRIDWORLD.folder / "without-a-page")


def a_setup() -> GridSetup:
    setup: GridSetup = GRIDWORLD.game.trial.resolve(
        GRIDWORLD.game.trial.options(gems=18),
        RoundContext(session_seed=5, trial_key="t", opponent="wanderer", duration_s=5),
    )
    return setup


def test_it_keeps_the_contract_without_a_script_of_its_own_and_gives_everything_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = []
    monkeypatch.setattr(PaintedGame, "closed", 0)

    def counted_game(setup: GridSetup) -> PaintedGame:
        begun.append(1)
        return PaintedGame(setup)

    counted = replace(world().game, new=counted_game, recorded=counted_game)
    check_world(replace(world(), playing=counted))
    assert len(begun) == PaintedGame.closed > 0


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"new": Careless, "recorded": Careless}, "it differs at tick"),
        ({"filmable": filmable(films=wrong_pictures)}, "differs from what was seen at tick 1"),
        (
            {"filmable": filmable(films=unskipped_pictures)},
            "begin with frame [0-9]+ .*begins with another",
        ),
        (
            {"filmable": filmable(GameControls({"KeyW": ("step_z", 1)}))},
            "a key or the mouse sets 'step_z', which is no part of an input",
        ),
        (
            {"filmable": filmable(GameControls({"KeyW": ("step_y", 2)}))},
            "a key sets 'step_y' to 2, outside of -1 to 1",
        ),
        (
            {"filmable": filmable(GameControls({}, {}, MouseLook("step_x", "step_y", 1)))},
            "the mouse moves 'step_x', which is 'held', not 'moved'",
        ),
    ],
)
def test_what_breaks_it_is_told(changed: dict[str, Any], words: str) -> None:
    broken = replace(world(), playing=replace(world().game, **changed))
    with pytest.raises(InvalidInput, match=words):
        check_world(broken)


CHANGES = [
    InputChange(0, 1, (1, 0)),
    InputChange(3, 2, (0, 1)),
    InputChange(9, 3, (-1, -1)),
    InputChange(30, 4, (1, 1)),
]


def test_a_round_is_taken_up_without_looking_at_what_was() -> None:
    playing, stepped = world().game, []

    class Counted(PaintedGame):
        def skip(self, inputs: Sequence[SeatInputs]) -> None:
            stepped.append(len(inputs))
            super().skip(inputs)

    live = LiveRound.rebuilt(replace(playing, new=Counted), a_setup(), CHANGES, 20)
    whole = LiveRound.rebuilt(playing, a_setup(), CHANGES, 20, recorded=True)
    assert stepped == [19]
    assert live.message() == whole.message()
    assert (live.picture() == whole.picture()).all()
    assert live.last_applied == live.last_received == 3


def test_films_come_from_the_world_at_any_size_and_camera(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render, "WORLDS", {"gridworld": world()})
    recording, _ = record_round(world().game, a_setup(), CHANGES)
    source = tmp_path / "round.replay.json.gz"
    write(recording, source)
    for camera, rows in (("", slice(None)), ("below", slice(None, None, -1))):
        target = tmp_path / f"film{camera}.mp4"
        count = render.render_file(
            source,
            target,
            render.Look(width_px=128, height_px=128, frames_per_s=10, camera=camera, crf=4),
        )
        with load_av("test").open(str(target)) as film:
            seen = [frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]
        wanted = list(pictures(recording, View(width_px=128, height_px=128)))
        assert count == len(seen) == recording.timing.frames == len(wanted)
        for shown, picture in zip(seen, wanted, strict=True):
            assert np.abs(shown.astype(int) - picture[rows].astype(int)).mean() < 4
    with pytest.raises(InvalidInput, match=r"camera: unknown 'abov'\. Did you mean 'above'"):
        render.render_file(
            source, tmp_path / "no.mp4", render.Look(width_px=128, height_px=128, camera="abov")
        )
    assert not list(tmp_path.glob(".*part"))


def test_at_another_rate_a_film_shows_what_stood_on_screen() -> None:
    frames = [np.full((2, 2, 3), number, np.uint8) for number in range(7)]
    shown = render._at_moments(
        iter(frames), 0, 1000 / 35, [0.0, 1000 / 30, 2000 / 30, 100.0, 3000 / 35, 1000.0]
    )
    assert [int(picture[0, 0, 0]) for picture in shown] == [0, 1, 2, 3, 3, 6]
    later = render._at_moments(iter(frames[2:]), 2, 1000 / 35, [2000 / 30, 100.0, 1000.0])
    assert [int(picture[0, 0, 0]) for picture in later] == [2, 3, 6], (
        "the same from a later frame on"
    )


def test_a_world_that_is_drawn_has_no_camera(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render, "WORLDS", {"gridworld": GRIDWORLD})
    recording, _ = record_round(GRIDWORLD.game, a_setup(), CHANGES)
    write(recording, tmp_path / "round.replay.json.gz")
    with pytest.raises(InvalidInput, match="drawn from above and has none, got 'first'"):
        render.render_file(
            tmp_path / "round.replay.json.gz",
            tmp_path / "x.mp4",
            render.Look(width_px=64, height_px=64, camera="first"),
        )
