"""The settings of a server as one frozen record that can travel to worker processes; and its
study folders, published.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from believable.collect.context import load_key
from believable.collect.desk import Collect
from believable.contracts.trial import outline
from believable.core.clock import Clock
from believable.core.errors import InvalidInput, MissingExtra
from believable.core.work import available_cores
from believable.giveaways.certificate import current
from believable.stimuli.prepare import prepare
from believable.stimuli.probe import have_av
from believable.store import monitor, studies
from believable.store.database import Synchronous, owner_folder
from believable.store.engine import LINGER_S, Connection, Store
from believable.study.definition import Definition
from believable.study.load import load
from believable.study.records import Study
from believable.worlds.play_trial import Play

#: Rounds whose pictures are made here that a core can take, with the engine and the coding of its
#: pictures (`bench/doom.py`).
ROUNDS_PER_CORE = 3
#: Sessions from one network address: a class room behind one router takes two minutes, a script
#: cannot take every place at once.
JOINS_PER_MINUTE = 30
#: How worker processes, which import the app by name, get their settings.
SETTINGS_VARIABLE = "BELIEVABLE_SETTINGS"


@dataclass(frozen=True, slots=True)
class Settings:
    """`base_url` is the address people use; `frame_ancestors` lists sites that may show the study
    in a frame; `published` says that the study folders were published before, so that this process
    need not. `most_rounds`: the number of rounds of games that draw themselves, played at once by
    all
    `workers` processes; None: as many as the cores can take. `most_connections`: at once, in each
    process; None: as many as its descriptors allow. `trusted_proxies`: who is believed about a
    visitor's address. `listed` is the kind of link that the page at the root address offers for
    each open study; None: it names no study. `oidc_issuer` is a provider at which people may log
    in, which knows this server as `oidc_client`; its secret is taken from the environment
    (`BELIEVABLE_OIDC_SECRET`), never from here. `sendfile` is the address under which a proxy in
    front sends files of the media folder (`X-Accel-Redirect`); None: this server sends them itself.
    `joins_per_minute`: sessions that one network address may start through open links; None: any
    number.
    """

    data_dir: Path
    database_url: str | None = None
    study_folders: tuple[Path, ...] = ()
    base_url: str = "http://127.0.0.1:8000"
    frame_ancestors: tuple[str, ...] = ()
    published: bool = False
    most_rounds: int | None = None
    workers: int = 1
    most_connections: int | None = None
    trusted_proxies: tuple[str, ...] = ()
    listed: Literal["open", "preview"] | None = None
    sendfile: str | None = None
    oidc_issuer: str | None = None
    oidc_client: str = ""
    joins_per_minute: int | None = JOINS_PER_MINUTE

    @property
    def rounds_at_once(self) -> int:
        """In this process."""
        most = ROUNDS_PER_CORE * available_cores() if self.most_rounds is None else self.most_rounds
        return max(1, most // self.workers)

    @property
    def url(self) -> str:
        """The database: the one given, or `believable.db` in the data folder."""
        return self.database_url or f"sqlite:///{self.data_dir / 'believable.db'}"

    @property
    def media_dir(self) -> Path:
        return self.data_dir / "media"

    @property
    def drafts_dir(self) -> Path:
        """Where datasets are put together before they are sent: with everything else about people,
        in the data folder.
        """
        return self.data_dir / "drafts"

    @property
    def secure(self) -> bool:
        """Whether people use HTTPS."""
        return self.base_url.startswith("https://")

    def to_json(self) -> str:
        return json.dumps(asdict(self), default=str)

    @classmethod
    def from_json(cls, text: str) -> Settings:
        fields: dict[str, Any] = json.loads(text)
        for name in ("study_folders", "frame_ancestors", "trusted_proxies"):
            fields[name] = tuple(fields[name])
        fields |= {
            "data_dir": Path(fields["data_dir"]),
            "study_folders": tuple(map(Path, fields["study_folders"])),
        }
        return cls(**fields)


def open_collect(
    settings: Settings,
    *,
    clock: Clock,
    new_id: Callable[[], str],
    linger_s: float = LINGER_S,
    synchronous: Synchronous = "FULL",
) -> tuple[Store, Collect]:
    """The store and the desk over it, as every process of a server opens them."""
    owner_folder(settings.data_dir)
    store = Store.open(settings.url, clock=clock, linger_s=linger_s, synchronous=synchronous)
    collect = Collect(
        store,
        clock=clock,
        key=load_key(settings.data_dir),
        media_dir=settings.media_dir,
        new_id=new_id,
    )
    collect.context = replace(collect.context, joins_per_minute=settings.joins_per_minute)
    return store, collect


#: Told about media while they are prepared: how many are done, of how many.
Progress: TypeAlias = Callable[[int, int], None]


def quiet(done: int, total: int) -> None:
    """Shows no progress."""


@dataclass(frozen=True, slots=True)
class PublishedFolder:
    """A study people can reach. `links` maps the kind of link (open, preview, simulated) to its
    whole address; `note` is for the person who publishes it.
    """

    study_id: str
    title: str
    links: Mapping[str, str]
    note: str = ""


def publish_folders(
    collect: Collect, settings: Settings, progress: Progress = quiet
) -> tuple[PublishedFolder, ...]:
    """Publishes every study folder of the settings. Doing it again changes nothing that has not
    changed.
    """
    ids = [study_id(folder) for folder in settings.study_folders]
    for id_ in ids:
        if ids.count(id_) > 1:
            raise InvalidInput(
                f"two study folders are named {id_!r}. Rename one: the name identifies the study."
            )
    return tuple(_publish(collect, settings, folder, progress) for folder in settings.study_folders)


def study_id(folder: Path) -> str:
    """A study is known by the name of its folder, in small letters, digits and hyphens.

    >>> study_id(Path("Who plays (pilot)"))
    'who-plays-pilot'
    """
    slug = re.sub(r"[^a-z0-9]+", "-", folder.resolve().name.lower()).strip("-")[:64]
    return slug or "study"


def _publish(
    collect: Collect, settings: Settings, folder: Path, progress: Progress
) -> PublishedFolder:
    whole = whole_definition(folder, settings.media_dir, progress)
    published = collect.publish(study_id(folder), whole, named=str(folder))
    stopped = _stop_launch(collect, published.study_id, folder, whole.study)
    title = whole.study.title.in_language(whole.study.languages[0])
    links = {kind: f"{settings.base_url}/join/{token}" for kind, token in published.links.items()}
    note = " ".join(part for part in (published.note, stopped) if part)
    return PublishedFolder(published.study_id, title, links, note)


def _stop_launch(collect: Collect, name: str, folder: Path, study: Study) -> str:
    """Pause a study that real participants have not begun, if its certificate stops the launch.
    Returns what to say about it.
    """
    kept = current(folder, study.stimuli)
    if kept is None or not kept.stops_launch:
        return ""

    def pause(conn: Connection) -> bool:
        is_new = not monitor.pool_sizes(conn, name).get("real", 0)
        if is_new and studies.get(conn, name).state == "open":
            studies.set_state(conn, name, "paused")
        return is_new

    if not collect.store.write(pause):
        return ""
    return (
        "It is paused: artifacts tell conditions apart above chance. See `believable giveaways"
        f" {folder}`."
    )


def whole_definition(folder: Path, media_dir: Path, progress: Progress = quiet) -> Definition:
    """The study in a folder as sessions would be pinned to it: checked, with its media prepared in
    `media_dir`.
    """
    definition = load(folder)
    _must_be_able_to_film(definition.study)
    owner_folder(media_dir)
    return definition.with_media(prepare(definition, folder, media_dir, progress=progress))


def _must_be_able_to_film(study: Study) -> None:
    """Report rounds that cannot become videos before anyone plays."""
    items = [entry.item for entry in outline(study.timeline)]
    watched = {item.own_round.trial for item in items if item.own_round is not None}
    plays = [item for item in items if isinstance(item, Play)]
    if any(play.is_filmed(watched=play.id in watched) for play in plays) and not have_av():
        raise MissingExtra(
            what=(
                "videos of rounds (a play trial with `render: video`, or a 3D round that is"
                " watched)"
            ),
            extra="video",
        )
