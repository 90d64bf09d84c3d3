"""believable: find out whether people believe an agent.

The names of this module are the public ones; everything else may change from one version to the
next. Each is loaded when it is first asked for, so that `import believable` costs nothing.
"""

import sys

# `python -m believable` puts the current folder first on the path. It may be the folder of a
# stranger's study, whose `click.py` must not run. (While a package is looked up for `-m`,
# `sys.argv[0]` is "-m".) This comes before any other import.
if getattr(sys, "argv", [""])[:1] == ["-m"] and not sys.flags.safe_path and sys.path:
    del sys.path[0]

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

__all__ = [
    "INSTRUMENTS",
    "PAGES",
    "PLAYERS",
    "PROTOCOLS",
    "WORLDS",
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
    "check_instrument",
    "check_protocol",
    "check_study",
    "figures",
    "load_study",
    "new_study",
    "read_bundle",
    "read_recording",
    "record",
    "simulate_study",
    "stats",
    "write_recording",
    "write_report",
]

if TYPE_CHECKING:
    from believable import stats
    from believable.analysis.findings import Analysis
    from believable.bundle.read import Bundle
    from believable.bundle.read import read as read_bundle
    from believable.core.errors import (
        BelievableError,
        InvalidInput,
        MissingExtra,
        Problem,
        StudyError,
    )
    from believable.instruments import INSTRUMENTS
    from believable.instruments.contract import Instrument, check_instrument
    from believable.pages import PAGES
    from believable.pages.contract import PageKind
    from believable.players import PLAYERS
    from believable.players.contract import Player
    from believable.protocols import PROTOCOLS
    from believable.protocols.conformance import check_protocol
    from believable.protocols.contract import Protocol
    from believable.recordings.file import read as read_recording
    from believable.recordings.file import write as write_recording
    from believable.recordings.recording import Recording
    from believable.report.figures import ReportFigure, figures
    from believable.report.page import write_report
    from believable.stats.estimate import Estimate
    from believable.stats.result import TestResult
    from believable.study.definition import Definition
    from believable.study.records import Study
    from believable.workflow import analyse, check_study, load_study, new_study, simulate_study
    from believable.worlds import WORLDS
    from believable.worlds.contract import World
    from believable.worlds.gym.rollouts import record

#: Public name → where it is. The same as above for whoever runs the program; a test compares the
#: two.
_PLACES = {
    "BelievableError": "core.errors",
    "InvalidInput": "core.errors",
    "MissingExtra": "core.errors",
    "Problem": "core.errors",
    "StudyError": "core.errors",
    "new_study": "workflow",
    "check_study": "workflow",
    "load_study": "workflow",
    "simulate_study": "workflow",
    "analyse": "workflow",
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
    "INSTRUMENTS": "instruments",
    "Instrument": "instruments.contract",
    "check_instrument": "instruments.contract",
    "PAGES": "pages",
    "PageKind": "pages.contract",
    "PLAYERS": "players",
    "Player": "players.contract",
    "WORLDS": "worlds",
    "World": "worlds.contract",
    "record": "worlds.gym.rollouts",
    "PROTOCOLS": "protocols",
    "Protocol": "protocols.contract",
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
