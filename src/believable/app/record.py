"""Rounds of a game as stimuli, played by people of the lab, by an agent or by a script."""

from __future__ import annotations

import json
import tempfile
import time
import webbrowser
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from believable.agents.choice import ChosenAgent
from believable.contracts.game import RoundContext
from believable.contracts.record import Record
from believable.contracts.world import Playable, World
from believable.core.clock import WallClock
from believable.core.draft_folders import draft_folder, sweep_drafts
from believable.core.errors import InvalidInput, Refused
from believable.core.object_storage import digest_of
from believable.core.seeds import derive
from believable.core.system import account_number, is_private
from believable.core.work import Progress
from believable.recordings.actions import RECORDING_SUFFIX
from believable.recordings.file import from_bytes, write
from believable.simulate.crowd import link_token
from believable.simulate.server import Server
from believable.stimuli.render import Look, render
from believable.store import rounds
from believable.store.engine import Store
from believable.worlds.live_round import play_through

#: How often the recorder looks whether a round is over.
LOOK_S = 0.3
#: The time that the page shows its last sentence, until the server stops.
FAREWELL_S = 2.0
#: The block and its page in the study that people are served.
_ROUNDS, _ROUND = "rounds", "round"
_DONE = "# Recorded\n\nThe rounds are in the folder. You can close this window."


def parse_pace(playing: Playable[Any, Any], pace: str | None) -> float | None:
    """From `--pace`."""
    if pace is None:
        return None
    if pace == "human" and playing.human_steps_per_s is not None:
        return playing.human_steps_per_s
    steps = parse_value(pace)
    if isinstance(steps, int | float) and 0.1 <= steps <= 60:
        return float(steps)
    raise InvalidInput(f"--pace: expected human, or steps per second from 0.1 to 60, got {pace!r}.")


def look_of(film: str, frames_per_s: int) -> Look:
    """One picture for each tick, in this size."""
    width, _, height = film.partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise InvalidInput(f"--film: expected WIDTHxHEIGHT such as 640x360, got {film!r}.")
    return Look(width_px=int(width), height_px=int(height), frames_per_s=frames_per_s)


def parse_value(written: str) -> Any:
    """A number if it is one; {ArrowUp: 2} and [0, 1] as in a study file."""
    for number in (int, float):
        try:
            return number(written)
        except ValueError:
            continue
    if written[:1] not in ("{", "["):
        return written
    try:
        return YAML(typ="safe", pure=True).load(written)
    except YAMLError:
        raise InvalidInput(
            f"expected {{KEY: VALUE, …}} or [VALUE, …], got {written!r}. Put it into quotes."
        ) from None


def world_options(
    playing: Playable[Any, Any], written: Mapping[str, str | None], *, by_program: bool = False
) -> Record:
    """The world's options, as they are written on the command line. A program needs no keys."""
    plain = {name: parse_value(value) for name, value in written.items() if value is not None}
    try:
        options: Record = playing.trial.options.model_validate(plain)
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidInput(
            f"--{first['loc'][0]}: {first['msg']}, got {first['input']!r}."
        ) from None
    check = playing.check_program if by_program else playing.trial.check
    for key, message, cure in check(options):
        raise InvalidInput(f"--{key}: {message} {cure}")
    return options


def study_text(world: World, keys: Mapping[str, Any], rounds: int, seconds: int, seed: int) -> str:
    """The study that the page shows: a practice, then the rounds. JSON is YAML, too."""
    practice = {"id": "practice", "practice": True, "countdown_s": 1, "world": world.name, **keys}
    played = {"id": _ROUND, "duration_s": seconds, "start_seed": seed, "world": world.name, **keys}
    timeline: list[Any] = [
        {"play": practice},
        {"block": {"id": _ROUNDS, "repeat": rounds, "each": [{"play": played}]}},
        {"finish": {"text": _DONE}},
    ]
    title = f"Recording rounds of the {world.name}"
    return json.dumps({"believable": 1, "title": title, "seed": seed, "timeline": timeline})


def resolve_setup(
    playing: Playable[Any, Any],
    options: Record,
    opponent: str | float,
    seconds: int,
    seed: int,
    number: int,
) -> Record:
    """The setup of round `number`: the same as a person who plays by hand gets, so that everyone
    has the same starts.
    """
    place = RoundContext(
        session_seed=seed,
        trial_key=f"{_ROUNDS}.{number}.{_ROUND}",
        condition=None,
        opponent=opponent,
        duration_s=seconds,
        practice=False,
    )
    setup: Record = playing.trial.resolve(options, place)
    return setup


def play_rounds(
    targets: Sequence[Path],
    playing: Playable[Any, Any],
    settle: Callable[[int], Record],
    player: ChosenAgent,
    seed: int,
    done: Callable[[], None],
) -> None:
    """The recording says which agent played, so that it cannot pass for a person."""
    about = {"player": player.written, **player.identity()}
    for number, target in enumerate(targets, start=1):
        act = player.sit_down(derive(seed, "player", number))
        recording = play_through(playing, settle(number), act, player.agent.game)
        write(replace(recording, provenance={**recording.provenance, **about}), target)
        done()


def play_in_environment(
    targets: Sequence[Path],
    playing: Playable[Any, Any],
    settle: Callable[[int], Record],
    player: ChosenAgent,
    seed: int,
    steps_per_s: float | None,
) -> Iterator[tuple[Path, Path | None]]:
    """Each file as it is written, with the earlier film that shows the same, if there is one."""
    assert playing.rollout is not None, "worlds with environments have it"
    films: dict[str, Path] = {}
    about = {"player": player.written, **player.identity()}
    for number, target in enumerate(targets, start=1):
        act = player.sit_down(derive(seed, "player", number))
        beginning = target.with_name(target.name.partition(".")[0])
        for file in playing.rollout(
            settle(number), act, beginning, steps_per_s, player.written, about
        ):
            recorded = file.name.endswith(RECORDING_SUFFIX)
            first = file if recorded else films.setdefault(digest_of(file), file)
            yield file, None if first == file else first


def serve_players(
    targets: Sequence[Path],
    study: str,
    *,
    report: Callable[[str], None],
    open_page: bool,
    host: str = "127.0.0.1",
    port: int | None = None,
    base_url: str | None = None,
) -> None:
    """A separate server until all rounds are recorded. Its data are deleted
    afterwards.
    """
    with temporary_folder() as place:
        (place / "rounds").mkdir()
        (place / "rounds" / "study.yaml").write_text(study, encoding="utf-8")
        with (
            Server(
                [place / "rounds"], data_dir=place / "data", host=host, port=port, base_url=base_url
            ) as server,
            Store.open(f"sqlite:///{place / 'data' / 'believable.db'}", clock=WallClock()) as store,
        ):
            address = f"{base_url or server.url}/join/{link_token(store, 'rounds', 'open')}"
            report(f"Play here: {address}\nStop with Ctrl-C.")
            if open_page:
                webbrowser.open(address)
            keep_rounds(store, targets, lambda target: report(str(target)))
            time.sleep(FAREWELL_S)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that is deleted afterwards; those that killed recordings of this account left behind
    are deleted first.
    """
    parent = Path(tempfile.gettempdir()) / f"believable-record-{account_number()}"
    parent.mkdir(mode=0o700, exist_ok=True)
    if not is_private(parent):
        raise Refused(
            f"{parent}: expected a folder that only this account can use. Delete it, or set TMPDIR"
            " to another folder."
        )
    sweep_drafts(parent)
    with draft_folder(parent) as place:
        yield place


def keep_rounds(store: Store, targets: Sequence[Path], tell: Callable[[Path], None]) -> None:
    """Write each round as soon as it is over, until there are as many as wanted."""
    written = 0
    while written < len(targets):
        for body in store.read(rounds.recordings)[written : len(targets)]:
            played = from_bytes(body, source=targets[written].name)
            write(
                replace(played, provenance={**played.provenance, "player": "person"}),
                targets[written],
            )
            tell(targets[written])
            written += 1
        time.sleep(LOOK_S)


def render_videos(
    targets: Sequence[Path], folder: Path, look: Look | None, progress: Progress
) -> Sequence[Path]:
    """Make a video of each recording."""
    rendered = render(targets, folder, look, progress=progress)
    if rendered.failed:
        raise InvalidInput(
            "; ".join(f"{path.name}: {why}" for path, why in rendered.failed.items())
        )
    return list(rendered.results.values())
