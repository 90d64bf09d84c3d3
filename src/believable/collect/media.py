"""Media under per-session names: stable inside a session, unrelated to the file, to the stimulus
and to other sessions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from believable.collect.context import Context, standing_of
from believable.contracts.trial import PlannedTrial, Question
from believable.core.errors import NotFound
from believable.core.ids import opaque_name
from believable.stimuli.judging import Variant, judged_log, served_replay
from believable.store.engine import Connection
from believable.study.definition import Definition
from believable.study.earlier_pages import rated_positions

#: Sessions whose names are kept in memory: a video is fetched in many pieces.
SESSIONS_KEPT = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownMedium:
    """One stimulus of a page: which player shows it, under which name its file is served, and the
    name of its log if it has one that the page shows (a recording has it inside). `round_position`:
    the page on which the participant played it as a round.
    """

    player: str
    name: str
    path: Path
    bytes: int
    length_ms: int | None = None
    log_name: str | None = None
    log_path: Path | None = None
    round_position: int | None = None


def media_name(context: Context, session_id: str, stimulus_id: str, part: str = "") -> str:
    """`part` distinguishes several media of the same stimulus: a recording with or without its
    plan, the log of a video.
    """
    return opaque_name(context.key, session_id, f"{stimulus_id}/{part}" if part else stimulus_id)


def shown_media(
    context: Context, session_id: str, definition: Definition, planned: PlannedTrial
) -> tuple[ShownMedium, ...]:
    """The media of a page, in the order of its players."""
    beside = planned.trial.player.overlays
    variant = Variant("plan" in beside, "log" in beside)
    return tuple(
        _shown(context, session_id, stimulus, definition, variant)
        for stimulus in planned.played_stimuli
        if stimulus in definition.media
    )


def still_media(
    context: Context,
    session_id: str,
    definition: Definition,
    plan: Sequence[PlannedTrial],
    position: int,
) -> tuple[ShownMedium, ...]:
    """The two stimuli that a later page reminds of with small pictures: as they were shown, so that
    they reveal nothing new.
    """
    if not any(_wants_stills(question) for question in plan[position].trial.all_questions):
        return ()
    watched = [plan[about] for about in rated_positions(plan, position)]
    if len(watched) != 2:
        return ()
    return tuple(
        medium for page in watched for medium in shown_media(context, session_id, definition, page)
    )


def _wants_stills(question: Question) -> bool:
    return bool(getattr(question.params, "stills", False))


def _shown(
    context: Context, session_id: str, stimulus: str, definition: Definition, variant: Variant
) -> ShownMedium:
    folder, medium = context.media_dir, definition.media[stimulus]
    if medium.is_replay:
        name = media_name(context, session_id, stimulus, variant.name)
        judged = served_replay(folder, definition, stimulus, variant)
        return ShownMedium(
            player="replay",
            name=name,
            path=judged,
            bytes=judged.stat().st_size,
            length_ms=medium.duration_ms,
        )
    name = media_name(context, session_id, stimulus)
    if medium.actions is None or not variant.name:
        return ShownMedium(
            player="video",
            name=name,
            path=folder / medium.digest,
            bytes=medium.bytes,
            length_ms=medium.duration_ms,
        )
    log_name = media_name(context, session_id, stimulus, f"log-{variant.name}")
    log = judged_log(folder, medium.actions, variant)
    return ShownMedium(
        player="video",
        name=name,
        path=folder / medium.digest,
        bytes=medium.bytes,
        length_ms=medium.duration_ms,
        log_name=log_name,
        log_path=log,
    )


def media_of(conn: Connection, context: Context, token: str) -> Mapping[str, Path]:
    """Name → file, for the stimuli that this session shows and no others."""
    standing = standing_of(conn, context, token)
    paths: dict[str, Path] = {}
    for planned in standing.plan:
        for medium in shown_media(context, standing.session.id, standing.definition, planned):
            paths[medium.name] = medium.path
            if medium.log_name is not None and medium.log_path is not None:
                paths[medium.log_name] = medium.log_path
    return paths


def choose_media(names: Mapping[str, Path], name: str) -> Path:
    if name not in names:
        raise NotFound("this session has no medium with this name. Reload the page.")
    return names[name]
