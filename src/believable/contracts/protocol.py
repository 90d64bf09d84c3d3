"""The contract of a protocol: one folder with every part of a published way of asking people,
behind one declared record.

    __init__.py        <NAME>, the record; `read_protocol` reads it from the next file
    protocol.yaml      name, purpose, publications; roles, outcomes and options of its analysis
    study.yaml         the ready study, with its texts in pages/
    analysis.py        ANALYSIS: the computations and their sentences
    tables.yaml        the layout of its tables and figures (`believable.analysis.layouts`)
    people.py          PEOPLE: the simulated participants, and the values that they have
    stimuli.py         demonstration stimuli, if the study shows any: `make` or `write`
    agent_clips.py     `write_agent_clips`, if it can show runs of trained agents and of people
    own_conditions.py  in a variant for clips of the author: `changes`, if they name the conditions,
                       and `measure`, the measures of a recording
    recorded_clips.py  `write_recorded_clips`, if its clips can be made of recordings of people
    README.md          a description for people

Only the record and the declaration are imported when protocols are looked up; the other parts are
imported on use. `believable.protocols.conformance.check_protocol` checks a protocol, ours or a
third party's.
"""

from __future__ import annotations

import importlib
import importlib.util
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path
from typing import Any, Literal, TypeVar

from believable.core.citation import Citation
from believable.core.errors import InvalidInput, NotFound, Refused
from believable.core.registry import did_you_mean

_R = TypeVar("_R", "Role", "Option", "Outcome")


#: The name in a role: a question (`question` or `trial.question`), a trial, an arm, or one or more
#: conditions.
RoleOf = Literal["question", "trial", "arm", "condition"]


#: Means every condition of the study, and every ordered pair of two, written first-second.
EVERY, EVERY_PAIR = "*", "*-*"


OptionType = Literal["number", "integer", "numbers", "flag", "word", "words"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """A part that something of the study plays in the analysis.

    defaults   where the plan does not say: the first of these that the study has
    required   without it there is nothing to analyse
    several    whether more than one may be named
    kinds      for a question: the instruments whose answers can be used; empty: any
    stimuli    for a question: how many stimuli it has to be asked about at once; None: any number
    next to each other for a question about two: the role that conditions of one of them play, and
    of the
               other do not
    """

    name: str
    about: str
    of: RoleOf = "question"
    defaults: tuple[str, ...] = ()
    required: bool = False
    several: bool = False
    kinds: tuple[str, ...] = ()
    stimuli: int | None = None
    beside: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A parameter of an analysis or of an outcome's test. `one_of` lists the words it may be."""

    name: str
    about: str
    type: OptionType
    default: Any
    least: float | None = None
    most: float | None = None
    one_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Something the analysis estimates or tests. `tests` are the options that `tests: {outcome:
    {…}}` may set.

    tested     whether it has a p value
    equivalence  whether it has an equivalence test, so that `criterion: equivalent` can be judged
    needs      its requirements on the data, in words, if a study of the protocol may lack them
    unit       what its estimates are in, as one says it: share of trials, points of 7, r
    parts      the subjects of a hypothesis (`about`), if there are several; `*`: any condition,
               `*-*`: any two of them
    no_effect  the value without an effect, where a hypothesis may expect the estimate on one side
               of it
    part_unit  what estimates of one group are in, where those of pairs of groups are in `unit`
    """

    name: str
    title: str
    about: str
    tested: bool = False
    equivalence: bool = False
    tests: tuple[Option, ...] = ()
    parts: tuple[str, ...] = ()
    needs: str = ""
    unit: str = ""
    no_effect: float | None = None
    part_unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeEvidence:
    """How judges' answers become one number per judge and agent, from 0 to 1 with chance at one
    half. The stopping rule `sequential` weighs these numbers.

    outcome    the outcome that these numbers are about
    question   the role of the question
    reference  the role of the conditions that agents are compared with; empty for `pairs`
    agents     the roles of the agents' conditions; empty: all conditions that are no reference
    compares   `sides`: the share of pages on which one of two was chosen; `pairs`: the same for
               each pair of conditions that a hypothesis names, or else that judges see; `answers`:
               the share of `yes` answers about the reference minus that about the agent, plus 1,
               halved
    chosen     for `sides`: who has to be chosen for a number above one half
    yes, open  for `answers`: the answers that count 1 and one half; any other counts 0
    controls   the option that names scenarios which are no comparison
    chance     the option that says what guessing gives
    lead       the outcome that is twice the share less 1, if there is one
    """

    outcome: str
    question: str
    reference: str = ""
    agents: tuple[str, ...] = ()
    compares: Literal["sides", "answers", "pairs"] = "sides"
    chosen: Literal["reference", "agent"] = "reference"
    yes: tuple[Any, ...] = ()
    open: tuple[Any, ...] = ()
    controls: str = ""
    chance: str = ""
    lead: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """The declaration of one protocol's analysis.

    compares  roles of conditions of which at least two have to be played, since the analysis sets
              them side by side
    alike   roles that the analysis only compares with each other: exchanging them changes signs and
            nothing else
    t_test  whether its main test is a t test over participants, so that a detectable effect follows
            from the sample size alone
    sampled one of the stimuli that were chosen from many, such as `clip`; verdicts then are about
    the agent, or about these
            clips (`about` in the plan). Empty: nothing is sampled
    evidence  the numbers that the stopping rule `sequential` weighs; None: there are none
    """

    name: str
    about: str
    roles: tuple[Role, ...]
    outcomes: tuple[Outcome, ...]
    options: tuple[Option, ...]
    compares: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    t_test: bool = False
    sampled: str = ""
    evidence: JudgeEvidence | None = None

    def role(self, name: str) -> Role:
        return named_entries(self.roles, name)

    def outcome(self, name: str) -> Outcome:
        return named_entries(self.outcomes, name)

    def option(self, name: str) -> Option:
        return named_entries(self.options, name)


def subjects_of(outcome: Outcome, conditions: Sequence[str]) -> tuple[str, ...]:
    """The subjects that a hypothesis on an outcome may name in a study with these conditions."""
    subjects: list[str] = []
    for part in outcome.parts:
        if part == EVERY:
            subjects += conditions
        elif part == EVERY_PAIR:
            subjects += (f"{first}-{second}" for first, second in permutations(conditions, 2))
        else:
            subjects.append(part)
    return tuple(subjects)


def problem_of(option: Option, value: Any) -> str | None:
    """The expectation that a value misses; None for a valid value."""
    if option.type == "flag":
        return None if isinstance(value, bool) else "true or false"
    if option.type in ("numbers", "words"):
        return _list_problem(option, value)
    return _single_problem(option, value)


def _list_problem(option: Option, value: Any) -> str | None:
    single = replace(option, type="number" if option.type == "numbers" else "word")
    # An empty list means "none" if that is the default; elsewhere it has no meaning.
    listed = isinstance(value, list | tuple) and (len(value) > 0 or option.default == ())
    if listed and all(_single_problem(single, item) is None for item in value):
        return None
    return f"a list of values, each {_single_words(single)}"


def _single_problem(option: Option, value: Any) -> str | None:
    if option.type == "word":
        sound = isinstance(value, str) and (not option.one_of or value in option.one_of)
    else:
        sound = (
            isinstance(value, int if option.type == "integer" else int | float)
            and not isinstance(value, bool)
            and (option.least is None or value >= option.least)
            and (option.most is None or value <= option.most)
        )
    return None if sound else _single_words(option)


def _single_words(option: Option) -> str:
    if option.type == "word":
        return " or ".join(option.one_of) or "a word"
    what = "a whole number" if option.type == "integer" else "a number"
    if option.least is not None and option.most is not None:
        return f"{what} from {option.least:g} to {option.most:g}"
    if option.least is not None:
        return f"{what} of at least {option.least:g}"
    return what if option.most is None else f"{what} of at most {option.most:g}"


def named_entries(records: Sequence[_R], name: str) -> _R:
    match = next((record for record in records if record.name == name), None)
    if match is None:
        raise NotFound(
            f"unknown name {name!r}. {did_you_mean(name, [record.name for record in records])}"
        )
    return match


STUDY_FILES = ("study.yaml", "pages")
#: What `believable stimuli` makes, perhaps before there is a study.
STIMULUS_FOLDERS = ("sources", "stimuli")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownAgents:
    """The content of a study of trained agents.

    agents        their names; several in one study: each judge sees pairs of all of them
    humans        a folder with recordings of people; None: a scripted player, which the study says
    runs          runs of each agent that clips are drawn from
    people_pairs  control: pairs of two people, which have no right answer
    mismatched    control: pairs of a person and an agent on the way to different goals, for each
                  agent
    """

    agents: tuple[str, ...]
    humans: Path | None
    runs: int
    people_pairs: int = 0
    mismatched: int = 0


@dataclass(frozen=True)
class ReadyStudy:
    """A study to start from: a package whose folder holds `study.yaml` and its pages.

    about    the participants' task, and its duration
    package  the dotted name of the folder: `__name__` in its `__init__.py`
    """

    name: str
    about: str
    package: str

    @property
    def folder(self) -> Path:
        return Path(str(importlib.import_module(self.package).__file__)).parent

    def must_fit(self, folder: Path) -> None:
        """Refuses a folder that holds more than stimuli and the recordings they were made from."""
        others = (
            []
            if not folder.is_dir()
            else sorted({entry.name for entry in folder.iterdir()} - {*STIMULUS_FOLDERS})
        )
        if others or (folder.exists() and not folder.is_dir()):
            what = f"holds {', '.join(others[:3])}" if others else "is a file"
            raise Refused(
                f"{folder}: exists already and {what}. Choose another name or empty it first."
            )

    def copy(self, folder: Path) -> None:
        """Write study and pages into `folder`, which is new, empty, or holds stimuli."""
        self.must_fit(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for name in STUDY_FILES:
            part = self.folder / name
            if part.is_dir():
                shutil.copytree(
                    part, folder / name, ignore=shutil.ignore_patterns("__pycache__", ".*")
                )
            elif part.is_file():
                shutil.copyfile(part, folder / name)

    def write_stimuli(
        self,
        study: Any,
        folder: Path,
        seed: int,
        done: Callable[[Any], None] = lambda stimulus: None,
    ) -> None:
        """Make the demonstration stimuli of the study into its folder; nothing if it has none."""
        if self._has("stimuli"):
            self._part("stimuli", "write")(study, folder, seed, done)

    @property
    def names_conditions(self) -> bool:
        """Whether the clips that an author brings name the conditions."""
        return self._has("own_conditions")

    def own_changes(self, conditions: Sequence[str], scenarios: Sequence[str]) -> Mapping[str, Any]:
        """The changes of the study file for clips of these conditions; only if
        `names_conditions`.
        """
        changes: Mapping[str, Any] = self._part("own_conditions", "changes")(conditions, scenarios)
        return changes

    def measures_of(self, recording: Any) -> Mapping[str, float]:
        """The measures of a clip that the study file keeps; none unless `names_conditions`."""
        if not self.names_conditions:
            return {}
        measures: Mapping[str, float] = self._part("own_conditions", "measure")(recording)
        return measures

    def write_agent_clips(
        self, study: Any, folder: Path, seed: int, shown: ShownAgents, done: Callable[[int], None]
    ) -> None:
        """Make stimuli of runs of trained agents and of people, and the study about them; only if
        `shows_agents`.
        """
        self._part("agent_clips", "write_agent_clips")(study, folder, seed, shown, done)

    def write_recorded_clips(
        self,
        folder: Path,
        seed: int,
        recordings: Path,
        design: Mapping[str, int],
        work: Path,
        tell: Callable[[str], None],
    ) -> None:
        """Make stimuli of recordings of people; only for a variant that is made of them. `work`
        keeps what took long.
        """
        chosen = self._part("group_plan", "ClipDesign")(**design)
        self._part("recorded_clips", "write_recorded_clips")(
            folder, seed, recordings, chosen, work, tell
        )

    def write_town_days(
        self,
        study: Any,
        folder: Path,
        seed: int,
        runs: Mapping[str, Path],
        done: Callable[[Any], None],
    ) -> None:
        """Make stimuli of runs of the town, one folder for each condition; only where
        `shows_towns`.
        """
        self._part("stimuli", "write_town")(study, folder, seed, runs, done)

    @property
    def shows_towns(self) -> bool:
        """Whether its stimuli can be days of the town."""
        return self._has("stimuli") and hasattr(
            importlib.import_module(f"{self.package}.stimuli"), "write_town"
        )

    @property
    def writes_stimuli(self) -> bool:
        """Whether it writes the files of its stimuli itself."""
        return self._has("stimuli") and hasattr(
            importlib.import_module(f"{self.package}.stimuli"), "write"
        )

    @property
    def shows_agents(self) -> bool:
        """Whether clips of trained agents can be made for it."""
        return self._has("agent_clips")

    @property
    def masks(self) -> tuple[Any, ...]:
        """The covered parts in every film of the study: parts of the picture that reveal the
        player.
        """
        masks: tuple[Any, ...] = (
            getattr(importlib.import_module(f"{self.package}.stimuli"), "MASKS", ())
            if self._has("stimuli")
            else ()
        )
        return masks

    def _has(self, module: str) -> bool:
        return importlib.util.find_spec(f"{self.package}.{module}") is not None

    def _part(self, module: str, name: str) -> Any:
        try:
            return getattr(importlib.import_module(f"{self.package}.{module}"), name)
        except AttributeError:
            raise InvalidInput(
                f"protocol {self.name!r}: {self.package}/{module}.py has no {name}. Define it"
                " there."
            ) from None


@dataclass(frozen=True)
class Protocol(ReadyStudy):
    """A ready study with its analysis and simulated people.

    learn        the knowledge gained from it
    version      counts up when the study, the analysis or their defaults change so that results
                 differ
    declaration  the roles, outcomes and options of its analysis
    cites        its publications, the primary source first
    """

    learn: str
    version: int
    declaration: Declaration
    cites: tuple[Citation, ...]

    @property
    def analysis(self) -> Any:
        record: Any = self._part("analysis", "ANALYSIS")
        return record

    @property
    def people(self) -> Any:
        behaviour: Any = self._part("people", "PEOPLE")
        return behaviour

    @property
    def stimuli(self) -> Any:
        """How one of its demonstration recordings is made; None if there are none, or if its
        stimuli are films in the package.
        """
        if not self._has("stimuli"):
            return None
        maker: Any = getattr(importlib.import_module(f"{self.package}.stimuli"), "make", None)
        return maker

    @property
    def readme(self) -> str:
        return (self.folder / "README.md").read_text(encoding="utf-8")
