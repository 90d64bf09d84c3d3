"""From a bundle to everything an analysis says: exclusions, sections, marks against the registered plan, paragraphs."""

from __future__ import annotations

import hashlib
import platform
from collections import Counter
from importlib import metadata

import numpy as np

from believable import __version__
from believable.analysis import paragraphs
from believable.analysis.data import Data, load
from believable.analysis.judged import judged
from believable.analysis.participants import participants
from believable.analysis.plan import Plan, resolve, undeclared
from believable.analysis.protocols import ADDITIONS, PROTOCOL_ANALYSES
from believable.analysis.records import Analysis, Source
from believable.analysis.registered import Deviation, Registration, deviations, plan_hash
from believable.analysis.stopping import stopping
from believable.bundle.read import Bundle
from believable.core.errors import InvalidInput
from believable.core.seeds import derive
from believable.instruments import INSTRUMENTS
from believable.study.declared import Plan as DeclaredPlan
from believable.study.definition import Definition
from believable.study.records import Study

_LIBRARIES = ("numpy", "scipy")


def run(
    bundle: Bundle,
    registered: Registration | None = None,
    *,
    plan: DeclaredPlan | None = None,
    protocol: str | None = None,
) -> Analysis:
    """Analyse a bundle.

    registered  the plan on record; without one every result is exploratory
    plan        the plan to follow; without it, the one in the study definition of the bundle
    protocol    for a dataset whose study declares no analysis: that protocol's analysis with its defaults
    """
    digest, study = study_of(bundle)
    settled = settle(study, plan, protocol)
    data = prepared(bundle, settled, study)
    analysis = PROTOCOL_ANALYSES[settled.protocol]
    rng = np.random.default_rng(derive(settled.seed, settled.protocol))
    sections = (participants(data, settled), *analysis.analyse(data, settled, rng))
    for addition in ADDITIONS:
        sections = (*sections, *addition(data, settled, rng))
    differences = (
        ()
        if registered is None
        else (*deviations(registered, settled), *_in_the_data(registered, data, settled))
    )
    sections = judged(sections, settled, registered, differences)
    findings = [finding for section in sections for finding in section.findings]
    return Analysis(
        title=bundle.title,
        source=_source(data, settled, digest, registered),
        funnel=data.funnel,
        drops=data.drops,
        sections=sections,
        deviations=tuple(one.words for one in differences),
        methods=paragraphs.methods(data, settled, analysis, registered, plan_hash(settled)),
        results=paragraphs.results(data, settled, findings, registered, differences),
        warnings=(*_warnings(data, registered), *analysis.warnings(data, settled)),
    )


def study_of(bundle: Bundle) -> tuple[str, Study | None]:
    """The definition that most sessions are pinned to, by hash; None for data that came without one."""
    pinned = Counter(
        name for name in bundle["participants"]["definition"].values if name in bundle.definitions
    )
    if not bundle.definitions:
        return "", None
    digest = pinned.most_common(1)[0][0] if pinned else next(iter(bundle.definitions))
    return digest, Definition.from_json(bundle.definitions[digest], INSTRUMENTS).study


def settle(study: Study | None, plan: DeclaredPlan | None, protocol: str | None) -> Plan:
    """The plan to follow: given, the study's own, or a protocol's defaults."""
    declared = plan if plan is not None else study.analysis if study is not None else None
    if declared is not None and protocol in (None, declared.protocol):
        return resolve(declared, study)
    if protocol is None:
        raise InvalidInput(
            "study: it declares no analysis, so it is not known what to compute. Add an `analysis:` block to study.yaml,"
            " or name a"
            " protocol: --protocol " + "|".join(PROTOCOL_ANALYSES.names)
        )
    return undeclared(protocol, study)


def prepared(bundle: Bundle, plan: Plan, study: Study | None) -> Data:
    """The data after the plan's exclusions and the protocol's own cleaning."""
    return PROTOCOL_ANALYSES[plan.protocol].clean(load(bundle, plan, study), plan)


def _in_the_data(registered: Registration, data: Data, plan: Plan) -> tuple[Deviation, ...]:
    """Deviations that show in the data: collected before the registration, or not as far as planned. They change no number."""
    found = []
    day = registered.registered_on[:10]
    started = data.people["started_on"]
    if day and not data.simulated:
        early = sum(
            1
            for one, missing in zip(started.values, started.missing, strict=True)
            if not missing and one < day
        )
        if early:
            words = f"{early} of {len(data)} sessions began before the plan was registered ({day})."
            found.append(Deviation("data.started_on", words))
    state = stopping(data, plan)
    if state.met is False:
        found.append(Deviation("data.stopping", f"the stopping rule is not met. {state.words}", frozenset()))
    return tuple(found)


def _warnings(data: Data, registered: Registration | None) -> tuple[str, ...]:
    """Doubts about this analysis; that data are simulated or stimuli stand-ins is said by the marks of its source."""
    found = []
    if registered is None:
        found.append("The plan was not preregistered: every result is exploratory.")
    if not len(data):
        found.append("No session is left after exclusions.")
    return tuple(found)


def _source(data: Data, plan: Plan, definition: str, registered: Registration | None) -> Source:
    study = data.study
    seeds = {"analysis": plan.seed} | ({} if study is None else {"study": study.seed})
    versions = {"believable": __version__, "python": platform.python_version()}
    return Source(
        study=data.bundle.title,
        protocol=plan.protocol,
        definition=definition,
        data=data_hash(data.bundle),
        plan=plan_hash(plan),
        seeds=seeds,
        versions=versions | {name: metadata.version(name) for name in _LIBRARIES},
        simulated=data.simulated,
        demonstration=study is not None and study.demonstration,
        registered="" if registered is None else registered.hash,
    )


def data_hash(bundle: Bundle) -> str:
    """SHA-256 of the bundle's checksums; of the tables' content where there is no folder."""
    sums = bundle.folder / "SHA256SUMS"
    if sums.is_file():
        return hashlib.sha256(sums.read_bytes()).hexdigest()
    digest = hashlib.sha256()
    for name, table in sorted(bundle.tables.items()):
        for column in table.columns.values():
            digest.update(f"{name}.{column.field.name}".encode())
            values = column.values
            digest.update(
                "\x1f".join(map(str, values)).encode() if values.dtype == object else values.tobytes()
            )
    return digest.hexdigest()
