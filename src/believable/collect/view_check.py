"""Whether a claimed view was possible. The browser reports the played parts; the server knows the
medium's length, the bytes sent and the time since the page was opened.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from believable.bundle.session_records import ViewCheck
from believable.collect.context import Context, Standing
from believable.collect.media import ShownMedium, shown_media
from believable.collect.page_events import ViewingProgress
from believable.contracts.controls import Controls
from believable.store import view_checks
from believable.store.engine import Connection

#: Lengths in files and lengths as browsers play them differ a little, and so do sizes behind a
#: proxy.
TOLERANCE = 0.95
#: Browsers play videos no faster. Counts for players with the browser's own controls, which offer
#: speeds that we do not know.
FASTEST_VIDEO = 16
#: Simulated people do not fetch and wait.
UNCHECKED_LINKS = ("simulated",)


def needed_ms(controls: Controls, length_ms: int | None, progress: ViewingProgress) -> int:
    """The shortest time in which a person can have seen the claimed parts.

    If jumping is impossible, reaching the end means that all of it was played.
    """
    if length_ms is None:
        return 0
    claimed_ms = progress.watched_ms(length_ms)
    if progress.views and not controls.seek:
        claimed_ms = length_ms
    fastest = (
        controls.fastest_first if controls.must_finish else max(FASTEST_VIDEO, *controls.speeds)
    )
    return round(TOLERANCE * claimed_ms / fastest)


def check_view(
    controls: Controls,
    medium: ShownMedium,
    progress: ViewingProgress,
    *,
    sent_bytes: int,
    open_ms: int,
    place: tuple[int, int, int],
) -> ViewCheck:
    """`place` is position, run and player. A player fetches a medium whole before it shows any of
    it.
    """
    position, run, player = place
    needed = needed_ms(controls, medium.length_ms, progress)
    claims = progress.views > 0 or bool(progress.watched_intervals)
    arrived = sent_bytes >= TOLERANCE * medium.bytes
    return ViewCheck(
        position=position,
        run=run,
        player=player,
        length_ms=medium.length_ms,
        media_bytes=medium.bytes,
        sent_bytes=sent_bytes,
        open_ms=open_ms,
        needed_ms=needed,
        possible=not claims or (arrived and open_ms >= needed),
    )


def check_views(
    conn: Connection, context: Context, standing: Standing, seen: Sequence[ViewingProgress]
) -> tuple[ViewCheck, ...]:
    """One check for each stimulus of the current page; none for simulated people, nor for one's own
    round, which the server has seen being played.
    """
    session = standing.session
    planned = standing.plan[session.position]
    controls = planned.trial.player.controls
    if controls is None or not seen or session.link_kind in UNCHECKED_LINKS:
        return ()
    media = shown_media(context, session.id, standing.definition, planned)
    if len(media) != len(seen):
        return ()
    sent = view_checks.sent_bytes(conn, session.id)
    open_ms = context.clock.now_ms() - session.opened_ms
    return tuple(
        check_view(
            controls,
            medium,
            progress,
            sent_bytes=sent.get(medium.name, 0),
            open_ms=open_ms,
            place=(session.position, session.run, player),
        )
        for player, (medium, progress) in enumerate(zip(media, seen, strict=True))
    )


def with_checks(
    seen: Sequence[ViewingProgress], checks: Sequence[ViewCheck]
) -> tuple[ViewingProgress, ...]:
    """The progress of each player, with the length that the server knows, and marked if it is not
    possible.
    """
    if not checks:
        return tuple(seen)
    return tuple(
        replace(
            progress, duration_ms=check.length_ms or progress.duration_ms, possible=check.possible
        )
        for progress, check in zip(seen, checks, strict=True)
    )
