"""The recording of a round as a video, for studies that show it so.

It takes seconds of a core, so it is made in a process of its own: `python -m believable.collect.round_video SOURCE TARGET`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from believable.core.errors import MissingExtra
from believable.stimuli.extra import have_av
from believable.study.outline import outline
from believable.study.records import Play, Study

SIZE_PX = 720


def must_be_able_to_film(study: Study) -> None:
    """Say at once, before anybody plays, when rounds are to become videos and cannot."""
    wanted = any(
        isinstance(entry.item, Play) and entry.item.render == "video" for entry in outline(study.timeline)
    )
    if wanted and not have_av():
        raise MissingExtra(what="play trials with `render: video`", extra="video")


def main(source: Path, target: Path) -> None:
    """The video of a recording, with nothing in it that the pictures do not show."""
    # Part of the extra `video`, and loaded only in the process that films.
    from believable.stimuli.render import Look, render_file  # noqa: PLC0415

    render_file(source, target, Look(width_px=SIZE_PX, height_px=SIZE_PX))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
