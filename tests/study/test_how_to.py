"""Every snippet of docs/how-to/write-a-study.md loads, and its messages are real ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from believable.core.clock import VirtualClock
from believable.core.nodes import parse
from believable.study.load import load, problems
from believable.study.plan import choose, plan
from believable.study.schema import json_schema

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "write-a-study.md"
PLANTED = Path(__file__).parent / "planted"


def blocks(language):
    return re.findall(
        rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )


SNIPPETS = blocks("yaml")


def top_level_keys(text):
    tree, found = parse(text.encode(), "snippet")
    assert found == []
    return set(tree.value)


def completed(snippet):
    """The snippet with the parts of the first one that it leaves out."""
    given = top_level_keys(snippet)
    parts = re.split(r"^(?=[a-z])", SNIPPETS[0], flags=re.MULTILINE)
    return snippet + "".join(part for part in parts if part.partition(":")[0] not in given and part)


def test_there_are_snippets():
    assert len(SNIPPETS) > 8


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda text: text.splitlines()[1].strip())
def test_every_snippet_loads_without_a_problem(snippet, tmp_path):
    (tmp_path / "pages").mkdir()
    for name in ("consent.md", "consent.de.md"):
        (tmp_path / "pages" / name).write_text("# Consent\n")
    (tmp_path / "study.yaml").write_text(completed(snippet), encoding="utf-8")
    assert problems(tmp_path, clock=VirtualClock()) == []
    definition = load(tmp_path)
    assert list(Draft202012Validator(json_schema()).iter_errors(definition.tree)) == []
    study = definition.study
    assert plan(study, choose(study, {}, 1))[-1].trial.kind == "finish"


def test_the_messages_are_real():
    (shown,) = blocks("text")
    real = [str(problem) for problem in problems(PLANTED)]
    assert shown.splitlines() == real[:2]
