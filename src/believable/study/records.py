"""A study as frozen records: what `study.yaml` says, and nothing else. Parsed once by
`study.load`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, SerializeAsAny

from believable.contracts.record import Id, Language, Record, Text
from believable.contracts.trial import TrialBase
from believable.study.codebook import Codebook as Codebook
from believable.study.declaration import DeclaredPlan
from believable.study.platforms import Recruit as Recruit

# ----------------------------------------------------------------------------------------------
# questions


# ----------------------------------------------------------------------------------------------
# trials


# ----------------------------------------------------------------------------------------------
# order


# ---------------------------------------------------------------------------------------------- the
# study


class Stimulus(Record):
    """An item to watch: a file of the study folder, and its meaning."""

    id: Id
    """Name of the stimulus in the data."""
    file: str = Field(min_length=1)
    """Path in the study folder."""
    condition: Id | None = None
    """One of `conditions`."""
    scenario: Id | None = None
    """The situation it shows."""
    pair: Id | None = None
    """Stimuli of one scenario and pair are shown together: matched in length, too."""
    duration_ms: int | None = Field(default=None, ge=1)
    """Expected length in milliseconds; `believable check` compares."""
    measures: dict[Id, float] = Field(default_factory=dict)
    """Measurements of its content, by name: the smoothness of movement, say. Analyses compare them
    with judgements.
    """

    @property
    def player(self) -> Literal["video", "replay"]:
        """The player that shows it: recordings are known by the ending of their name."""
        return "replay" if self.file.endswith(".replay.json.gz") else "video"

    @property
    def match_group(self) -> str | None:
        """The stimuli it is compared with: those of its pair, else those of its scenario."""
        return self.scenario if self.pair is None else f"{self.scenario or ''}/{self.pair}"


class ClipPool(Record):
    """Recordings of one agent or of people, as an entry of `stimuli`: each file of a folder becomes
    a stimulus.
    """

    pool: str = Field(min_length=1)
    """A folder of the study, or the name of an agent whose recordings are in `pools/`. Folders
    inside it are scenarios.
    """
    condition: Id | None = None
    """One of `conditions`."""
    scenario: Id | None = None
    """The situation that all of them show, unless their folder or its `pool.json` says which."""


class Study(Record):
    """The whole study file."""

    believable: Literal[1]
    """Version of the format."""
    title: Text
    """Shown to participants."""
    seed: int
    """Everything left to chance follows from it."""
    languages: tuple[Language, ...] = Field(default=("en",), min_length=1)
    """The first one is the default. Every text has to be there in each."""
    conditions: tuple[Id, ...] = ()
    """What differs between stimuli."""
    stimuli: tuple[Stimulus, ...] = ()
    """The items to watch."""
    draw: Literal["shared", "pool", "fresh"] = "shared"
    """Which stimuli a session gets where the timeline leaves it open. `shared`: at random from
    those of the study. `pool`: those with the fewest views, so that views differ by one at most.
    `fresh`: those that no other participant saw, as long as there are any.
    """
    arms: dict[Id, tuple[Id, ...]] = Field(default_factory=dict)
    """What differs between participants: `name: [level, level]`, balanced."""
    resume: Literal["trial", "restart", "forbid"] = "trial"
    """What happens to an interrupted session: resume at the same `trial`, `restart`, or `forbid`.
    """
    reservation_minutes: int = Field(default=120, ge=1)
    """How long a session that was left keeps its place in the balance."""
    recruit: Recruit = Recruit()
    """The source of the participants."""
    codebooks: tuple[Codebook, ...] = ()
    """Categories for free texts, for the coder's desk."""
    texts: dict[Language, dict[str, str]] = Field(default_factory=dict)
    """Built-in words to replace, or a whole new language: `language: {key: words}`."""
    timeline: tuple[SerializeAsAny[TrialBase], ...] = Field(min_length=1)
    """What participants go through, in order."""
    demonstration: bool = False
    """The stimuli were made for demonstration, not as material of a study: every page and every
    report says so.
    """
    analysis: DeclaredPlan | None = None
    """The declared analysis."""

    @property
    def scenarios(self) -> tuple[str, ...]:
        """The scenarios of the stimuli, in the order of the file."""
        return tuple(
            dict.fromkeys(
                stimulus.scenario for stimulus in self.stimuli if stimulus.scenario is not None
            )
        )


# ----------------------------------------------------------------------------------------------
# timeline in order


# ----------------------------------------------------------------------------------------------
# questions about clips

#: Between the author's id and the number of the clip. No id of the file has it.
_CLIP_MARK = "-"


def clip_id(question: str, clip: int) -> str:
    """`rating`, 1 → `rating-1`. Clips count from 0, in the order of the page."""
    return f"{question}{_CLIP_MARK}{clip}"


def clip_of(question: str) -> tuple[str, int | None]:
    """`rating-1` → `rating`, 1; a question about the whole page has no clip.

    >>> clip_of("rating-1"), clip_of("favourite")
    (('rating', 1), ('favourite', None))
    """
    name, mark, clip = question.rpartition(_CLIP_MARK)
    return (name, int(clip)) if mark and clip.isdecimal() else (question, None)
