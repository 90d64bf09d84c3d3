"""Whether rounds can become videos here, for studies that show them so; `round_film` makes them."""

from __future__ import annotations

from believable.core.errors import MissingExtra
from believable.stimuli.extra import have_av
from believable.study.outline import outline
from believable.study.records import Play, Study


def must_be_able_to_film(study: Study) -> None:
    """Say at once, before anybody plays, when rounds are to become videos and cannot."""
    wanted = any(
        isinstance(entry.item, Play) and entry.item.render == "video" for entry in outline(study.timeline)
    )
    if wanted and not have_av():
        raise MissingExtra(what="play trials with `render: video`", extra="video")
