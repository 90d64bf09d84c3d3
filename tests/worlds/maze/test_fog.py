"""Fog and mood, as options of a round: what is hidden is not sent, what is shown is shown in the
recording, too.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from believable.recordings.recording import UNSEEN, Recording, State, Track, seen_pieces
from believable.recordings.scene import display_list
from believable.stimuli.judging import Variant, judging_tree
from believable.worlds.maze import MAZE
from believable.worlds.maze.draw import draw
from believable.worlds.maze.game import (
    PLAYER,
    MazeGame,
    MazeOptions,
    MazeSetup,
    pressed_of,
    resolve,
)
from believable.worlds.maze.rules import MazeRound, player_sees
from believable.worlds.maze.scripted_player import ScriptedPlayer
from believable.worlds.world_check import check_world

TICKS = 1200


def rounds(
    opponent: str = "frustrated", **options: Any
) -> Iterator[tuple[MazeGame, dict[str, Any]]]:
    """Every tick of a round by a scripted player: the game, and what the page is told."""
    setup = MazeSetup(maze_seed=5, agent_seed=6, opponent=opponent, ticks=TICKS, **options)
    game, player = MazeGame(setup, recorded=True), ScriptedPlayer(7)
    while game.over() is None:
        game.step({PLAYER: pressed_of(player.decide(game.round, ()))})
        yield game, dict(game.view(PLAYER))


def played(opponent: str = "frustrated", **options: Any) -> Recording:
    (last,) = deque(rounds(opponent, **options), maxlen=1)
    return last[0].record()


@pytest.fixture(scope="module")
def fogged() -> Recording:
    return played(fog=True, mood=True)


def near(game: MazeRound, x: int, y: int) -> bool:
    return player_sees(game, x, y, 400)


def test_the_page_is_not_told_where_the_opponent_is_while_fog_hides_it() -> None:
    hidden = shown = heard = 0
    for game, told in rounds(fog=True):
        rival = game.round.opponent
        if told["o"] is None:
            hidden += 1
            assert not player_sees(game.round, rival.x, rival.y)
            words = json.dumps({key: value for key, value in told.items() if key not in ("p", "m")})
            assert not {str(rival.x), str(rival.y)} & set(re.findall(r"\d+", words))
        else:
            shown += 1
            assert told["h"] is None
            assert near(game.round, rival.x, rival.y)
        heard += told["h"] is not None
        assert all(near(game.round, *game.round.grid.centre(tile)) for tile in told["f"])
        assert all(near(game.round, x, y) for _, _, x, y, _ in told["x"])
    assert hidden > TICKS / 3
    assert shown > 30
    assert heard > 5


def test_steps_in_the_fog_tell_a_side_and_a_loudness_and_no_place() -> None:
    told = [told["h"] for _, told in rounds(fog=True) if told["h"] is not None]
    assert {side for side, _ in told} <= {-1, -0.5, 0, 0.5, 1}
    assert {loudness for _, loudness in told} <= {0.25, 0.5, 0.75, 1}


def test_without_fog_and_mood_the_page_is_told_what_it_ever_was() -> None:
    assert all(len(told["o"]) == 4 and "h" not in told for _, told in rounds())


def test_judges_see_the_opponent_only_when_the_player_saw_it(fogged: Recording) -> None:
    whole = next(track for track in fogged.tracks if track.actor == "opponent")
    blind = fogged.for_judging()
    pieces = [track for track in blind.tracks if track.actor.startswith("opponent")]
    assert len(pieces) > 1
    assert sum(len(piece.x) for piece in pieces) < len(whole.x) == TICKS
    unseen = [state for state in whole.states if state.key == UNSEEN]
    assert unseen
    assert not any(state.key == UNSEEN for track in blind.tracks for state in track.states)
    for piece in pieces:
        first = piece.first_frame
        assert piece.x == whole.x[first : first + len(piece.x)]
        assert any(state.frame == first and state.key == "health" for state in piece.states)
    ids = {actor.id for actor in blind.actors}
    assert {track.actor for track in blind.tracks} == ids
    hidden_frame = next(
        frame for frame in range(TICKS) if not any(_there(piece, frame) for piece in pieces)
    )
    red = {"#c8553d", "#d3220f", "#8f2d1c"}
    picture = display_list(draw(blind), blind, hidden_frame * blind.timing.frame_ms)
    assert not any(shape.fill in red for shape in picture)


def test_the_file_that_pages_get_holds_what_was_seen_and_no_more(fogged: Recording) -> None:
    tree = judging_tree(fogged, Variant(log=True))["replay"]
    tracks = {track["actor"]: track for track in tree["tracks"]}
    rival = [name for name in tracks if name.split("~")[0] == "w2"]
    assert rival == [f"w2~{number}" if number > 1 else "w2" for number in range(1, len(rival) + 1)]
    assert sum(len(tracks[name]["x"]) for name in rival) < TICKS
    assert {actor["id"] for actor in tree["actors"]} == tracks.keys()


def _there(track: Track, frame: int) -> bool:
    return track.first_frame <= frame < track.first_frame + len(track.x)


def test_a_track_is_cut_where_its_actor_was_unseen() -> None:
    states = (
        State(0, "health", 9),
        State(1, UNSEEN, True),
        State(2, "health", 5),
        State(3, UNSEEN, False),
        State(4, "health", 4),
    )
    pieces = seen_pieces(
        Track(
            actor="o",
            x=(0, 1, 2, 3, 4),
            y=(9, 9, 9, 9, 9),
            heading=(),
            first_frame=0,
            states=states,
        )
    )
    assert [(piece.actor, piece.first_frame, piece.x) for piece in pieces] == [
        ("o", 0, (0,)),
        ("o~2", 3, (3, 4)),
    ]
    assert pieces[1].states == (State(3, "health", 5), State(4, "health", 4))
    assert (
        seen_pieces(
            Track(
                actor="o",
                x=(1,),
                y=(1,),
                heading=(),
                first_frame=0,
                states=(State(0, UNSEEN, True),),
            )
        )
        == []
    )


def test_in_fog_the_floor_is_dark_and_what_the_player_sees_is_light(fogged: Recording) -> None:
    blind = fogged.for_judging()
    scene = draw(blind)
    assert (
        scene.background
        != draw(
            Recording(world=fogged.world, actors=fogged.actors, timing=fogged.timing, tracks=())
        ).background
    )
    star = next(shape for shape in display_list(scene, blind, 1000) if shape.kind == "star")
    assert star.fill == "#f4f1ea"


def test_a_face_shows_mood_only_where_the_study_wants_it() -> None:
    faces = {
        opponent: {told["o"][4] for _, told in rounds(opponent, mood=True)}
        for opponent in ("calm", "frustrated")
    }
    assert 2 not in faces["calm"]
    assert 0 in faces["calm"]
    assert 2 in faces["frustrated"]


def test_the_recording_shows_the_face_that_the_player_saw() -> None:
    fills = {}
    for opponent in ("calm", "frustrated"):
        blind = played(opponent, mood=True).for_judging()
        fills[opponent] = {shape.fill for shape in display_list(draw(blind), blind, 500)}
        assert "frustration" not in {state.key for track in blind.tracks for state in track.states}
    furious = "#d3220f"
    assert furious in fills["frustrated"]
    assert furious not in fills["calm"]


def test_a_chaser_without_a_mood_is_at_ease() -> None:
    assert {told["o"][4] for _, told in rounds("chaser", mood=True)} == {0}


def test_the_maze_with_its_options_keeps_the_contract() -> None:
    trial = replace(
        MAZE.game.trial,
        resolve=lambda _, context: resolve(MazeOptions(fog=True, mood=True), context),
    )
    playing = replace(MAZE.game, trial=trial)
    check_world(replace(MAZE, playing=playing))
