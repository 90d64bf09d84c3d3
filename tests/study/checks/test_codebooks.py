"""Codebooks of the study file: what is wrong is said once, at its place, with a cure."""

from __future__ import annotations

from collections.abc import Callable

from believable.core.errors import Problem
from believable.study.definition import Definition
from believable.study.records import Study

Found = Callable[..., list[Problem]]

TIMELINE = """\
  - form:
      id: about
      questions:
        - {id: why, prompt: Why?, long_text: {}}
        - {id: age, prompt: How old?, number: {}}
  - finish: {}
"""


def test_a_ready_codebook_and_own_codes_are_sound(found: Found) -> None:
    extra = """\
    codebooks:
      - {id: reasons, ready: hntt, of: [about.why], codes: [{id: speed, label: Speed, definition: How fast it is.}]}
      - {id: understood, ready: hntt_understood}
    """
    assert found(TIMELINE, extra=extra) == []


def test_unknown_names_are_told_with_what_was_probably_meant(found: Found) -> None:
    extra = """\
    codebooks:
      - {id: reasons, ready: hnt}
      - id: more
        of: [about.whyy]
        codes: [{id: a, label: A, definition: A., wins_over: [bb]}, {id: b, label: B, definition: B.}]
    """
    told = [str(one) for one in found(TIMELINE, extra=extra)]
    assert any(
        "codebooks[0].ready: unknown ready codebook 'hnt'. Did you mean 'hntt'?" in one
        for one in told
    )
    assert any(
        "codebooks[1].of[0]: unknown free text 'about.whyy'. Did you mean 'about.why'?" in one
        for one in told
    )
    assert any(
        "codebooks[1].codes[0].wins_over: unknown code 'bb'. Did you mean 'b'?" in one
        for one in told
    )
    assert len(told) == 3


def test_a_number_is_no_free_text(found: Found) -> None:
    extra = "codebooks: [{id: reasons, ready: hntt, of: [about.age]}]\n"
    assert [one.path for one in found(TIMELINE, extra=extra)] == ["codebooks[0].of[0]"]


def test_relations_that_cannot_hold(found: Found) -> None:
    extra = """\
    codebooks:
      - id: book
        codes:
          - {id: a, label: A, definition: A., parent: b, wins_over: [b], excludes: [a]}
          - {id: b, label: B, definition: B., parent: a, wins_over: [a], keywords: [fast +]}
          - {id: b, label: B, definition: B.}
    """
    told = " ".join(str(one) for one in found(TIMELINE, extra=extra))
    assert "a names itself in excludes." in told
    assert "win over each other" in told
    assert "is its own ancestor" in told
    assert "keyword 'fast +' has a direction, but b has none." in told
    assert "there are 2 codes called b" in told


def test_a_codebook_without_codes(found: Found) -> None:
    told = found(TIMELINE, extra="codebooks: [{id: empty}]\n")
    assert [one.message for one in told] == ["codebook empty has no codes."]


def test_the_study_holds_its_codebooks(loaded: Callable[..., Definition]) -> None:
    study: Study = loaded(TIMELINE, extra="codebooks: [{id: reasons, ready: replay}]\n").study
    assert study.codebooks[0].ready == "replay"
