"""The contract of every protocol. Authors run `check_protocol(MINE)` in a test."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import is_dataclass

import numpy as np

from believable.analysis.findings import Analysis
from believable.analysis.run import run
from believable.bundle.read import Bundle
from believable.contracts.protocol import Declaration, Protocol, problem_of
from believable.contracts.record import ID_PATTERN
from believable.contracts.registries import PROTOCOLS
from believable.contracts.texts import part_text_problems
from believable.core.citation import Citation
from believable.core.errors import BelievableError
from believable.core.registry import must_keep_contract
from believable.simulate import straight
from believable.simulate.behaviour import Behaviour
from believable.simulate.demonstration import make
from believable.study.definition import Definition
from believable.study.load import load, problems

#: Enough for every outcome of the ready studies to be defined, few enough for a test.
PARTICIPANTS, SEED = 24, 1


def check_protocol(protocol: Protocol) -> None:
    """Raises InvalidInput with everything that breaks the contract; returns quietly otherwise."""
    with PROTOCOLS.including(protocol):
        must_keep_contract("protocol", protocol.name, _faults(protocol))


def _faults(protocol: Protocol) -> Iterator[str]:
    yield from _record_faults(protocol)
    yield from _declaration_faults(protocol.declaration)
    try:
        study_problems = problems(protocol.folder)
        if study_problems:
            yield from (f"its study: {problem}" for problem in study_problems)
            return
        definition = load(protocol.folder)
        yield from _study_faults(protocol, definition)
        if definition.study.analysis is None:
            return
        yield from _stimulus_faults(protocol, definition)
        bundle = straight.bundle(definition, PARTICIPANTS, np.random.default_rng(SEED))
        yield from _people_faults(protocol, bundle)
        yield from _analysis_faults(protocol, definition, run(bundle))
    except BelievableError as error:
        yield str(error)


def _record_faults(protocol: Protocol) -> Iterator[str]:
    if not re.match(ID_PATTERN, protocol.name):
        yield f"its name does not match {ID_PATTERN}; it is a word of study files."
    if protocol.version < 1:
        yield "its version must be 1 or more."
    for name, words in (("about", protocol.about), ("learn", protocol.learn)):
        if not words.endswith("."):
            yield f"`{name}` must be a sentence."
    if not (protocol.folder / "README.md").is_file():
        yield f"there is no README.md in {protocol.folder.name}/."
    elif protocol.name not in protocol.readme:
        yield "its README.md does not name it."
    yield from part_text_problems(protocol.folder)
    if not protocol.cites:
        yield "it cites nothing (`cites`); say where it was published, or that it was not."
    for citation in protocol.cites:
        yield from _citation_faults(citation)


def _citation_faults(citation: Citation) -> Iterator[str]:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", citation.key) or not citation.title:
        yield f"citation {citation.key!r}: expected a key of small letters and digits, and a title."
    if not citation.note and not (citation.authors and citation.year and citation.venue):
        yield f"citation {citation.key!r}: without authors, year or venue its `note` must say why."


def _declaration_faults(declaration: Declaration) -> Iterator[str]:
    options = [
        *declaration.options,
        *(option for outcome in declaration.outcomes for option in outcome.tests),
    ]
    for option in options:
        wanted = problem_of(option, option.default)
        if wanted is not None:
            yield f"option {option.name!r}: its default should be {wanted}."
    for what, items in (
        ("role", declaration.roles),
        ("outcome", declaration.outcomes),
        ("option", declaration.options),
    ):
        names = [item.name for item in items]
        if len(names) != len(set(names)):
            yield f"two of its {what}s have the same name."
        yield from (
            f"{what} {item.name!r} does not describe itself (`about`)."
            for item in items
            if not item.about
        )
    yield from (
        f"role {role.name!r} has no default." for role in declaration.roles if not role.defaults
    )


def _study_faults(protocol: Protocol, definition: Definition) -> Iterator[str]:
    analysis, declaration = protocol.analysis, protocol.declaration
    if declaration.name != protocol.name:
        yield f"its declaration is called {declaration.name!r}."
    if analysis.declaration is not declaration:
        yield "its analysis declares something else than the record."
    plan = definition.study.analysis
    if plan is None or plan.protocol != protocol.name:
        yield f"study.yaml declares no analysis with `protocol: {protocol.name}`."


def _stimulus_faults(protocol: Protocol, definition: Definition) -> Iterator[str]:
    study, maker = definition.study, protocol.stimuli
    if maker is None:
        if study.stimuli and not protocol.writes_stimuli:
            yield "its study shows stimuli, but there is no stimuli.py that makes or writes them."
        return
    if not study.demonstration:
        yield "its stimuli are made by code, so the study must say `demonstration: true`."
    first = study.stimuli[0]
    if make(maker, study, first, SEED) != make(maker, study, first, SEED):
        yield f"stimulus {first.id!r} differs from one time to the next with the same seed."


def _people_faults(protocol: Protocol, bundle: Bundle) -> Iterator[str]:
    people: Behaviour = protocol.people
    if not is_dataclass(people.truth) or not isinstance(people.nothing(), people.truth):
        yield "`nothing` must give a record of `truth`, a dataclass with defaults."
    outcomes = bundle["participants"]["outcome"].cells()
    if outcomes.count("complete") < PARTICIPANTS // 2:
        yield (
            f"of {PARTICIPANTS} simulated people only {outcomes.count('complete')} get to the end"
            " of its study."
        )


def _analysis_faults(
    protocol: Protocol, definition: Definition, analysis: Analysis
) -> Iterator[str]:
    plan = definition.study.analysis
    findings = {finding.outcome for section in analysis.sections for finding in section.findings}
    for outcome in protocol.declaration.outcomes:
        if outcome.name not in findings and not outcome.needs:
            yield (
                f"outcome {outcome.name!r} is not computed for its own study; say in `needs` what"
                " it takes."
            )
    for hypothesis in plan.hypotheses if plan is not None else ():
        if hypothesis.outcome not in findings:
            yield (
                f"hypothesis {hypothesis.id} is about {hypothesis.outcome!r}, which has no result."
            )
    if not analysis.methods.strip():
        yield "its analysis says nothing about its methods."
