"""From a bundle to an analysis: plan, registration, deviations, source, paragraphs, warnings."""

from __future__ import annotations

import copy
import datetime
import re
from dataclasses import dataclass, fields
from types import SimpleNamespace

import pytest

from believable.analysis.registered import plan_hash, register
from believable.analysis.resolution import resolve
from believable.analysis.run import data_hash, participants, run, settle, study_of
from believable.analysis.version_records import data_versions
from believable.bundle.read import Bundle, RawEvent
from believable.core.errors import InvalidInput
from believable.report.chart_rows import no_links
from believable.report.page import fragment


@pytest.fixture(scope="module")
def studies(studies):
    """With a pass criterion of few simulated studies: it is tested with its protocol, and takes
    most of the time.
    """
    tree = copy.deepcopy(studies.COMPARING)
    tree["analysis"]["options"]["criterion_studies"] = 20

    def judges(n, **fields):
        return studies.judges(n, **({"tree": tree} | fields))

    return SimpleNamespace(**(vars(studies) | {"COMPARING": tree, "judges": judges}))


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
    assert {finding.outcome: finding.status for finding in same.findings} == {
        "accuracy": "confirmatory",
        "median_accuracy": "confirmatory",
        "uncertainty": "confirmatory",
        "familiarity": "exploratory",
        "side": "exploratory",
    }
    assert "the plan analysed is the registered one" in same.methods
    other = studies.definition_of(changed(studies, alpha=0.01)).study.analysis
    deviating = run(studies.judges(40), registration, plan=other)
    assert deviating.deviations == ("alpha: registered 0.05, now 0.01.",)
    assert {finding.status for finding in deviating.findings} == {"exploratory"}
    assert "the plan analysed deviates from it" in deviating.methods
    assert "The analysis deviates from the registered plan in 1 point." in deviating.results
    assert deviating.source.plan != registration.hash


def test_the_versions_of_a_dataset_are_read_once(studies, tmp_path, monkeypatch):
    calls = []

    def counted(bundle):
        calls.append(bundle)
        return data_versions(bundle)

    for module in ("run", "version_records"):
        monkeypatch.setattr(f"believable.analysis.{module}.data_versions", counted)
    run(studies.judges(10), registered(studies, tmp_path))
    assert len(calls) == 1


def test_a_stopping_rule_that_is_not_met_is_a_deviation_that_changes_no_result(studies, tmp_path):
    made = run(studies.judges(10), registered(studies, tmp_path))
    assert made.deviations == (
        (
            "the stopping rule is not met. Declared: stop at 30 sessions after exclusions; there"
            " are 10."
        ),
    )
    assert (
        next(finding for finding in made.findings if finding.outcome == "accuracy").status
        == "confirmatory"
    )


@pytest.mark.parametrize(
    ("times", "deviation"),
    [
        (
            ("08:00", "12:30"),
            "1 of 40 sessions began before the plan was registered (2027-03-01T12:00:00+00:00).",
        ),
        (("12:00", "12:30"), None),
        (
            ("11:59", "11:58"),
            "2 of 40 sessions began before the plan was registered (2027-03-01T12:00:00+00:00).",
        ),
    ],
)
def test_sessions_of_the_day_of_registration_count_by_their_time(
    studies, tmp_path, times, deviation
):
    bundle = studies.judges(40, simulated=False)
    events = [
        RawEvent(session=f"j{number:04d}", seq=seq, received_ms=received_ms(time) + seq, body="{}")
        for number, time in enumerate(times)
        for seq in (2, 1)
    ]
    timed = WithEvents(
        **{part.name: getattr(bundle, part.name) for part in fields(bundle)}, lines=tuple(events)
    )
    registration = registered(studies, tmp_path, when="2027-03-01T12:00:00+00:00")
    differences = run(timed, registration).deviations
    assert differences == (() if deviation is None else (deviation,))


@pytest.mark.parametrize(("before", "deviations"), [(None, 0), (0, 0), (3, 1)])
def test_where_the_dataset_tells_no_time_the_registration_tells_what_it_found(
    studies, tmp_path, before, deviations
):
    study = studies.definition_of(studies.COMPARING).study
    plan = resolve(study.analysis, study)
    when = "2027-03-01T12:00:00+00:00"
    registration = register(plan, tmp_path, registered_on=when, sessions_before=before)
    told = run(studies.judges(40, simulated=False), registration).deviations
    assert len(told) == deviations
    assert all(words.startswith("3 of 40 sessions began before") for words in told)


def received_ms(time):
    return int(1000 * datetime.datetime.fromisoformat(f"2027-03-01T{time}:00+00:00").timestamp())


@dataclass(frozen=True)
class WithEvents(Bundle):
    """A dataset whose first events tell when sessions began."""

    lines: tuple[RawEvent, ...] = ()

    def events(self):
        return iter(self.lines)


def test_data_from_before_the_registration_are_not_confirmatory(studies, tmp_path):
    registration = registered(studies, tmp_path, when="2027-04-01T00:00:00+00:00")
    made = run(studies.judges(40, simulated=False), registration)
    assert made.deviations == (
        "40 of 40 sessions began before the plan was registered (2027-04-01T00:00:00+00:00).",
    )
    assert {finding.status for finding in made.findings} == {"exploratory"}


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
        return next(table for table in analysis.tables if table.name == "clustered").column(
            "mean_low"
        )

    assert bounds(run(made)) == bounds(run(made))
    assert bounds(run(made)) != bounds(run(made, plan=other))


def test_a_study_without_a_plan_needs_a_protocol(studies):
    tree = {key: value for key, value in studies.COMPARING.items() if key != "analysis"}
    made = studies.judges(6, tree=tree)
    with pytest.raises(
        InvalidInput, match=r"declares no analysis.*--protocol trace\|replay\|clips\|hntt"
    ):
        run(made)
    exploratory = run(made, protocol="hntt")
    assert {finding.status for finding in exploratory.findings} == {"exploratory"}
    assert {finding.hypothesis for finding in exploratory.findings} == {None}


def test_the_definition_of_most_sessions_counts(studies):
    made = studies.judges(4)
    digest, study = study_of(made)
    assert digest == studies.definition_of(studies.COMPARING).hash
    assert study.analysis == settle(study, None, None).declared


def test_methods_and_results_are_whole_sentences_with_the_plan_in_them(studies):
    tree = changed(studies, exclusions=[{"rule": "too_fast", "below": 0.25}, {"rule": "reviewed"}])
    made = run(studies.judges(30, tree=tree))
    assert (
        "took less than 0.25 of the median time; or who gave a free text that a reviewer"
        in made.methods
    )
    assert (
        "H2: The agent passes. The criterion was interval contains 0.5 (median accuracy)."
        in made.methods
    )
    assert "alpha = 0.05" in made.methods
    assert "Participants will come through" in made.methods, (
        "nobody has come: all sessions are simulated"
    )
    assert "No person was recruited: all sessions are simulated." in made.methods
    assert made.results.startswith("Of 30 simulated sessions, 30 were analysed.")
    assert made.methods.endswith(".")
    assert made.results.endswith(".")


def test_balance_over_arms_and_orders(studies):
    tree = copy.deepcopy(studies.COMPARING)
    tree["arms"] = {"panel": ["lab", "online"]}

    def change(tables):
        for place, row in enumerate(tables["participants"]):
            row.update(
                arm_panel="lab" if place < 3 else "online",
                order_trials=place % 2,
                duration_ms=60_000 * (place + 1),
            )

    data, plan = studies.data_of(studies.judges(5, tree=tree, change=change))
    section = participants(data, plan)
    assert section.tables[0].rows == (
        ("arm", "panel", "lab", 3),
        ("arm", "panel", "online", 2),
        ("order", "trials", "0", 3),
        ("order", "trials", "1", 2),
    )
    assert section.paragraphs[0].startswith("5 simulated sessions analysed. Declared: stop at 30")
    assert (
        section.paragraphs[1] == "A session took a median of 3.0 minutes (quartiles 2.0 and 4.0)."
    )


def test_nobody(studies):
    data, plan = studies.data_of(studies.judges(0))
    section = participants(data, plan)
    assert section.paragraphs[0].startswith("0 simulated sessions analysed.")
    assert len(section.paragraphs) == 1


def test_a_hypothesis_without_a_result_keeps_its_row(studies):
    nobody = run(studies.judges(0))
    declared = {
        hypothesis.id
        for hypothesis in studies.definition_of(studies.COMPARING).study.analysis.hypotheses
    }
    assert declared
    assert {row.id for row in nobody.hypotheses} == declared
    for row in nobody.hypotheses:
        assert row.supported is None
        assert row.verdict == "cannot be judged, because no session is left after exclusions"
        assert (
            f"{row.id}, “{row.text.rstrip('.')}”, cannot be judged, because no session is left"
            in nobody.results
        )


def test_methods_and_results_agree_about_deviations(studies, tmp_path):
    registration = registered(studies, tmp_path)
    early = run(studies.judges(4), registration)
    assert (
        "the plan analysed is the registered one, and collecting deviates from it in 1 point"
        in early.methods
    )
    assert "Collecting deviates from the registered plan in 1 point." in early.results
    assert "The analysis deviates" not in early.results


def test_no_test_of_peoples_answers_is_shown_before_the_stopping_rule_is_met(studies):
    """What the console shows of running studies is this analysis: no p, no statistic, no verdict in
    text, tables or records.
    """

    def real(tables):
        for row in tables["participants"]:
            row["simulated"] = False

    early = run(studies.judges(8, seed=2, change=real))
    assert not early.source.simulated
    assert all(finding.test is None and finding.p_adjusted is None for finding in early.findings)
    shown = fragment(early, links=no_links)
    assert "held back until the stopping rule is met" in shown
    assert not re.search(r"p</i>[\s\u00a0]*(?:=|&lt;|&gt;)[\s\u00a0]*\.\d", shown)
    assert "not judged: the stopping rule is not met" in shown
    ended = run(studies.judges(8, seed=2, change=real), ended=True)
    assert any(finding.test is not None for finding in ended.findings)
    assert {row.supported for row in ended.hypotheses} == {None}
