"""A good study, damaged at random: there is always an answer, never a traceback, and what passes
the checks can be planned.
"""

from __future__ import annotations

import json
from copy import deepcopy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from believable.core.clock import VirtualClock
from believable.study.definition import Definition
from believable.study.load import load, problems
from believable.study.plan import choose, plan

Q = {"id": "q", "prompt": {"en": "Q", "de": "F"}, "number": {"min": 0, "max": 9}}
GOOD = {
    "believable": 1,
    "title": {"en": "A", "de": "B"},
    "seed": 7,
    "languages": ["en", "de"],
    "conditions": ["human", "scripted"],
    "stimuli": [
        {"id": f"{name[0]}{i}", "file": f"{name[0]}{i}.mp4", "condition": name, "scenario": f"s{i}"}
        for name in ("human", "scripted")
        for i in range(4)
    ],
    "arms": {"tool": ["one", "two"]},
    "recruit": {"platform": "custom", "id_parameter": "pid", "limit": 100, "closes": "2099-01-01"},
    "texts": {"de": {"landing.start": "Los"}},
    "timeline": [
        {
            "consent": {
                "page": {"en": "pages/consent.md", "de": "pages/consent.md"},
                "require": ["adult", "agree"],
            }
        },
        {
            "form": {
                "id": "f",
                "questions": [Q, {"id": "m", "prompt": "?", "matrix": {"rows": ["1", "2"]}}],
            }
        },
        {
            "check": {
                "id": "c",
                "question": {"prompt": "?", "choice": {"options": ["1", "2"]}},
                "correct": "2",
                "on_fail": "fail",
            }
        },
        {
            "block": {
                "order": "latin_square",
                "over": "condition",
                "repeat": 2,
                "breaks": {"every": 1},
                "skip_if": {"answer": "f.q", "at_least": 3},
                "each": [
                    {"watch": {"stimulus": "any", "ask": [Q]}},
                    {"rate": {"of": ["watch"], "questions": [Q]}},
                ],
            }
        },
        {"block": {"order": "random", "over": "stimulus", "sample": 2, "each": ["watch"]}},
        {"text": {"text": "1", "skip_if": {"arm": "tool", "is": "one"}}},
        {"finish": {"redirect": {"complete": "https://example.org/?pid={pid}&code={code}"}}},
    ],
}


def paths(tree, path=()):
    """Every place in the tree."""
    items = (
        tree.items()
        if isinstance(tree, dict)
        else enumerate(tree)
        if isinstance(tree, list)
        else ()
    )
    for key, value in items:
        yield (*path, key)
        yield from paths(value, (*path, key))


ALL_PATHS = list(paths(GOOD))
#: Keys that the format knows; the names of arms are the author's own.
KNOWN_KEYS = [
    path
    for path in ALL_PATHS
    if (isinstance(path[-1], str) and path[0] != "arms") or path == ("arms",)
]
WORDS = [
    "any",
    "all",
    "human",
    "f.q",
    "f.m.1",
    "watch",
    "random",
    "auto",
    "",
    "x" * 70,
    "é",
    "../x",
    "{",
    "<<",
    "*",
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 5) | st.just(1.5) | st.sampled_from(WORDS),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["id", "en", "watch", "x"]), inner, max_size=2)
    ),
    max_leaves=4,
)


def at(tree, path):
    for key in path:
        tree = tree[key]
    return tree


@st.composite
def damaged(draw):
    tree = json.loads(json.dumps(GOOD))
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(ALL_PATHS))
        try:
            holder = at(tree, path[:-1])
            what = draw(st.sampled_from(["replace", "remove", "copy", "rename"]))
            if what == "replace":
                holder[path[-1]] = draw(VALUES)
            elif what == "remove":
                del holder[path[-1]]
            elif what == "copy":
                other = draw(st.sampled_from(ALL_PATHS))
                holder[path[-1]] = deepcopy(at(tree, other))
            elif isinstance(holder, dict):
                holder[f"{path[-1]}s"] = holder.pop(path[-1])
        except (KeyError, IndexError, TypeError, AttributeError):
            continue
    return tree


def write(folder, tree):
    (folder / "pages").mkdir(exist_ok=True)
    (folder / "pages" / "consent.md").write_text("# Consent\n")
    (folder / "study.yaml").write_text(json.dumps(tree, indent=1), encoding="utf-8")


def test_the_undamaged_study_has_no_problems(tmp_path):
    write(tmp_path, GOOD)
    assert problems(tmp_path, clock=VirtualClock()) == []


@settings(
    max_examples=4 * settings.default.max_examples,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(tree=damaged())
def test_damage_is_reported_or_harmless(tmp_path, tree):
    write(tmp_path, tree)
    found = problems(tmp_path, clock=VirtualClock())
    assert all(problem.message and problem.cure and problem.line >= 1 for problem in found)
    if any(problem.severity == "error" for problem in found):
        return
    definition = load(tmp_path, clock=VirtualClock())
    assert Definition.from_json(definition.to_json()) == definition
    for number in range(1, 5):
        trials = plan(definition.study, choose(definition.study, {}, number))
        assert trials[-1].trial.kind == "finish"


@pytest.mark.parametrize("path", KNOWN_KEYS, ids=lambda path: ".".join(map(str, path)))
def test_a_misspelt_key_is_one_problem(tmp_path, path):
    """Renaming a key gives a problem at that key; nothing else is blamed for it."""
    tree = json.loads(json.dumps(GOOD))
    holder = at(tree, path[:-1])
    misspelt = f"{path[-1]}z"
    renamed = {misspelt if key == path[-1] else key: value for key, value in holder.items()}
    holder.clear()
    holder.update(renamed)
    write(tmp_path, tree)
    found = [
        problem
        for problem in problems(tmp_path, clock=VirtualClock())
        if problem.severity == "error"
    ]
    assert any(problem.path.endswith(misspelt) for problem in found)
    assert len(found) == 1, [str(problem) for problem in found]
