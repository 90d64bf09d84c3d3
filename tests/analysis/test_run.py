"""From a bundle to an analysis: plan, registration, deviations, source, paragraphs, warnings."""

from __future__ import annotations

import copy

import pytest

from believable.analysis.plan import resolve
from believable.analysis.registered import plan_hash, register
from believable.analysis.run import data_hash, run, settle, study_of
from believable.core.errors import InvalidInput


def changed(studies, **fields):
    tree = copy.deepcopy(studies.COMPARING)
    tree["analysis"] |= fields
    return tree


def registered(studies, folder, when="2027-02-01T00:00:00+00:00"):
    study = studies.definition_of(studies.COMPARING).study
    return register(resolve(study.analysis, study), folder, registered_on=when)


def test_preregister_then_change_the_plan_then_the_deviation_is_listed(studies, tmp_path):
    registration = registered(studies, tmp_path)
    same = run(studies.judges(40), registration)
    assert same.deviations == ()
    assert {one.outcome: one.status for one in same.findings} == {
        "accuracy": "confirmatory", "median_accuracy": "confirmatory", "uncertainty": "confirmatory",
        "familiarity": "exploratory",
    }  # fmt: skip
    assert "the plan analysed is the registered one" in same.methods
    other = studies.definition_of(changed(studies, alpha=0.01)).study.analysis
    deviating = run(studies.judges(40), registration, plan=other)
    assert deviating.deviations == ("alpha: registered 0.05, now 0.01.",)
    assert {one.status for one in deviating.findings} == {"exploratory"}
    assert "the plan analysed deviates from it" in deviating.methods
    assert "The analysis deviates from the registered plan in 1 point." in deviating.results
    assert deviating.source.plan != registration.hash


def test_a_stopping_rule_that_is_not_met_is_a_deviation_that_changes_no_result(studies, tmp_path):
    made = run(studies.judges(10), registered(studies, tmp_path))
    assert made.deviations == (
        "the stopping rule is not met. Declared: stop at 30 sessions after exclusions; there are 10.",
    )
    assert next(one for one in made.findings if one.outcome == "accuracy").status == "confirmatory"


def test_data_from_before_the_registration_are_not_confirmatory(studies, tmp_path):
    registration = registered(studies, tmp_path, when="2027-04-01T00:00:00+00:00")
    made = run(studies.judges(40, simulated=False), registration)
    assert made.deviations == ("40 of 40 sessions began before the plan was registered (2027-04-01).",)
    assert {one.status for one in made.findings} == {"exploratory"}


def test_without_registration_the_first_warning_says_so(studies):
    made = run(studies.judges(10))
    assert "The plan was not preregistered: every result is exploratory." in made.warnings
    assert "Nothing was preregistered, so that all results are exploratory." in made.results


def test_simulated_people_and_demonstration_stimuli_are_marked(studies):
    made = run(studies.judges(4, tree={**studies.COMPARING, "demonstration": True}))
    assert made.source.simulated
    assert made.source.demonstration
    assert [words.partition(":")[0] for words in made.source.marks] == [
        "These are simulated participants",
        "Demonstration stimuli",
    ]
    assert not set(made.source.marks) & set(made.warnings), "said once"
    real = run(studies.judges(4, simulated=False))
    assert not real.source.simulated
    assert real.source.marks == ()


def test_the_source_names_what_is_needed_to_get_the_numbers_again(studies):
    made = studies.judges(4)
    source = run(made).source
    definition = studies.definition_of(studies.COMPARING)
    assert source.definition == definition.hash
    assert source.data == data_hash(made)
    assert source.plan == plan_hash(resolve(definition.study.analysis, definition.study))
    assert source.seeds == {"analysis": 1, "study": 7}
    assert {"believable", "python", "numpy", "scipy"} <= set(source.versions)
    assert data_hash(studies.judges(4, seed=2)) != source.data


def test_the_seed_of_the_plan_decides_the_resampling(studies):
    made = studies.judges(20)
    other = studies.definition_of(changed(studies, seed=2)).study.analysis

    def bounds(analysis):
        return next(one for one in analysis.tables if one.name == "clustered").column("mean_low")

    assert bounds(run(made)) == bounds(run(made))
    assert bounds(run(made)) != bounds(run(made, plan=other))


def test_a_study_without_a_plan_needs_a_protocol(studies):
    tree = {key: value for key, value in studies.COMPARING.items() if key != "analysis"}
    made = studies.judges(6, tree=tree)
    with pytest.raises(InvalidInput, match=r"declares no analysis.*--protocol trace\|replay\|clips\|hntt"):
        run(made)
    exploratory = run(made, protocol="hntt")
    assert {one.status for one in exploratory.findings} == {"exploratory"}
    assert {one.hypothesis for one in exploratory.findings} == {None}


def test_the_definition_of_most_sessions_counts(studies):
    made = studies.judges(4)
    digest, study = study_of(made)
    assert digest == studies.definition_of(studies.COMPARING).hash
    assert study.analysis == settle(study, None, None).declared


def test_methods_and_results_are_whole_sentences_with_the_plan_in_them(studies):
    tree = changed(studies, exclusions=[{"rule": "too_fast", "below": 0.25}, {"rule": "reviewed"}])
    made = run(studies.judges(30, tree=tree))
    assert "took less than 0.25 of the median time; or who gave a free text that a reviewer" in made.methods
    assert "H2: The agent passes (median accuracy; interval contains 0.5)" in made.methods
    assert "alpha = 0.05" in made.methods
    assert made.results.startswith("Of 30 simulated sessions, 30 were analysed.")
    assert made.methods.endswith(".")
    assert made.results.endswith(".")
