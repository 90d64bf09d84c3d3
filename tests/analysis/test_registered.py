"""A plan on record: the same plan gives the same hash, a changed one is listed field by field, in
words.
"""

from __future__ import annotations

import hashlib
import json

import pytest

from believable.analysis.registered import (
    FOLDER,
    Registration,
    deviations,
    plan_hash,
    read,
    register,
    tree_of,
)
from believable.analysis.resolution import resolve
from believable.core.errors import Conflict, InvalidInput
from believable.protocols.templates import TEMPLATES
from believable.study.load import load


def plan_of(studies, **fields):
    tree = {**studies.COMPARING, "analysis": {**studies.COMPARING["analysis"], **fields}}
    study = studies.definition_of(tree).study
    return resolve(study.analysis, study)


WHEN = "2027-02-01T12:00:00+00:00"


def test_the_hash_is_that_of_the_file(studies, tmp_path):
    plan = plan_of(studies)
    made = register(plan, tmp_path, registered_on=WHEN)
    written = (tmp_path / FOLDER / "plan.json").read_bytes()
    assert made.hash == hashlib.sha256(written).hexdigest() == plan_hash(plan)
    assert (tmp_path / FOLDER / "plan.json.sha256").read_text() == f"{made.hash}  plan.json\n"
    assert read(tmp_path) == made
    assert made.outcomes == {"accuracy", "median_accuracy", "uncertainty"}


def test_writing_defaults_out_changes_nothing_and_registers_what_they_mean(studies, tmp_path):
    plain, written_out = (
        plan_of(studies),
        plan_of(studies, alpha=0.05, seed=1, roles={"choice": "pairs.which"}),
    )
    assert plan_hash(plain) == plan_hash(written_out)
    tree = json.loads(
        register(plain, tmp_path, registered_on=WHEN)
        and (tmp_path / FOLDER / "plan.json").read_text()
    )
    assert tree["plan"]["options"]["chance"] == 0.5, (
        "so that a later default cannot change a registered plan"
    )
    assert tree["plan"]["roles"]["why"] == ["pairs.why"]


def test_the_same_plan_again_changes_nothing(studies, tmp_path):
    first = register(plan_of(studies), tmp_path, registered_on=WHEN)
    assert register(plan_of(studies), tmp_path, registered_on="2028-01-01") == first


def test_another_plan_needs_again_and_the_first_is_kept(studies, tmp_path):
    first = register(plan_of(studies), tmp_path, registered_on=WHEN)
    with pytest.raises(Conflict, match=r"another plan was registered on 2027-02-01.*--again"):
        register(plan_of(studies, alpha=0.01), tmp_path, registered_on=WHEN)
    second = register(
        plan_of(studies, alpha=0.01), tmp_path, registered_on="2027-03-01", again=True
    )
    assert read(tmp_path) == second
    kept = tmp_path / FOLDER / "earlier" / first.hash[:12] / "plan.json"
    assert hashlib.sha256(kept.read_bytes()).hexdigest() == first.hash


def test_an_edited_registration_is_refused(studies, tmp_path):
    register(plan_of(studies), tmp_path, registered_on=WHEN)
    path = tmp_path / FOLDER / "plan.json"
    path.write_text(path.read_text().replace('"alpha": 0.05', '"alpha": 0.10'))
    with pytest.raises(InvalidInput, match="A registered plan is not edited"):
        read(tmp_path)
    assert read(tmp_path / "elsewhere") is None


CASES = [
    ({"alpha": 0.01}, "alpha: registered 0.05, now 0.01.", {"*"}),
    ({"multiplicity": "none"}, "multiplicity rule: registered holm, now none.", {"*"}),
    ({"seed": 2}, "seed: registered 1, now 2.", set()),
    (
        {"stopping": {"rule": "after_exclusions", "n": 20}},
        "stopping rule: registered rule after_exclusions, n 30, now rule after_exclusions, n 20.",
        {"*"},
    ),
    (
        {"options": {"resamples": 500, "criterion_studies": 20}},
        "option resamples: registered 2000, now 500.",
        {"*"},
    ),
    (
        {"tests": {"accuracy": {"margin": 0.2}}},
        "test of accuracy, margin: registered 0.1, now 0.2.",
        {"accuracy"},
    ),
    (
        {"exclusions": [{"rule": "too_fast", "below": 0.25}]},
        "exclusion rule not registered: too_fast (below 0.25).",
        {"*"},
    ),
    (
        {"outcomes": {"primary": ["accuracy"], "secondary": ["uncertainty", "median_accuracy"]}},
        "outcome median_accuracy: registered as primary, now as secondary.",
        {"median_accuracy"},
    ),
    (
        {"roles": {"certainty": "familiarity.genre"}},
        "role certainty: registered pairs.certainty, now familiarity.genre.",
        {"*"},
    ),
]


@pytest.mark.parametrize(
    ("fields", "words", "touched"), CASES, ids=[next(iter(case[0])) for case in CASES]
)
def test_each_field_is_told_in_words(studies, tmp_path, fields, words, touched):
    registration = register(plan_of(studies), tmp_path, registered_on=WHEN)
    (found,) = deviations(registration, plan_of(studies, **fields))
    assert found.words == words
    assert found.outcomes == touched


def test_hypotheses_are_compared_one_by_one(studies, tmp_path):
    registration = register(plan_of(studies), tmp_path, registered_on=WHEN)
    first, second, third = studies.COMPARING["analysis"]["hypotheses"]
    changed = [
        {**first, "text": "Better words.", "direction": "greater"},
        second,
        {**third, "id": "H4"},
    ]
    found = deviations(registration, plan_of(studies, hypotheses=changed))
    assert [one.words for one in found] == [
        "hypothesis H3 (about accuracy) was registered and is gone.",
        "hypothesis H1, text: registered Judges tell them apart., now Better words..",
        "hypothesis H1, direction: registered two_sided, now greater.",
        "hypothesis H4 (about accuracy) was not registered.",
    ]
    assert not found[1].touches("accuracy"), "wording alone changes no result"
    assert found[2].touches("accuracy")
    assert not found[2].touches("uncertainty")


def test_a_margin_touches_equivalence_only(studies, tmp_path):
    registration = register(plan_of(studies), tmp_path, registered_on=WHEN)
    (found,) = deviations(registration, plan_of(studies, tests={"accuracy": {"margin": 0.2}}))
    assert found.touches("accuracy", equivalence=True)
    assert not found.touches("accuracy")


def test_no_deviation_from_the_same_plan(studies, tmp_path):
    registration = register(plan_of(studies), tmp_path, registered_on=WHEN)
    assert deviations(registration, plan_of(studies)) == ()


def test_deviations_of_ones_own_measures_touch_those_measures_alone():
    """What is assumed for planning changes no number; a question, a model or a group of answers
    does.
    """
    study = load(TEMPLATES["rate-clips"].folder).study
    plan = resolve(study.analysis, study)
    tree = json.loads(json.dumps(tree_of(plan)))
    measures = tree["plan"]["measures"]
    measures["humanness"]["assume"]["values"]["script"] = 1.0
    measures["called_person"]["yes"] = ["program"]
    measures["certainty"]["title"] = "How sure"
    measures["gone"] = measures.pop("why")
    differences = {
        part.field: part
        for part in deviations(Registration(tree=tree, hash="", registered_on=""), plan)
    }
    assert {field: set(part.outcomes) for field, part in differences.items()} == {
        "measures.humanness.assume": set(),
        "measures.called_person.yes": {"called_person"},
        "measures.certainty.title": set(),
        "measures.gone": {"gone"},
        "measures.why": {"why"},
    }
    assert (
        differences["measures.called_person.yes"].words
        == "measure called_person, yes: registered program, now person."
    )
    assert differences["measures.why"].words == "measure why was not registered."
    assert differences["measures.gone"].words == "measure gone was registered and is gone."
