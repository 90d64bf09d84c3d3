"""Clips of several conditions in pairs: of one scenario, with the same start if that is known, and
of similar length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from believable.core.errors import InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceClip:
    """A film or recording of a condition. `start` names how it begins; None if that is not
    known.
    """

    file: Path
    scenario: str | None
    start: str | None
    length_ms: int


@dataclass(frozen=True, slots=True)
class ClipMatch:
    """One clip of each condition, and the length to which all are cropped."""

    clips: Mapping[str, SourceClip]

    @property
    def scenario(self) -> str | None:
        return next(iter(self.clips.values())).scenario

    @property
    def length_ms(self) -> int:
        return min(clip.length_ms for clip in self.clips.values())

    @property
    def cropped_share(self) -> float:
        """The share of the longest clip that is cut off."""
        return 1 - self.length_ms / max(clip.length_ms for clip in self.clips.values())


@dataclass(frozen=True, slots=True)
class MatchedClips:
    """The pairs, and a sentence for each group of clips that is left out."""

    matches: tuple[ClipMatch, ...]
    notes: tuple[str, ...]


def match_clips(
    pools: Mapping[str, Sequence[SourceClip]],
    *,
    most_cropped: float = 0.2,
    pairs: int | None = None,
) -> MatchedClips:
    """As many pairs as possible, each clip in one at most.

    most_cropped  a pair is left out if its longer clip would lose more than this share
    pairs         no more than this number: those that fit best
    """
    if len(pools) < 2:
        raise InvalidInput("pools: expected clips of two conditions or more to pair them.")
    matches: list[ClipMatch] = []
    for scenario in sorted({clip.scenario or "" for clips in pools.values() for clip in clips}):
        inside = {
            condition: [clip for clip in clips if (clip.scenario or "") == scenario]
            for condition, clips in pools.items()
        }
        matches += _match_scenario(inside)
    kept = [match for match in matches if match.cropped_share <= most_cropped]
    notes = []
    if len(kept) < len(matches):
        notes.append(
            f"{len(matches) - len(kept)} pairs are left out: their lengths differ by more than"
            f" {most_cropped:.0%}."
        )
    if pairs is not None and len(kept) > pairs:
        best = sorted(kept, key=lambda match: match.cropped_share)[:pairs]
        kept = [match for match in kept if match in best]
    for condition, clips in pools.items():
        used = {match.clips[condition].file for match in kept}
        if len(used) < len(clips):
            notes.append(f"{condition}: {len(clips) - len(used)} of {len(clips)} clips are unused.")
    if not kept:
        counts = ", ".join(f"{condition}: {len(clips)}" for condition, clips in pools.items())
        raise InvalidInput(
            f"pools: no pair of clips fits together ({counts}). Clips of a pair have the same"
            " scenario and similar lengths: see --scenario and --most-cropped."
        )
    return MatchedClips(tuple(kept), tuple(notes))


def _match_scenario(pools: Mapping[str, Sequence[SourceClip]]) -> list[ClipMatch]:
    """Clips with equal starts first, then the rest by length."""
    waiting = {condition: list(clips) for condition, clips in pools.items()}
    matches: list[ClipMatch] = []
    first = next(iter(waiting))
    for clip in list(waiting[first]):
        row = {condition: _same_start(clip, clips) for condition, clips in waiting.items()}
        found = {condition: other for condition, other in row.items() if other is not None}
        if len(found) == len(waiting):
            matches.append(ClipMatch(found))
            for condition, other in found.items():
                waiting[condition].remove(other)
    return matches + _match_lengths(waiting)


def _same_start(clip: SourceClip, clips: Sequence[SourceClip]) -> SourceClip | None:
    if clip.start is None:
        return None
    return next((other for other in clips if other.start == clip.start), None)


def _match_lengths(pools: Mapping[str, Sequence[SourceClip]]) -> list[ClipMatch]:
    """Each clip of the smallest pool with one of every other, so that lengths differ least."""
    anchor = min(pools, key=lambda condition: len(pools[condition]))
    anchors = sorted(pools[anchor], key=lambda clip: (clip.length_ms, clip.file))
    rows: list[dict[str, SourceClip]] = [{anchor: clip} for clip in anchors]
    for condition, clips in pools.items():
        if condition != anchor:
            ordered = sorted(clips, key=lambda clip: (clip.length_ms, clip.file))
            chosen = nearest_in_order(
                [clip.length_ms for clip in anchors], [clip.length_ms for clip in ordered]
            )
            for row, number in zip(rows, chosen, strict=True):
                row[condition] = ordered[number]
    return [ClipMatch({condition: row[condition] for condition in pools}) for row in rows]


def nearest_in_order(few: Sequence[int], many: Sequence[int]) -> list[int]:
    """For each of `few` the index of a different one of `many`, both ascending, so that the sum of
    differences is least. On a line, partners in ascending order are optimal.

    >>> nearest_in_order([10, 20], [1, 9, 19, 40])
    [1, 2]
    """
    n, m = len(few), len(many)
    infinite = float("inf")
    cost = [[0.0] * (m + 1)] + [[infinite] * (m + 1) for _ in range(n)]
    for i in range(1, n + 1):
        for j in range(i, m + 1):
            taken = cost[i - 1][j - 1] + abs(few[i - 1] - many[j - 1])
            cost[i][j] = min(cost[i][j - 1], taken)
    chosen: list[int] = []
    j = m
    for i in range(n, 0, -1):
        while cost[i][j] == cost[i][j - 1]:
            j -= 1
        j -= 1
        chosen.append(j)
    return chosen[::-1]
