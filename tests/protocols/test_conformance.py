"""Every registered protocol keeps the contract, and one that breaks it is told everything at
once.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from believable.contracts.protocol import Protocol
from believable.contracts.registries import PROTOCOLS
from believable.core.citation import Citation
from believable.core.errors import InvalidInput
from believable.protocols.conformance import check_protocol


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_a_protocol_keeps_the_contract(protocol: Protocol) -> None:
    check_protocol(protocol)


def test_what_is_wrong_is_told_all_at_once() -> None:
    broken = replace(
        PROTOCOLS["qa"], name="Q A", version=0, learn="", cites=(Citation(key="Ä", title="Title"),)
    )
    with pytest.raises(InvalidInput, match="protocol 'Q A' breaks the contract") as caught:
        check_protocol(broken)
    for words in (
        "its name does not match",
        "its version must be 1 or more",
        "`learn` must be a sentence",
        "README.md does not name it",
        "citation 'Ä': expected a key",
        "citation 'Ä': without authors",
        "study.yaml declares no analysis with `protocol: Q A`",
    ):
        assert words in str(caught.value), words


def test_an_outcome_that_is_never_computed_is_told() -> None:
    qa = PROTOCOLS["qa"]
    outcomes = tuple(
        replace(outcome, name="other") if outcome.name == "gate" else outcome
        for outcome in qa.declaration.outcomes
    )
    with pytest.raises(InvalidInput, match=r"its analysis declares something else|unknown outcome"):
        check_protocol(replace(qa, declaration=replace(qa.declaration, outcomes=outcomes)))


def test_citations_are_written_as_words_and_as_bibtex() -> None:
    citation = PROTOCOLS["hntt"].cites[0]
    assert citation.words.startswith("Milani, S., Juliani, A., Momennejad, I.")
    assert citation.words.endswith("https://doi.org/10.1145/3544548.3581348")
    assert citation.bibtex.startswith(
        "@inproceedings{milani2023,\n  author = {Milani, Stephanie and Juliani, Arthur and"
    )
    unpublished = PROTOCOLS["replay"].cites[0]
    assert "author =" not in unpublished.bibtex
    assert unpublished.bibtex.startswith("@misc{")
