"""What a simulated person makes of a medium: which stimulus of the study it is, and what stands out in it.

Browsers are never told. Simulated people on the researcher's own machine have the study folder, and compare what they are
shown with what they would be shown of each stimulus.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from believable.replay.actions import ActionLog, log_of
from believable.replay.file import read
from believable.simulate.behaviour.contract import Going, Seen
from believable.simulate.demonstration import planted_in
from believable.simulate.shown import Shown
from believable.stimuli.judging import Variant, judging_tree
from believable.study.records import Stimulus, Study

_GZIP = b"\x1f\x8b"
#: The name of the figure that is judged in a recording of the game.
OPPONENT = "Opponent"


@dataclass(frozen=True, slots=True)
class Known:
    stimulus: Stimulus
    log: ActionLog
    planted: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Recogniser:
    """Recordings of a study by what their figures do; videos are not recognised."""

    known: Mapping[str, Known] = field(default_factory=dict)
    _looked: dict[bytes, tuple[Known | None, tuple[float, ...]]] = field(default_factory=dict)

    def seen(self, content: bytes, shown: Shown) -> Seen:
        """What somebody who watches this medium has seen."""
        known, turns = self._look(content)
        return Seen(
            None if known is None else known.stimulus, shown.length_ms, _going(shown, known), turning=turns
        )

    def _look(self, content: bytes) -> tuple[Known | None, tuple[float, ...]]:
        """Everybody is shown the same copies: each is looked at once."""
        if not content.startswith(_GZIP):
            return None, ()
        digest = hashlib.sha256(content).digest()
        if digest not in self._looked:
            tree = json.loads(gzip.decompress(content))["replay"]
            self._looked[digest] = self.known.get(fingerprint(tree["tracks"])), turning(tree)
        return self._looked[digest]


def recogniser_of(study: Study, folder: Path) -> Recogniser:
    """For the stimuli of a study folder."""
    planted = planted_in(folder)
    found: dict[str, Known] = {}
    for one in study.stimuli:
        path = folder / one.file
        if one.player == "replay" and path.is_file():
            replay = read(path)
            tracks = judging_tree(replay, Variant())["replay"]["tracks"]
            found[fingerprint(tracks)] = Known(one, log_of(replay), planted.get(one.id, {}))
    return Recogniser(found)


def fingerprint(tracks: Any) -> str:
    return hashlib.sha256(json.dumps(tracks, sort_keys=True).encode()).hexdigest()


def _going(shown: Shown, known: Known | None) -> tuple[Going, ...]:
    return tuple(
        Going(
            one.id, one.t0_ms, one.t1_ms, known is not None and known.log.authored_id(one.id) in known.planted
        )
        for one in shown.log
    )


def turning(tree: Mapping[str, Any]) -> tuple[float, ...]:
    """How much the opponent turned in each second of a recording, in degrees; empty where there is none."""
    names = {actor["id"] for actor in tree["actors"] if actor["name"] == OPPONENT}
    track = next((one for one in tree["tracks"] if one["actor"] in names), None)
    if track is None:
        return ()
    per_second = max(1, round(1000 / tree["timing"]["frame_ms"]))
    changes = [abs((step + 180) % 360 - 180) for step in track["heading"][1:]]
    return tuple(_sums(changes, per_second))


def _sums(values: list[int], size: int) -> Iterable[float]:
    for start in range(0, len(values), size):
        yield float(sum(values[start : start + size]))
