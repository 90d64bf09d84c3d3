"""What a protocol is: one folder with everything it takes to run a published way of asking people,
behind one declared record.

    protocols/<name>/__init__.py   <NAME>, the record; `read_protocol` reads it from the next file
    protocols/<name>/protocol.yaml what it is and where it was published; roles, outcomes and
    options of its analysis protocols/<name>/study.yaml    the ready study, with the pages it names
    in pages/ protocols/<name>/analysis.py   ANALYSIS: what is computed and how it is said
    protocols/<name>/tables.yaml   how its tables and figures are laid out
    (`believable.analysis.layouts`) protocols/<name>/people.py     PEOPLE: how simulated
    participants behave, what is planted, what holds of it protocols/<name>/stimuli.py
    demonstration stimuli, where the study shows any: `make` for recordings, or `write`
    protocols/<name>/agent_clips.py  `write_agent_clips`, where it can show runs of trained agents
    beside people's protocols/<name>/recorded_clips.py  `write_recorded_clips`, where its clips can
    be made of recordings of people protocols/<name>/README.md     what it is, for people

Only the record and the declaration are imported when protocols are looked up; the other parts are
when they are used. `believable.protocols.conformance.check_protocol` checks a protocol, ours or
somebody else's.
"""

from __future__ import annotations

import importlib
import importlib.util
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from believable.core.citation import Citation
from believable.core.data_files import read_blocks
from believable.core.errors import InvalidInput, Refused
from believable.study.declaration import Declaration, Option, Outcome, Role

if TYPE_CHECKING:
    from believable.analysis.protocol import ProtocolAnalysis
    from believable.protocols.own_clips import MaskShare
    from believable.simulate.behaviour import Behaviour
    from believable.simulate.demonstration import StimulusMaker
    from believable.study.records import Stimulus, Study

STUDY_FILES = ("study.yaml", "pages")
#: What `believable stimuli` makes, perhaps before there is a study.
STIMULUS_FOLDERS = ("sources", "stimuli")


@dataclass(frozen=True, slots=True)
class ShownAgents:
    """What a study of trained agents shows.

    agents        their names; several in one study: each judge sees pairs of all of them
    humans        a folder with recordings of people; None: a stand-in, which the study says
    runs          runs of each agent that clips are drawn from
    people_pairs  control: pairs of two people, where nobody can be right
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

    about    what people do in it, and how long it takes
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
        study: Study,
        folder: Path,
        seed: int,
        done: Callable[[Stimulus], None] = lambda stimulus: None,
    ) -> None:
        """Make the demonstration stimuli of the study into its folder; nothing where it shows none
        of its own.
        """
        if self._has("stimuli"):
            self._part("stimuli", "write")(study, folder, seed, done)

    def write_agent_clips(
        self, study: Study, folder: Path, seed: int, shown: ShownAgents, done: Callable[[int], None]
    ) -> None:
        """Make stimuli of runs of trained agents beside people's, and the study about them; only
        where `shows_agents`.
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
        study: Study,
        folder: Path,
        seed: int,
        runs: Mapping[str, Path],
        done: Callable[[Stimulus], None],
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
    def shows_agents(self) -> bool:
        """Whether clips of trained agents can be made for it."""
        return self._has("agent_clips")

    @property
    def masks(self) -> tuple[MaskShare, ...]:
        """What is covered in every film that the study shows: parts of the picture that tell who
        plays.
        """
        masks: tuple[MaskShare, ...] = (
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

    learn        what is learned from it
    version      counts up when the study, the analysis or their defaults change so that results
                 differ
    declaration  the roles, outcomes and options of its analysis
    cites        where it was published, first its own source
    """

    learn: str
    version: int
    declaration: Declaration
    cites: tuple[Citation, ...]

    @property
    def analysis(self) -> ProtocolAnalysis:
        record: ProtocolAnalysis = self._part("analysis", "ANALYSIS")
        return record

    @property
    def people(self) -> Behaviour:
        behaviour: Behaviour = self._part("people", "PEOPLE")
        return behaviour

    @property
    def stimuli(self) -> StimulusMaker | None:
        """How one of its demonstration recordings is made; None where there are none."""
        if not self._has("stimuli"):
            return None
        maker: StimulusMaker = self._part("stimuli", "make")
        return maker

    @property
    def readme(self) -> str:
        return (self.folder / "README.md").read_text(encoding="utf-8")


def read_protocol(package: str, module: str) -> Protocol:
    """The protocol in `protocol.yaml` beside the module of this package: a block for itself, one
    for each role, outcome, option and published source, with the fields of its record.
    """
    blocks = dict(read_blocks(Path(module).with_name("protocol.yaml")))
    protocol, name = _tuples(blocks.pop("protocol")), package.rpartition(".")[2]
    parts: dict[str, list[Any]] = {"role": [], "outcome": [], "option": [], "source": []}
    records = {"role": Role, "outcome": Outcome, "option": Option, "source": Citation}
    for block, fields in blocks.items():
        kind, _, part = block.partition(" ")
        if "tests" in fields:
            fields = fields | {"tests": [Option(**_tuples(option)) for option in fields["tests"]]}
        parts[kind].append(records[kind](part, **_tuples(fields)))
    roles, outcomes, options, sources = map(tuple, parts.values())
    about = {key: protocol.pop(key) for key in ("about", "learn", "version")}
    declaration = Declaration(name, protocol.pop("analysis"), roles, outcomes, options, **protocol)
    return Protocol(name=name, package=package, declaration=declaration, cites=sources, **about)


def _tuples(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()
    }
