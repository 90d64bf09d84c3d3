"""Rounds of a session: opened by one connection at a time, durable piece by piece, ended with a recording."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass

from believable.agents.maze_live import LiveRound, record_round
from believable.agents.maze_setup import RoundSetup
from believable.collect.context import Context, Standing, check_epoch, standing
from believable.core.errors import Conflict
from believable.core.seeds import derive
from believable.instruments.contract import InvalidAnswer
from believable.replay import file
from believable.stimuli.judging import Variant, judging_tree
from believable.store import blobs, rounds
from believable.store.engine import Connection
from believable.store.rounds import RoundKey, StoredRound
from believable.study.plan import PlannedTrial
from believable.study.playing import opponent_of
from believable.study.records import Play
from believable.worlds.maze.rules import TICKS_PER_S

RECORDING_TYPE = "application/gzip"
VIDEO_TYPE = "video/mp4"


@dataclass(frozen=True, slots=True)
class Opened:
    """A round that this connection holds. `steppable`: a simulated participant, who may play faster than time."""

    key: RoundKey
    holder: str
    play: Play
    setup: RoundSetup
    changes: tuple[Sequence[int], ...]
    tick: int
    over: bool
    score: int | None
    steppable: bool

    def live(self) -> LiveRound:
        """As it stands; nothing is pressed."""
        live = LiveRound.rebuilt(self.setup, self.changes, self.tick)
        live.release()
        return live


@dataclass(frozen=True, slots=True)
class Recorded:
    """What is left of a round: the whole recording, the copy that may be watched, and a video where the study wants one."""

    score: int
    recording: bytes
    judged: bytes
    video: bytes | None = None


def setup_of(planned: PlannedTrial, seed: int) -> RoundSetup:
    """What the plan and the session's seed make of a play trial."""
    play = planned.trial
    assert isinstance(play, Play)
    mazes = {"round": _seed(seed, "maze", planned.key), "session": _seed(seed, "maze")}
    maze_seed = play.maze if isinstance(play.maze, int) else mazes[play.maze]
    return RoundSetup(
        maze_seed=maze_seed,
        agent_seed=_seed(seed, "opponent", planned.key),
        opponent=opponent_of(play, planned.condition),
        size=play.size,
        ticks=play.duration_s * TICKS_PER_S,
        practice=play.practice,
    )


def _seed(seed: int, *names: str) -> int:
    """Half of what `derive` gives: tables and databases hold whole numbers below 2**63."""
    return derive(seed, *names) >> 1


def open_round(
    conn: Connection, context: Context, *, token: str, epoch: int, position: int, holder: str
) -> Opened:
    """Take the round of the current trial: a new one, or the one that was begun, by the trial's policy."""
    here = standing(conn, context, token, lock=True)
    session = here.session
    check_epoch(session, epoch)
    play = here.plan[position].trial if position < len(here.plan) else None
    if position != session.position or here.step.outcome is not None or not isinstance(play, Play):
        raise Conflict(f"trial {position} is no round to be played now. Ask for the current trial.")
    found = rounds.latest(conn, session.id, position, session.run, lock=True)
    now_ms = context.clock.now_ms()
    begun = found is not None and found.state == "live" and found.tick > 0
    if found is not None and begun and play.on_loss == "restart" and not play.practice:
        rounds.close(conn, found.key, state="left", score=None, at_ms=now_ms)
        found = _new(conn, here, found.key.attempt + 1, holder, now_ms)
    elif found is None or found.state == "left":
        found = _new(conn, here, 1 if found is None else found.key.attempt + 1, holder, now_ms)
    elif found.state == "live":
        rounds.take(conn, found.key, holder, lost=begun)
    return Opened(
        key=found.key,
        holder=holder,
        play=play,
        setup=RoundSetup.from_json(found.setup),
        changes=tuple(rounds.changes_of(conn, found.key)),
        tick=found.tick,
        over=found.state == "over",
        score=found.score,
        steppable=session.link_kind == "simulated",
    )


def _new(conn: Connection, here: Standing, attempt: int, holder: str, now_ms: int) -> StoredRound:
    session = here.session
    setup = setup_of(here.plan[session.position], session.seed)
    key = RoundKey(session.id, session.position, session.run, attempt)
    return rounds.create(conn, key, setup=setup.to_json(), holder=holder, at_ms=now_ms)


def applied(conn: Connection, opened: Opened) -> list[list[int]]:
    """All inputs of the round that are stored."""
    return rounds.changes_of(conn, opened.key)


def record(setup: RoundSetup, changes: Sequence[Sequence[int]]) -> Recorded:
    """The recording of a round that is over, made from what is stored: the same again whoever makes it."""
    replay = record_round(setup, changes, setup.settings().round_ticks)
    score = replay.telemetry["score"][-1]
    text = json.dumps(judging_tree(replay, Variant()), ensure_ascii=False, separators=(",", ":"))
    judged = gzip.compress(text.encode(), compresslevel=9, mtime=0)
    assert isinstance(score, int)
    return Recorded(score, file.to_bytes(replay), judged)


def end_round(conn: Connection, context: Context, opened: Opened, made: Recorded) -> None:
    """Keep the recording, which is from now on what a later page shows. Once is enough."""
    key = opened.key
    found = rounds.latest(conn, key.session, key.position, key.run, lock=True)
    if found is None or found.state != "live" or found.key != key:
        return
    blobs.put(conn, key.session, key.recording_name, RECORDING_TYPE, made.recording)
    if made.video is None:
        blobs.put(conn, key.session, judged_name(key.position, key.run), RECORDING_TYPE, made.judged)
    else:
        blobs.put(conn, key.session, video_name(key.position, key.run), VIDEO_TYPE, made.video)
    rounds.close(conn, key, state="over", score=made.score, at_ms=context.clock.now_ms())


def judged_name(position: int, run: int) -> str:
    return f"judged-{position}-{run}"


def video_name(position: int, run: int) -> str:
    return f"video-{position}-{run}"


def unplayed(conn: Connection, here: Standing) -> InvalidAnswer | None:
    """Why the page cannot be left yet, as far as its round is concerned."""
    session, trial = here.session, here.plan[here.session.position].trial
    if not isinstance(trial, Play) or trial.practice:
        return None
    found = rounds.latest(conn, session.id, session.position, session.run)
    return None if found is not None and found.state == "over" else InvalidAnswer("error.play")


def leave_practice(conn: Connection, context: Context, here: Standing) -> None:
    """The person is ready: what was practised stays, and nothing is added to it."""
    session = here.session
    trial = here.plan[session.position].trial
    if not isinstance(trial, Play) or not trial.practice:
        return
    found = rounds.latest(conn, session.id, session.position, session.run, lock=True)
    if found is not None and found.state == "live":
        rounds.close(conn, found.key, state="left", score=None, at_ms=context.clock.now_ms())
