"""Several stimuli on one page, each with the same questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, Tag

from believable.contracts.controls import Controls
from believable.contracts.page import PageKind, PageLooks, SimulatedVisit, StudyChecks
from believable.contracts.page_parts import PagePlayer
from believable.contracts.record import BY_SHAPE, Id
from believable.contracts.trial import Entry, Slot, StimulusChoice, StimulusFilter, WantedStimuli
from believable.core.nodes import Node
from believable.pages.compare import STYLE, ClipsPage, layout
from believable.pages.player_checks import WantedStimulus, check_several
from believable.pages.rate import TWO_SIDED
from believable.study.levels import Setting, pool, settings
from believable.study.reading import Reading
from believable.study.records import Study


class Group(ClipsPage):
    """Several stimuli on one page, in an order drawn for each session, each with the same
    questions.
    """

    stimulus_keys = ("clips", "from")
    plays_stimuli = True

    kind: Literal["group"] = "group"
    clips: Annotated[
        Annotated[Annotated[int, Field(ge=1, le=24)], Tag("word")]
        | Annotated[tuple[Id, ...], Tag("list")],
        BY_SHAPE,
    ]
    """How many, or the ids of the stimuli."""
    from_: StimulusFilter = Field(default=StimulusFilter(), alias="from")
    """The stimuli to draw from; the enclosing blocks decide everything it leaves open."""
    controls: Controls = Controls()
    """The controls of each player."""

    @property
    def size(self) -> int:
        return self.clips if isinstance(self.clips, int) else len(self.clips)

    @property
    def player(self) -> PagePlayer:
        return PagePlayer(controls=self.controls)

    def request_stimuli(self, choice: StimulusChoice) -> WantedStimuli:
        if not isinstance(self.clips, int):
            return WantedStimuli(None, self.clips)
        names = choice.open_to(self.from_)
        return WantedStimuli(
            None, tuple(Slot(f"{choice.key}.{i}", self.id, names) for i in range(self.clips))
        )


def _check(reading: Reading, entry: Entry, entries: Sequence[Entry]) -> None:
    group, place = entry.item, reading.place(entry.item)
    assert isinstance(group, Group)
    named: list[tuple[WantedStimulus, Node]]
    if isinstance(group.clips, int):
        named = [(group.from_, place.get("from") or place)]
    else:
        named = list(zip(group.clips, place.get("clips") or (), strict=False))
    check_several(reading, entry, named)
    for question in () if reading.is_broken(place.path) else group.all_questions:
        if question.kind == TWO_SIDED:
            message = "a preference is between two, not between the clips of a group."
            reading.report(reading.place(question), message, "Use `compare`, or a `choice`.")


def _check_all(reading: Reading, entries: Sequence[Entry]) -> None:
    """A warning where every page of clips has the same conditions in the same numbers, and more
    than one of them: people who notice it can answer by elimination.
    """
    if reading.doubtful or any(
        reading.is_broken(part) for part in ("stimuli", "conditions", "timeline")
    ):
        return
    pages = [
        (item, _mixture(reading.study, item, setting))
        for item, setting in settings(reading.study, reading.study.timeline)
        if isinstance(item, Group)
    ]
    mixtures = [mixture for _, mixture in pages]
    if len(pages) < 2 or None in mixtures or any(mixture != mixtures[0] for mixture in mixtures):
        return
    first = mixtures[0]
    if first is None or len(first) < 2:
        return
    words = ", ".join(f"{count} {name}" for name, count in sorted(first.items()))
    place = reading.place(pages[0][0])
    reading.report(
        place.get("clips") or place,
        f"every page holds the same mixture ({words}), so that people can answer by elimination.",
        "Let the pages differ in what they hold.",
        severity="warning",
    )


def _mixture(study: Study, group: Group, setting: Setting) -> Counter[str] | None:
    """The number of clips of each condition on a page; None if it is random."""
    if isinstance(group.clips, int):
        wanted = Setting(
            group.from_.condition or setting.condition, group.from_.scenario or setting.scenario
        )
        fitting = pool(study, wanted)
        conditions = [stimulus.condition for stimulus in fitting]
        settled = len(fitting) == group.clips or len(set(conditions)) == 1
        conditions = conditions[: group.clips]
    else:
        by_id = {stimulus.id: stimulus for stimulus in study.stimuli}
        conditions = [by_id[name].condition for name in group.clips if name in by_id]
        settled = True
    return Counter(str(condition) for condition in conditions) if settled else None


GROUP = PageKind(
    name="group",
    record=Group,
    folder=Path(__file__).parent,
    checks=StudyChecks(entry=_check, timeline=_check_all),
    looks=PageLooks(
        title=lambda group: "group.title",
        message=lambda group, page: layout(page),
        styles=lambda group: (STYLE,),
        script="/static/pages/compare/page.js",
    ),
    visit=SimulatedVisit(go_through=lambda person, message: person.watch(message)),
    typical_ms=26_000,
)
