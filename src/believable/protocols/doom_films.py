"""Demonstration films of Doom: scripted players on the same map, with different hands on purpose,
made alike.
"""

from __future__ import annotations

import random
import string
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from believable.contracts.game import RoundContext
from believable.contracts.registries import AGENTS, WORLDS
from believable.core.clock import VirtualClock
from believable.core.seeds import derive, generator
from believable.protocols.own_clips import MaskShare, SceneClip, make_stimuli
from believable.recordings.file import write
from believable.recordings.recording import Recording
from believable.stimuli.recipe import Recipe
from believable.study.records import Stimulus, Study
from believable.worlds.doom.scripted_players import MouseHand
from believable.worlds.live_round import play_through

#: Messages above and the status bar below: engines draw them differently, and they show names and
#: health.
MESSAGES, STATUS_BAR = MaskShare(0, 0, 1, 0.04), MaskShare(0, 0.835, 1, 0.165)
RECIPE = Recipe(width_px=854, height_px=480, sound=False, watermark="For research purposes only")
#: Different hands: a human-like one, a slightly quicker one, and one that reaches its target at
#: once.
HANDS = {
    "standin_human": MouseHand(),
    "standin_imitation": MouseHand(
        top_speed_deg=12.0,
        acceleration_deg=3.0,
        gain=0.4,
        careless_deg=2.0,
        pause_tics=6,
        pauses_per_min=2.0,
    ),
    "standin_rules": MouseHand(
        top_speed_deg=90.0,
        acceleration_deg=90.0,
        gain=1.0,
        careless_deg=0.0,
        pause_tics=0,
        pauses_per_min=0.0,
    ),
    "standin_agent": MouseHand(
        top_speed_deg=90.0,
        acceleration_deg=90.0,
        gain=1.0,
        careless_deg=0.0,
        pause_tics=0,
        pauses_per_min=0.0,
    ),
}
CLIP_S = 10


def play_scripted(
    options: Mapping[str, Any],
    opponent: str,
    player: str,
    hand: MouseHand,
    seed: int,
    player_seed: int,
    clip_s: int,
) -> Recording:
    """A round by a scripted player with this hand: `seed` is the scene, `player_seed` the player's
    random choices in it.
    """
    playing = WORLDS["doom"].game
    setup = playing.trial.resolve(
        playing.trial.options(**options),
        RoundContext(session_seed=seed, trial_key="clip", opponent=opponent, duration_s=clip_s),
    )
    agent = AGENTS[f"doom/{player}"]
    return play_through(playing, setup, agent.new(hand, player_seed), agent.game)


def write_films(
    options: Mapping[str, Any],
    opponent: str,
    player: str,
    study: Study,
    folder: Path,
    seed: int,
    done: Callable[[Stimulus], None] = lambda stimulus: None,
    *,
    masks: Sequence[MaskShare] = (),
    recipe: Recipe = RECIPE,
    clip_s: int = CLIP_S,
) -> None:
    """A film for each stimulus of the study. All of a scenario begin at the same place, and last as
    long as the shortest.
    """
    with tempfile.TemporaryDirectory(prefix="believable-doom-") as place:
        recordings: dict[str, Recording] = {}
        earlier: Counter[tuple[str | None, str | None]] = Counter()
        for stimulus in study.stimuli:
            scene = derive(seed, "doom", str(stimulus.scenario)) >> 1
            kind = (stimulus.scenario, stimulus.condition)
            # Two of the same kind in one scenario go their own ways.
            player_seed = derive(scene, "player", str(earlier[kind])) >> 1
            earlier[kind] += 1
            hand = HANDS[str(stimulus.condition)]
            recordings[stimulus.id] = play_scripted(
                options,
                opponent=opponent,
                player=player,
                hand=hand,
                seed=scene,
                player_seed=player_seed,
                clip_s=clip_s,
            )
            write(recordings[stimulus.id], Path(place) / f"{stimulus.id}.replay.json.gz")
            done(stimulus)
        clips = [
            SceneClip(
                Path(place) / f"{stimulus.id}.replay.json.gz",
                str(stimulus.condition),
                str(stimulus.scenario),
                _shortest_ms(study, recordings, stimulus),
            )
            for stimulus in study.stimuli
        ]
        rng = generator(seed, "names of films")
        make_stimuli(
            folder,
            clips,
            clock=VirtualClock(0),
            new_name=lambda: film_name(rng),
            recipe=recipe,
            masks=masks,
        )


def _shortest_ms(study: Study, recordings: Mapping[str, Recording], stimulus: Stimulus) -> int:
    same = [other.id for other in study.stimuli if other.scenario == stimulus.scenario]
    return min(recordings[name].timing.duration_ms for name in same)


def film_name(rng: random.Random) -> str:
    return "".join(rng.choice(string.ascii_lowercase) for _ in range(16))
