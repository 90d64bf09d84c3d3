"""Study folders become studies that can be joined: loaded, their media prepared, and put into the store."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from believable.collect.desk import Collect
from believable.collect.round_video import must_be_able_to_film
from believable.core.errors import InvalidInput
from believable.instruments import INSTRUMENTS
from believable.stimuli.prepare import prepare
from believable.study.load import load
from believable.web.settings import Settings

#: Told about media while they are prepared: how many are done, of how many.
Progress: TypeAlias = Callable[[int, int], None]


def quiet(done: int, total: int) -> None:
    """Shows no progress."""


@dataclass(frozen=True, slots=True)
class Published:
    """A study people can reach. `links` maps the kind of link (open, preview, simulated) to its whole address."""

    study_id: str
    title: str
    links: Mapping[str, str]


def publish_folders(
    collect: Collect, settings: Settings, progress: Progress = quiet
) -> tuple[Published, ...]:
    """Publishes every study folder of the settings. Doing it again changes nothing that has not changed."""
    ids = [study_id(folder) for folder in settings.study_folders]
    for one in ids:
        if ids.count(one) > 1:
            raise InvalidInput(
                f"two study folders are named {one!r}. Rename one: the name identifies the study."
            )
    return tuple(_publish(collect, settings, folder, progress) for folder in settings.study_folders)


def study_id(folder: Path) -> str:
    """A study is known by the name of its folder, in small letters, digits and hyphens.

    >>> study_id(Path("Who plays (pilot)"))
    'who-plays-pilot'
    """
    slug = re.sub(r"[^a-z0-9]+", "-", folder.resolve().name.lower()).strip("-")[:64]
    return slug or "study"


def _publish(collect: Collect, settings: Settings, folder: Path, progress: Progress) -> Published:
    definition = load(folder, instruments=INSTRUMENTS)
    must_be_able_to_film(definition.study)
    settings.media_dir.mkdir(parents=True, exist_ok=True)
    whole = definition.with_media(prepare(definition, folder, settings.media_dir, progress=progress))
    published = collect.publish(study_id(folder), whole)
    title = whole.study.title.in_language(whole.study.languages[0])
    links = {kind: f"{settings.base_url}/join/{token}" for kind, token in published.links.items()}
    return Published(published.study_id, title, links)
