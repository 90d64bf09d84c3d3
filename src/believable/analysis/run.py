"""From a bundle to everything an analysis says: exclusions, sections, marks against the registered
plan, paragraphs.
"""

from __future__ import annotations

import datetime
import hashlib
import platform
from collections import Counter
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from importlib import metadata

import numpy as np

from believable import __version__
from believable.analysis import paragraphs
from believable.analysis.data import Data, load
from believable.analysis.evidence_section import evidence_sections, follow, judge_by_evidence
from believable.analysis.findings import Analysis, Cell, Section, Source, Table
from believable.analysis.instrument_comparison import instruments_compared
from believable.analysis.layouts import Layouts
from believable.analysis.moments import moments
from believable.analysis.numbers import counted, in_words, listed, number
from believable.analysis.registered import Deviation, Registration, deviations, plan_hash
from believable.analysis.resolution import default_plan, resolve
from believable.analysis.settled_plan import Plan
from believable.analysis.site_section import site_section
from believable.analysis.verdicts import Restraint, judge_findings, restraint_of, stopping
from believable.analysis.version_records import (
    DataVersion,
    check_definitions,
    data_versions,
    early_changes,
    version_deviations,
)
from believable.analysis.version_section import version_section, wordings
from believable.bundle.read import Bundle
from believable.contracts.registries import PROTOCOLS
from believable.core.errors import InvalidInput
from believable.core.seeds import derive
from believable.study.declaration import DeclaredPlan
from believable.study.definition import Definition
from believable.study.records import Study

LAYOUTS = Layouts(__file__)

#: About the tests of a study that stopped by its evidence.
FIXED_TESTS = (
    "The number of judges followed the evidence. Tests and intervals that assume a fixed number are"
    " for orientation; “Evidence after every judge” decides."
)
_LIBRARIES = ("numpy", "scipy")
#: Sections for any protocol; each returns none if it has no content.
ADDITIONS: tuple[Callable[[Data, Plan, np.random.Generator], tuple[Section, ...]], ...] = (
    moments,
    instruments_compared,
    evidence_sections,
)


def run(
    bundle: Bundle,
    registered: Registration | None = None,
    *,
    plan: DeclaredPlan | None = None,
    protocol: str | None = None,
    ended: bool = False,
) -> Analysis:
    """Analyse a bundle.

    registered  the plan on record; without one every result is exploratory
    protocols   those whose analyses are known
    plan        the plan to follow; without it, the one in the study definition of the bundle
    protocol    for a dataset whose study declares no analysis: that protocol's analysis with its
                defaults
    ended       collecting has ended although the stopping rule is not met: tests are shown,
                hypotheses stay unjudged
    """
    digest, study = study_of(bundle)
    settled = settle(study, plan, protocol)
    hashes = Hashes(digest, data_hash(bundle), plan_hash(settled))
    versions = data_versions(bundle)
    differences: tuple[Deviation, ...] = ()
    if registered is not None:
        differences = (
            *deviations(registered, settled),
            *early_changes(registered, bundle, versions),
        )
    return run_plan(
        bundle,
        study,
        settled,
        registered,
        hashes,
        versions=versions,
        differences=differences,
        ended=ended,
    )


@dataclass(frozen=True, slots=True)
class Hashes:
    """What identifies an analysis: the study's definition, the data and the plan."""

    definition: str
    data: str
    plan: str


def run_plan(
    bundle: Bundle,
    study: Study | None,
    settled: Plan,
    registered: Registration | None,
    hashes: Hashes,
    *,
    versions: Sequence[DataVersion],
    differences: tuple[Deviation, ...],
    ended: bool = False,
    unjudged: str = "",
) -> Analysis:
    """The analysis by a settled plan. `hashes` are those of the true study, even if names are
    hidden in the analysed data; so are `differences`, the changes of the true plan from the
    registered one. `versions` are those of `bundle`. `unjudged`: why no hypothesis may be judged,
    if so.
    """
    data = prepare_data(bundle, settled, study)
    analysis = settled.analysis
    rng = np.random.default_rng(derive(settled.seed, settled.protocol))
    sections = (participants(data, settled), *analysis.analyse(data, settled, rng))
    for addition in ADDITIONS:
        sections = (*sections, *addition(data, settled, rng))
    version_rng = np.random.default_rng(derive(settled.seed, "versions"))
    site_rng = np.random.default_rng(derive(settled.seed, "sites"))
    sections = (
        sections[0],
        *site_section(data, settled, site_rng),
        *version_section(data, settled, versions, registered, version_rng, hashes.definition),
        *sections[1:],
    )
    if registered is not None:
        differences = (
            *differences,
            *_in_the_data(registered, data, settled),
            *version_deviations(registered, versions),
        )
    restraint = restraint_of(stopping(data, settled), simulated=data.simulated, ended=ended)
    if unjudged and not restraint.verdicts:
        restraint = replace(
            restraint, verdicts=f"No hypothesis is judged: {unjudged}.", why=unjudged
        )
    judgement = judge_findings(
        sections, settled, registered, differences, restraint, _missing(data)
    )
    evidence = follow(data)
    if evidence is not None and not restraint.verdicts:
        weighed = judge_by_evidence(judgement.hypotheses, settled, evidence)
        judgement = replace(judgement, hypotheses=weighed)
    return Analysis(
        title=bundle.title,
        source=_source(data, settled, hashes, registered, versions),
        funnel=data.funnel,
        drops=data.drops,
        sections=tuple(_in_words(section) for section in judgement.sections),
        hypotheses=tuple(
            replace(
                hypothesis, title=in_words(hypothesis.title), verdict=in_words(hypothesis.verdict)
            )
            for hypothesis in judgement.hypotheses
        ),
        units={outcome.name: outcome.unit for outcome in settled.declaration.outcomes},
        deviations=tuple(in_words(difference.words) for difference in differences),
        methods=paragraphs.methods(
            data,
            settled,
            analysis,
            registered=registered,
            digest=hashes.plan,
            differences=differences,
            unjudged=unjudged,
            asked=wordings(versions, settled),
        ),
        results=paragraphs.results(data, settled, judgement, restraint, registered, differences),
        warnings=(
            *_warnings(data, registered, restraint),
            *_version_warnings(versions),
            *(() if evidence is None else (FIXED_TESTS,)),
            *analysis.warnings(data, settled),
        ),
        sources=tuple(source.words for source in settled.cites),
        bibtex="\n".join(source.bibtex for source in settled.cites),
    )


def _in_words(section: Section) -> Section:
    """Names of the study file are read as words wherever a sentence has them; cells of tables keep
    them.
    """
    return replace(
        section,
        title=in_words(section.title),
        paragraphs=tuple(in_words(text) for text in section.paragraphs),
        findings=tuple(
            replace(finding, title=in_words(finding.title), sentence=in_words(finding.sentence))
            for finding in section.findings
        ),
        tables=tuple(
            replace(table, title=in_words(table.title), note=in_words(table.note))
            for table in section.tables
        ),
        charts=tuple(
            replace(chart, title=in_words(chart.title), caption=in_words(chart.caption))
            for chart in section.charts
        ),
    )


def _missing(data: Data) -> str:
    """Why data may give no result: no session is left, or no participant saw a condition."""
    if not len(data):
        return "no session is left after exclusions"
    if data.study is None:
        return ""
    seen = set(data.table("shown")["condition"].values.tolist())
    unseen = [in_words(condition) for condition in data.study.conditions if condition not in seen]
    return (
        f"nobody saw {listed(unseen)}"
        if unseen and len(unseen) < len(data.study.conditions)
        else ""
    )


def study_of(bundle: Bundle) -> tuple[str, Study | None]:
    """The definition that most sessions are pinned to, by hash; None for data that came without
    one.
    """
    check_definitions(bundle)
    pinned = Counter(
        name for name in bundle["participants"]["definition"].values if name in bundle.definitions
    )
    if not bundle.definitions:
        return "", None
    digest = pinned.most_common(1)[0][0] if pinned else next(iter(bundle.definitions))
    return digest, Definition.from_json(bundle.definitions[digest]).study


def settle(study: Study | None, plan: DeclaredPlan | None, protocol: str | None) -> Plan:
    """The plan to follow: given, the study's own, or a protocol's defaults."""
    declared = plan if plan is not None else study.analysis if study is not None else None
    if declared is not None and protocol in (None, declared.protocol):
        return resolve(declared, study)
    if protocol is None:
        raise InvalidInput(
            "study: it declares no analysis, so it is not known what to compute. Add an `analysis:`"
            " block to study.yaml, or name a protocol: --protocol " + "|".join(PROTOCOLS.names)
        )
    return default_plan(protocol, study)


def prepare_data(bundle: Bundle, plan: Plan, study: Study | None) -> Data:
    """The data after the plan's exclusions and the protocol's own cleaning."""
    return plan.analysis.clean(load(bundle, plan, study), plan)


def _in_the_data(registered: Registration, data: Data, plan: Plan) -> tuple[Deviation, ...]:
    """Deviations that show in the data: collected before the registration, or not as far as
    planned. They change no number.
    """
    differences = []
    early = 0 if data.simulated else begun_before(registered, data)
    if early:
        words = (
            f"{early} of {len(data)} sessions began before the plan was registered"
            f" ({registered.registered_on})."
        )
        differences.append(Deviation("data.started_on", words))
    state = stopping(data, plan)
    if state.met is False:
        differences.append(
            Deviation("data.stopping", f"the stopping rule is not met. {state.words}", frozenset())
        )
    return tuple(differences)


def begun_before(registered: Registration, data: Data) -> int:
    """How many sessions began before the plan was registered. The participants table contains the
    day; for sessions of that very day the first event contains the time. A release has neither:
    there it was counted beforehand. In releases of earlier versions times count from each session's
    beginning, and the registration itself states how many sessions it found.
    """
    if not registered.registered_on:
        return 0
    if data.bundle.released is not None and data.bundle.released.begun_before_plan is not None:
        return data.bundle.released.begun_before_plan
    moment = datetime.datetime.fromisoformat(registered.registered_on).astimezone(datetime.UTC)
    day = moment.date().isoformat()
    column = data.people["started_on"]
    days = {
        session: str(start)
        for session, start, missing in zip(
            data.sessions, column.values, column.missing, strict=True
        )
        if not missing
    }
    same_day = {session for session, start in days.items() if start == day}
    first_ms = _first_events(data.bundle, same_day) if same_day else {}
    midnight_ms = 1000 * datetime.datetime.fromisoformat(f"{day}T00:00:00+00:00").timestamp()
    timed = [at_ms for at_ms in first_ms.values() if at_ms >= midnight_ms]
    untimed = min(len(same_day) - len(timed), registered.sessions_before or 0)
    earlier_days = sum(start < day for start in days.values())
    return earlier_days + sum(at_ms < 1000 * moment.timestamp() for at_ms in timed) + untimed


def _first_events(bundle: Bundle, sessions: Set[str]) -> dict[str, int]:
    """When the first event of each of these sessions was received."""
    first: dict[str, int] = {}
    for event in bundle.events():
        if event.session in sessions:
            first[event.session] = min(
                event.received_ms, first.get(event.session, event.received_ms)
            )
    return first


def _warnings(data: Data, registered: Registration | None, restraint: Restraint) -> tuple[str, ...]:
    """Doubts about this analysis; the marks of its source say that data are simulated or stimuli
    are placeholders.
    """
    doubts = [restraint.words] if restraint.words else []
    if registered is None:
        doubts.append("The plan was not preregistered: every result is exploratory.")
    if not len(data):
        doubts.append("No session is left after exclusions.")
    elif _missing(data):
        doubts.append(f"{_missing(data).capitalize()}: results about it are missing.")
    return tuple(doubts)


def _version_warnings(versions: Sequence[DataVersion]) -> tuple[str, ...]:
    if len(versions) < 2:
        return ()
    sizes = listed(
        [
            f"version {version.number}: {counted(version.n_sessions, 'session')}"
            for version in versions
        ]
    )
    return (f"The study changed while it ran ({sizes}): see “Versions of the study”.",)


def _source(
    data: Data,
    plan: Plan,
    hashes: Hashes,
    registered: Registration | None,
    versions: Sequence[DataVersion],
) -> Source:
    study = data.study
    blinded = hashes.definition not in {version.definition for version in versions}
    seeds = {"analysis": plan.seed} | ({} if study is None else {"study": study.seed})
    software = {"believable": __version__, "python": platform.python_version()}
    return Source(
        study=data.bundle.title,
        protocol=plan.protocol,
        definition=hashes.definition,
        data=hashes.data,
        plan=hashes.plan,
        seeds=seeds,
        versions=software | {name: metadata.version(name) for name in _LIBRARIES},
        simulated=data.simulated,
        demonstration=study is not None and study.demonstration,
        registered="" if registered is None else registered.hash,
        definitions=(
            {}
            if blinded or len(versions) < 2
            else {version.definition: version.n_sessions for version in versions}
        ),
    )


def data_hash(bundle: Bundle) -> str:
    """SHA-256 of the bundle's checksums; of the tables' content if there is no folder."""
    sums = bundle.folder / "SHA256SUMS"
    if sums.is_file():
        return hashlib.sha256(sums.read_bytes()).hexdigest()
    digest = hashlib.sha256()
    for name, table in sorted(bundle.tables.items()):
        for column in table.columns.values():
            digest.update(f"{name}.{column.field.name}".encode())
            values = column.values
            digest.update(
                "\x1f".join(map(str, values)).encode()
                if values.dtype == object
                else values.tobytes()
            )
    return digest.hexdigest()


_SPREAD = ("arm_", "order_")


def participants(data: Data, plan: Plan) -> Section:
    """The first section of every analysis."""
    kind = "simulated session" if data.simulated else "session"
    words = [f"{counted(len(data), kind)} analysed. {stopping(data, plan).words}"]
    duration = data.people["duration_ms"]
    known_min = duration.values[~duration.missing] / 60_000
    if len(known_min):
        low, middle, high = np.quantile(known_min, [0.25, 0.5, 0.75])
        words.append(
            f"A session took a median of {number(float(middle), 1)} minutes (quartiles"
            f" {number(float(low), 1)} and {number(float(high), 1)})."
        )
    spread = _spread(data)
    return LAYOUTS.section(
        "participants", paragraphs=words, tables=(spread,) if spread.rows else ()
    )


def _spread(data: Data) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, column in data.people.columns.items():
        if not name.startswith(_SPREAD):
            continue
        kind, _, label = name.partition("_")
        levels, counts = np.unique(column.values[~column.missing].astype(str), return_counts=True)
        rows += [
            (kind, label, str(level), int(count))
            for level, count in zip(levels, counts, strict=True)
        ]
    return LAYOUTS.table("balance", rows)
