"""What needs the analyses of all protocols, for a process of its own: the server itself never imports this."""

from __future__ import annotations

from believable.analysis.registered import plan_hash
from believable.analysis.resolution import resolve
from believable.protocols import PROTOCOLS
from believable.report import live_report
from believable.report.live_records import LiveReport, ReportRequest
from believable.study.declaration import DeclaredPlan
from believable.study.records import Study


def compute(wish: ReportRequest) -> LiveReport:
    """Live results."""
    return live_report.compute(wish, PROTOCOLS)


def plan_digest(plan: DeclaredPlan, study: Study) -> str:
    """What names a declared plan once its roles are settled."""
    return plan_hash(resolve(plan, study, PROTOCOLS))
