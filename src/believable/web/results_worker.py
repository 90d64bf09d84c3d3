"""What needs the analyses of all protocols, for a process of its own: the server itself never imports this."""

from __future__ import annotations

from believable.analysis.registered import plan_hash
from believable.analysis.resolution import resolve
from believable.pages import KINDS
from believable.protocols import PROTOCOLS
from believable.report import live_report
from believable.report.live_records import LiveReport, ReportRequest
from believable.study.definition import Definition


def compute(wish: ReportRequest) -> LiveReport:
    """Live results."""
    return live_report.compute(wish, PROTOCOLS)


def plan_digest(definition: str) -> str:
    """What names the plan that a stored definition declares, once its roles are settled."""
    study = Definition.from_json(definition, KINDS).study
    assert study.analysis is not None
    return plan_hash(resolve(study.analysis, study, PROTOCOLS))
