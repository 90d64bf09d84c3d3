"""The words that a study file may use for kinds of questions, annotations and pages."""

from __future__ import annotations

from believable.contracts.instrument import Scale
from believable.contracts.registries import INSTRUMENTS, PAGES
from believable.contracts.trial import Block, TrialBase


def answering() -> list[str]:
    """The instruments that can be asked."""
    return [kind.name for kind in INSTRUMENTS if kind.use == "answer"]


def annotating() -> list[str]:
    """The instruments that are used while watching."""
    return [kind.name for kind in INSTRUMENTS if kind.use == "annotate"]


def kinds_on(*scales: Scale) -> frozenset[str]:
    """The instruments whose answers are on one of these scales."""
    return frozenset(kind.name for kind in INSTRUMENTS if kind.scale in scales)


def item_kinds() -> dict[str, type[TrialBase]]:
    """The word for each kind of timeline item, and its record."""
    return {page.name: page.record for page in PAGES if page.record.in_file} | {"block": Block}


def whole_forms() -> dict[str, type[TrialBase]]:
    """The same with every key that an entry of the kind may have."""
    return {name: record.form_for(None) for name, record in item_kinds().items()}
