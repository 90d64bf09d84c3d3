"""What a bundle knows about its stimuli: how long they are, and which log of actions belongs to them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from believable.analysis.data import Data
from believable.bundle.read import Bundle
from believable.study.outline import outline
from believable.study.playing import Play

#: How stimuli begin that are the person's own round; the same name is another recording in every session.
OWN_ROUND = "round:"


def durations_ms(bundle: Bundle) -> Mapping[str, float]:
    """Stimuli whose duration the study's definitions tell."""
    return {
        stimulus: float(medium["duration_ms"])
        for media in _media(bundle)
        for stimulus, medium in media.items()
        if medium.get("duration_ms") is not None
    }


def logs(bundle: Bundle) -> Mapping[str, str]:
    """Stimuli to the SHA-256 of their log of actions, as the latest definition has it."""
    found: dict[str, str] = {}
    for media in _media(bundle):
        for stimulus, medium in media.items():
            digest = medium.get("actions") or medium.get("digest")
            if digest is not None:
                found[stimulus] = str(digest)
    return found


def round_ms(data: Data, *trials: str) -> float | None:
    """How long the rounds of these play trials are; None where the study has none of them."""
    if data.study is None:
        return None
    for entry in outline(data.study.timeline):
        if (
            isinstance(entry.item, Play)
            and (not trials or entry.item.id in trials)
            and not entry.item.practice
        ):
            return 1000.0 * entry.item.duration_s
    return None


def _media(bundle: Bundle) -> list[Mapping[str, Mapping[str, Any]]]:
    return [json.loads(text).get("media", {}) for text in bundle.definitions.values()]
