"""Rounds of a session: opened by one connection at a time, durable piece by piece, ended with a
recording, which a later page may show.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from believable.collect.context import Context, Standing, check_epoch, standing_of
from believable.collect.media import ShownMedium, media_name
from believable.contracts.game import RoundContext
from believable.contracts.inputs import InputChange
from believable.contracts.record import Record
from believable.contracts.registries import WORLDS
from believable.contracts.trial import PlannedTrial
from believable.contracts.world import Playable
from believable.core.errors import Conflict
from believable.recordings import file
from believable.recordings.recording import Recording
from believable.stimuli.judging import Variant, judging_tree
from believable.store import rounds, sessions
from believable.store.engine import Connection
from believable.store.rounds import RoundKey, StoredRound
from believable.study.earlier_pages import round_position
from believable.worlds.live_round import LiveRound, record_round
from believable.worlds.play_trial import Play, opponent_of

RECORDING_TYPE = "application/gzip"
VIDEO_TYPE = "video/mp4"


NO_ARMS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldRound:
    """A round that this connection holds. `steppable`: a simulated participant, who may play faster
    than time. `filmed`: a video is made of it.
    """

    key: RoundKey
    holder: str
    play: Play
    setup: Record
    changes: tuple[InputChange, ...]
    tick: int
    over: bool
    score: int | None
    steppable: bool
    filmed: bool = False

    @property
    def playing(self) -> Playable[Any, Any]:
        return WORLDS[self.play.world].game

    @property
    def tick_hz(self) -> int:
        return self.playing.hz(self.setup)

    def live(self) -> LiveRound:
        """Its current state; no key is pressed."""
        live = LiveRound.rebuilt(self.playing, self.setup, self.changes, self.tick)
        live.release()
        return live


@dataclass(frozen=True, slots=True)
class EndedRound:
    """The stored result of a round: the whole recording, the copy that may be watched, and a video
    if the study asks for one.
    """

    score: int | None
    recording: bytes
    judged: bytes
    video: bytes | None = None


def setup_of(planned: PlannedTrial, seed: int, arms: Mapping[str, str] = NO_ARMS) -> Record:
    """The setup of a play trial, from the plan, the seed (the trial's own, or else the session's),
    and the session's arms.
    """
    play = planned.trial
    assert isinstance(play, Play)
    playing = WORLDS[play.world].game
    place = RoundContext(
        session_seed=seed if play.start_seed is None else play.start_seed,
        trial_key=planned.key,
        condition=planned.condition,
        opponent=opponent_of(play, planned.condition),
        duration_s=play.duration_s,
        practice=play.practice,
        arms=arms,
    )
    setup: Record = playing.trial.resolve(playing.trial.options_in(play), place)
    return setup


def open_round(
    conn: Connection, context: Context, *, token: str, epoch: int, position: int, holder: str
) -> HeldRound:
    """Take the round of the current trial: a new one, or the one that was begun, by the trial's
    policy.
    """
    standing = standing_of(conn, context, token, lock=True)
    session = standing.session
    check_epoch(session, epoch)
    play = standing.plan[position].trial if position < len(standing.plan) else None
    if (
        position != session.position
        or standing.step.outcome is not None
        or not isinstance(play, Play)
    ):
        raise Conflict(f"trial {position} is no round to be played now. Ask for the current trial.")
    latest = rounds.latest(conn, session.id, position, session.run, lock=True)
    now_ms = context.clock.now_ms()
    begun = latest is not None and latest.state == "live" and latest.tick > 0
    if latest is not None and begun and play.on_loss == "restart" and not play.practice:
        rounds.close(conn, latest.key, state="left", score=None, at_ms=now_ms)
        latest = _new(conn, standing, latest.key.attempt + 1, holder, now_ms)
    elif latest is None or latest.state == "left":
        latest = _new(
            conn, standing, 1 if latest is None else latest.key.attempt + 1, holder, now_ms
        )
    elif latest.state == "live":
        rounds.take(conn, latest.key, holder, lost=begun)
    return HeldRound(
        key=latest.key,
        holder=holder,
        play=play,
        setup=WORLDS[play.world].game.load_setup(latest.setup),
        changes=tuple(rounds.changes_of(conn, latest.key)),
        tick=latest.tick,
        over=latest.state == "over",
        score=latest.score,
        steppable=session.link_kind == "simulated",
        filmed=play.is_filmed(watched=_is_watched(standing.plan, position)),
    )


def _is_watched(plan: Sequence[PlannedTrial], played: int) -> bool:
    """Whether a later page shows the round of this position."""
    return any(round_position(plan, later) == played for later in range(played + 1, len(plan)))


def _new(
    conn: Connection, standing: Standing, attempt: int, holder: str, now_ms: int
) -> StoredRound:
    session = standing.session
    planned = standing.plan[session.position]
    assert isinstance(planned.trial, Play)
    setup = WORLDS[planned.trial.world].game.dump_setup(
        setup_of(planned, session.seed, session.arms)
    )
    key = RoundKey(session.id, session.position, session.run, attempt)
    return rounds.create(conn, key, setup=setup, holder=holder, at_ms=now_ms)


def applied_inputs(conn: Connection, opened: HeldRound) -> list[InputChange]:
    """All inputs of the round that are stored."""
    return rounds.changes_of(conn, opened.key)


def record(opened: HeldRound, changes: Sequence[InputChange]) -> EndedRound:
    """The recording of a round that is over, made from stored data: the same on every call."""
    return finished_parts(*record_round(opened.playing, opened.setup, changes))


def finished_parts(recording: Recording, score: int | None) -> EndedRound:
    """The stored parts of a recording."""
    text = json.dumps(judging_tree(recording, Variant()), ensure_ascii=False, separators=(",", ":"))
    judged = gzip.compress(text.encode(), compresslevel=9, mtime=0)
    return EndedRound(score, file.to_bytes(recording), judged)


def end_round(conn: Connection, context: Context, opened: HeldRound, recorded: EndedRound) -> None:
    """Store the recording, which later pages show from now on. Once is enough."""
    key = opened.key
    latest = rounds.latest(conn, key.session, key.position, key.run, lock=True)
    if latest is None or latest.state != "live" or latest.key != key:
        return
    sessions.put_file(conn, key.session, key.recording_name, RECORDING_TYPE, recorded.recording)
    if recorded.video is None:
        sessions.put_file(
            conn, key.session, judged_name(key.position, key.run), RECORDING_TYPE, recorded.judged
        )
    else:
        sessions.put_file(
            conn, key.session, video_name(key.position, key.run), VIDEO_TYPE, recorded.video
        )
    rounds.close(conn, key, state="over", score=recorded.score, at_ms=context.clock.now_ms())


def judged_name(position: int, run: int) -> str:
    return f"judged-{position}-{run}"


def video_name(position: int, run: int) -> str:
    return f"video-{position}-{run}"


def is_over(conn: Connection, standing: Standing) -> bool:
    """Whether the round of the current page was played to its end."""
    session = standing.session
    latest = rounds.latest(conn, session.id, session.position, session.run)
    return latest is not None and latest.state == "over"


def leave_practice(conn: Connection, context: Context, standing: Standing) -> None:
    """The person is ready: the practice stays, and nothing is added to it."""
    session = standing.session
    if standing.plan[session.position].trial.plays_round != "practice":
        return
    latest = rounds.latest(conn, session.id, session.position, session.run, lock=True)
    if latest is not None and latest.state == "live":
        rounds.close(conn, latest.key, state="left", score=None, at_ms=context.clock.now_ms())


def shown_round(conn: Connection, context: Context, standing: Standing) -> tuple[ShownMedium, ...]:
    """The stimulus of the current page, if it is a round: a recording in the database, not in a
    file.
    """
    session = standing.session
    source = round_position(standing.plan, session.position)
    if source is None:
        return ()
    name = _name(context, session.id, source, session.run)
    for player, stored in _forms(source, session.run):
        length = sessions.file_size(conn, session.id, stored)
        if length is not None:
            return (
                ShownMedium(
                    player=player, name=name, path=Path(), bytes=length, round_position=source
                ),
            )
    return ()


def round_content(conn: Connection, context: Context, token: str, name: str) -> bytes | None:
    """The round with a session's name for it; None if it is not such a name."""
    standing = standing_of(conn, context, token)
    session = standing.session
    sources = {round_position(standing.plan, position) for position in range(len(standing.plan))}
    for source in sources:
        if source is not None and name == _name(context, session.id, source, session.run):
            bodies = (
                sessions.get_file(conn, session.id, stored)
                for _, stored in _forms(source, session.run)
            )
            return next((body for body in bodies if body is not None), None)
    return None


def _forms(position: int, run: int) -> tuple[tuple[str, str], ...]:
    """Which player shows a round, and the name it is stored under; one of the two exists."""
    return ("replay", judged_name(position, run)), ("video", video_name(position, run))


def _name(context: Context, session_id: str, position: int, run: int) -> str:
    return media_name(context, session_id, "round", f"{position}-{run}")
