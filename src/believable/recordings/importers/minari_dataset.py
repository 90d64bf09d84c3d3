"""Datasets of Minari (episodes of Gymnasium environments, played by people or agents) as
recordings: one per episode, with actions, rewards and chosen values of `info`. One whose
environment and seed are known can be filmed again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from believable.core.errors import InvalidInput, MissingExtra, NotFound
from believable.recordings.recording import Actor, RecordedWorld, Recording, Scalar, Timing

FRAMES_PER_S = 30


def open_dataset(written: str) -> Any:
    """The dataset in a folder, or the one of this id among those on this machine. Nothing is
    downloaded.
    """
    try:
        import minari  # noqa: PLC0415  the extra `gym`
    except ImportError:
        raise MissingExtra(what="reading Minari datasets", extra="gym") from None
    folder = Path(written)
    data = folder / "data" if (folder / "data").is_dir() else folder
    try:
        return minari.MinariDataset(data) if data.is_dir() else minari.load_dataset(written)
    except FileNotFoundError:
        raise NotFound(
            f"{written}: there is no such Minari dataset here. Give its folder, or its id after:"
            f" minari download {written}"
        ) from None
    except (ValueError, KeyError, OSError) as error:
        raise InvalidInput(
            f"{written}: cannot be read as a Minari dataset ({str(error)[:200]}). Copy it again."
        ) from None


def recordings(
    dataset: Any, *, info: Sequence[str] = (), frames_per_s: int = FRAMES_PER_S
) -> Iterator[tuple[int, Recording]]:
    """Number and recording of each episode."""
    for episode in dataset.iterate_episodes():
        known = next(iter(dataset.storage.get_episode_metadata([episode.id])))
        yield int(episode.id), _recording(dataset, episode, known.get("seed"), info, frames_per_s)


def _recording(
    dataset: Any, episode: Any, seed: Any, info: Sequence[str], frames_per_s: int
) -> Recording:
    steps = len(episode.rewards)
    rewards = [float(reward) for reward in episode.rewards]
    for name in info:
        if name not in (episode.infos or {}):
            known = ", ".join(sorted(episode.infos or {})) or "none"
            raise InvalidInput(f"--info: episode {episode.id} has no {name!r}. It has: {known}.")
    # Values of info begin with the reset, one before the first step.
    chosen = {
        f"info.{name}": tuple(map(_scalar, np.asarray(episode.infos[name])[-steps:]))
        for name in info
    }
    plain_seed = None if seed is None else int(seed)
    return Recording(
        world=RecordedWorld(kind="gym", width=1, height=1, walls=(".",)),
        actors=(Actor("player", "You", "player"),),
        timing=Timing(frame_ms=1000 / frames_per_s, frames=steps),
        tracks=(),
        telemetry={
            "key": (0,) * steps,
            "action": tuple(_action(episode.actions, number) for number in range(steps)),
            "reward": tuple(rewards),
            "return": tuple(float(total) for total in np.cumsum(rewards)),
            "episode": (0,) * steps,
            "terminated": tuple(map(bool, episode.terminations)),
            "truncated": tuple(map(bool, episode.truncations)),
            **chosen,
        },
        seed=plain_seed,
        agent=dataset.storage.metadata.get("algorithm_name"),
        provenance={
            "world": "gym",
            "source": f"Minari dataset {dataset.spec.dataset_id}, episode {episode.id}",
            "seeds": json.dumps({"0": plain_seed}),
            **_environment(dataset.env_spec, plain_seed),
        },
    )


def _environment(spec: Any, seed: int | None) -> Mapping[str, Scalar]:
    """The data from which the environment can be made again, as recordings of the world `gym` store
    it.
    """
    if spec is None:
        return {}
    options = {name: value for name, value in spec.kwargs.items() if name != "render_mode"}
    plain = all(isinstance(value, str | int | float | bool) for value in options.values())
    if seed is None or not plain or spec.additional_wrappers:
        return {"env": spec.id}
    origin = {"env": spec.id, "env_options": options, "episode_steps": spec.max_episode_steps}
    return {"env": spec.id, "environment": json.dumps(origin)}


def _action(actions: Any, number: int) -> str:
    parts = isinstance(actions, Mapping)
    value = (
        {name: _plain(column[number]) for name, column in actions.items()}
        if parts
        else _plain(actions[number])
    )
    return json.dumps(value)


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def _scalar(value: Any) -> Scalar:
    plain = _plain(value)
    return plain if isinstance(plain, str | int | float | bool) else json.dumps(plain)
