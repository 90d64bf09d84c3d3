"""believable: find out whether people believe an agent.

The names of this module are the public ones; everything else may change from one version to the
next. Each is loaded when it is first asked for, so that `import believable` costs nothing.
"""

import sys

# `python -m believable` puts the current folder first on the path. It may be the folder of a
# stranger's study, whose `click.py` must not run. (While a package is looked up for `-m`,
# `sys.argv[0]` is "-m".) It must run before any other import.
if getattr(sys, "argv", [""])[:1] == ["-m"] and not sys.flags.safe_path and sys.path:
    del sys.path[0]

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

__all__ = [
    "AGENTS",
    "INSTRUMENTS",
    "PAGES",
    "PLAYERS",
    "PROTOCOLS",
    "WORLDS",
    "Agent",
    "Analysis",
    "BelievableError",
    "Bundle",
    "Definition",
    "Estimate",
    "Instrument",
    "InvalidInput",
    "MissingExtra",
    "PageKind",
    "Player",
    "Problem",
    "Protocol",
    "Recording",
    "ReportFigure",
    "Study",
    "StudyError",
    "TestResult",
    "World",
    "analyse",
    "check",
    "check_agent",
    "check_instrument",
    "check_protocol",
    "export",
    "figures",
    "join",
    "ladder",
    "load_study",
    "new",
    "power",
    "preregister",
    "publish",
    "read_bundle",
    "read_recording",
    "record",
    "record_rounds",
    "report",
    "revise",
    "simulate",
    "stats",
    "versus",
    "write_recording",
    "write_report",
]

if TYPE_CHECKING:
    from believable import stats
    from believable.analysis.findings import Analysis
    from believable.app.analyse import analyse
    from believable.app.check import check
    from believable.app.export import export
    from believable.app.join import join
    from believable.app.ladder import ladder
    from believable.app.new import new
    from believable.app.power import power
    from believable.app.preregister import preregister
    from believable.app.publish import publish
    from believable.app.record import record_rounds
    from believable.app.report import report
    from believable.app.revise import revise
    from believable.app.simulate import simulate
    from believable.app.study_data import load_study
    from believable.app.versus import versus
    from believable.bundle.read import Bundle
    from believable.bundle.read import read as read_bundle
    from believable.contracts.agent import Agent
    from believable.contracts.instrument import Instrument, check_instrument
    from believable.contracts.page import PageKind
    from believable.contracts.player import Player
    from believable.contracts.protocol import Protocol
    from believable.contracts.registries import (
        AGENTS,
        INSTRUMENTS,
        PAGES,
        PLAYERS,
        PROTOCOLS,
        WORLDS,
    )
    from believable.contracts.world import World
    from believable.core.errors import (
        BelievableError,
        InvalidInput,
        MissingExtra,
        Problem,
        StudyError,
    )
    from believable.protocols.conformance import check_protocol
    from believable.recordings.file import read as read_recording
    from believable.recordings.file import write as write_recording
    from believable.recordings.recording import Recording
    from believable.report.figures import ReportFigure, figures
    from believable.report.page import write_report
    from believable.stats.estimate import Estimate
    from believable.stats.result import TestResult
    from believable.study.definition import Definition
    from believable.study.records import Study
    from believable.worlds.agent_check import check_agent
    from believable.worlds.gym.recorder import record

#: Public name → its module, for running programs. A test compares it with the imports above.
_PLACES = {
    "BelievableError": "core.errors",
    "InvalidInput": "core.errors",
    "MissingExtra": "core.errors",
    "Problem": "core.errors",
    "StudyError": "core.errors",
    "new": "app.new",
    "check": "app.check",
    "simulate": "app.simulate",
    "power": "app.power",
    "preregister": "app.preregister",
    "analyse": "app.analyse",
    "record_rounds": "app.record",
    "report": "app.report",
    "export": "app.export",
    "join": "app.join",
    "publish": "app.publish",
    "revise": "app.revise",
    "versus": "app.versus",
    "ladder": "app.ladder",
    "load_study": "app.study_data",
    "write_report": "report.page",
    "ReportFigure": "report.figures",
    "figures": "report.figures",
    "stats": ":stats",
    "Study": "study.records",
    "Definition": "study.definition",
    "Bundle": "bundle.read",
    "read_bundle": "bundle.read:read",
    "Analysis": "analysis.findings",
    "Recording": "recordings.recording",
    "read_recording": "recordings.file:read",
    "write_recording": "recordings.file:write",
    "AGENTS": "contracts.registries",
    "INSTRUMENTS": "contracts.registries",
    "Instrument": "contracts.instrument",
    "check_instrument": "contracts.instrument",
    "Agent": "contracts.agent",
    "check_agent": "worlds.agent_check",
    "PAGES": "contracts.registries",
    "PageKind": "contracts.page",
    "PLAYERS": "contracts.registries",
    "Player": "contracts.player",
    "WORLDS": "contracts.registries",
    "World": "contracts.world",
    "record": "worlds.gym.recorder",
    "PROTOCOLS": "contracts.registries",
    "Protocol": "contracts.protocol",
    "check_protocol": "protocols.conformance",
    "Estimate": "stats.estimate",
    "TestResult": "stats.result",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _PLACES[name].partition(":")
    if module:
        value = getattr(import_module(f"{__name__}.{module}"), attribute or name)
    else:
        value = import_module(f"{__name__}.{attribute}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})


class _Package(ModuleType):
    """This package, of which some functions have the name of a subpackage.

    Importing `believable.simulate.crowd` would hide the function `believable.simulate` behind the
    subpackage: Python stores every imported module in its parent.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not (isinstance(value, ModuleType) and name in _PLACES and _PLACES[name][0] != ":"):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
