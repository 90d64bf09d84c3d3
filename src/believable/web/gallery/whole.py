"""Exhibits that are whole pages: players side by side, groups of clips, the device check, quality tests. Their parameters are the
trial as an author would write it."""

from __future__ import annotations

from dataclasses import dataclass

from believable.core.recorded import Recorded
from believable.instruments import INSTRUMENTS
from believable.players import PLAYERS, SIGNAL
from believable.study.records import Compare, Device, Group, Qa, Record

#: What is recorded where players stand; each event also carries the player's number.
_WATCHED = PLAYERS["replay"].records
_COMPARE = """\
of: [left, right]
match: none
controls: {must_finish: false, replay: true}
ask:
  - {id: which, prompt: Which looked more human?, preference: {}}
  - {id: why, prompt: Why?, long_text: {min_length: 10}}
  - {id: sure, prompt: How certain are you?, certainty: {}}
"""
_TOGETHER = """\
of: [left, right]
match: none
playback: together
ask:
  - {id: which, prompt: Which looked more human?, preference: {forced: true}}
"""
_GROUP = """\
clips: 2
controls: {must_finish: false, replay: true, max_views: 3}
rate:
  - {id: rating, prompt: Human or artificial?, clip_rating: {}}
  - {id: strength, prompt: How artificial?, likert: {points: 10}, show_if: {answer: rating, at_least: 4}}
  - {id: views, prompt: How often did you watch it?, number: {min: 1, max: 3}}
  - {id: comment, prompt: Comment, required: false, text: {}}
"""


@dataclass(frozen=True, slots=True)
class WholePage:
    """A kind of trial that is shown as it is."""

    name: str
    about: str
    params: type[Record]
    examples: tuple[str, ...]
    events: tuple[Recorded, ...]
    n_stimuli: int = 0


PAGES = (
    WholePage(
        "compare",
        "Two or more players side by side, then questions. Who stands where is drawn for each session.",
        Compare,
        (_COMPARE, _TOGETHER),
        _WATCHED,
        n_stimuli=2,
    ),
    WholePage(
        "group",
        "Several clips on one page, each with the same questions beside it; views are counted.",
        Group,
        (_GROUP,),
        _WATCHED,
        n_stimuli=2,
    ),
    WholePage(
        "device",
        "Whether sound and mouse wheel work: tones to count, a wheel to turn.",
        Device,
        ("{}\n", "wheel: false\n"),
        (Recorded("device.tones", ("state",), "the tones were played; `state` of the browser's sound"),),
    ),
    WholePage(
        "qa",
        "A quality test of the annotator: a known signal, followed with RankTrace and scored by the server.",
        Qa,
        (
            "test: visual\nduration_s: 20\npractice: false\n",
            "test: auditory\nduration_s: 20\npractice: false\n",
        ),
        (*SIGNAL.records, *INSTRUMENTS["ranktrace"].streams),
    ),
)
