"""What judges go by is found again: planted weights on how clips move, the ranking of agents, and
controls.
"""

from __future__ import annotations

import json
import random
from dataclasses import replace

import numpy as np
import pytest
from ruamel.yaml import YAML
from scipy import optimize, special

from believable.analysis.run import run
from believable.contracts.protocol import ShownAgents
from believable.contracts.registries import PROTOCOLS
from believable.protocols.hntt.agent_study import mark_mismatched, settle_study
from believable.protocols.hntt.clip_behaviour import JudgedPairs, choice_weights, resampled_counts
from believable.protocols.hntt.control_pairs import _spread
from believable.protocols.hntt.people import HnttTruth, Judge, clip_appeal
from believable.protocols.variants import agent_variant, change_study
from believable.simulate import straight
from believable.simulate.simulated_sessions import Conduct
from believable.study.load import load

AGENTS = ("symbolic", "hybrid", "reward_shaping")
#: As the agents' runs are measured: shares of decisions.
MOVES = {
    "human": (0.10, 0.02, 0.25),
    "symbolic": (0.50, 0.03, 0.50),
    "hybrid": (0.42, 0.03, 0.38),
    "reward_shaping": (0.13, 0.016, 0.30),
}
CAREFUL = Conduct(drop_out=0, careless=0, hasty=0)


@pytest.fixture(scope="module")
def definition(tmp_path_factory):
    """One study of three agents and both controls, with measured clips of which only the numbers
    are there.
    """
    folder = tmp_path_factory.mktemp("studies") / "study"
    shown = ShownAgents(agents=AGENTS, humans=folder, runs=100, people_pairs=3, mismatched=1)
    agent_variant(PROTOCOLS["hntt"]).copy(folder)
    settle_study(folder, shown, 6)
    rng = np.random.default_rng(4)
    scenarios = [(f"{agent}_pair_{n}", agent) for agent in AGENTS for n in range(1, 7)]
    scenarios += [(f"{agent}_elsewhere_1", agent) for agent in AGENTS] + [
        (f"people_{n}", "human") for n in range(3)
    ]
    stimuli = []
    for scenario, other in scenarios:
        for number, condition in enumerate(("human", other)):
            values = np.array(MOVES[condition]) * rng.uniform(0.6, 1.4, 3)
            measures = dict(
                zip(("camera", "collisions", "slow"), values.round(4).tolist(), strict=True)
            )
            name = f"{scenario}_{number}"
            (folder / "stimuli").mkdir(exist_ok=True)
            (folder / "stimuli" / f"{name}.mp4").touch()
            stimuli.append(
                {
                    "id": name,
                    "file": f"stimuli/{name}.mp4",
                    "condition": condition,
                    "scenario": scenario,
                    "measures": measures,
                }
            )
    quick = {"criterion_studies": 0, "resamples": 200, "subsamples": 5}
    change_study(folder / "study.yaml", {"stimuli": stimuli, "analysis": {"options": quick}})
    mark_mismatched(folder, [f"{agent}_elsewhere_1" for agent in AGENTS])
    return load(folder)


def results(definition, truth: HnttTruth, people: int = 240):
    sessions = straight.sessions(
        definition, people, np.random.default_rng(3), truth=truth, conduct=CAREFUL
    )
    return {table.name: table for table in run(sessions.bundle()).tables}


def column(table, name: str, **where):
    names = [column.name for column in table.columns]
    rows = [dict(zip(names, row, strict=True)) for row in table.rows]
    return [row[name] for row in rows if all(row[key] == value for key, value in where.items())]


@pytest.mark.slow
def test_the_report_finds_the_planted_weights_and_the_ranking(definition):
    truth = replace(
        HnttTruth(),
        skill=0.2,
        camera=-1.0,
        collisions=-0.4,
        slow=0.6,
        poor_text=0.0,
        pair_spread=0.2,
    )
    tables = results(definition, truth)
    weights = tables["behaviour_weights"]
    together = dict(
        zip(
            column(weights, "measure", model="together"),
            column(weights, "weight", model="together"),
            strict=True,
        )
    )
    signs = [np.sign(value) for value in together.values()]
    assert signs == [-1, -1, 1], together
    shares = dict(
        zip(
            column(tables["behaviour_conditions"], "condition"),
            column(tables["behaviour_conditions"], "share"),
            strict=True,
        )
    )
    appeal = clip_appeal(truth, definition.study)
    mean = {
        agent: np.mean(
            [
                appeal[s.id]
                for s in definition.study.stimuli
                if s.condition == agent and "pair" in str(s.scenario)
            ]
        )
        for agent in AGENTS
    }
    assert sorted(AGENTS, key=shares.__getitem__) == sorted(AGENTS, key=mean.__getitem__)


@pytest.mark.slow
def test_nothing_is_found_where_nothing_was_planted(definition):
    tables = results(
        definition,
        replace(HnttTruth(), skill=0.0, judge_sd=0.0, pair_spread=0.0, poor_text=0.0),
        people=120,
    )
    weights = tables["behaviour_weights"]
    for low, high in zip(
        column(weights, "weight_low"), column(weights, "weight_high"), strict=True
    ):
        assert low < 0 < high
    apart = dict(
        zip(column(tables["controls"], "kind"), column(tables["controls"], "apart"), strict=True)
    )
    assert apart["two people"] < 0.1


def test_controls_are_no_part_of_the_accuracy(definition):
    tables = results(definition, replace(HnttTruth(), skill=1.5, poor_text=0.0), people=120)
    judged = sum(column(tables["accuracy"], "trials"))
    pairs = set(column(tables["pairs"], "scenario"))
    assert not [scenario for scenario in pairs if "elsewhere" in scenario or "people" in scenario]
    assert judged < 120 * 10, "each judge saw ten pairs, some of them controls"
    assert set(column(tables["mismatched"], "agent")) == set(AGENTS)
    apart = dict(
        zip(column(tables["controls"], "kind"), column(tables["controls"], "apart"), strict=True)
    )
    assert apart["two people"] < 0.15 < min(apart[f"a person and {agent}"] for agent in AGENTS)
    assert len(column(tables["people_pairs"], "pair")) == 3


def test_a_judge_at_a_browser_goes_by_the_same_measures(definition, seen):
    study = definition.study
    truth = replace(
        HnttTruth(), skill=0.0, judge_sd=0.0, pair_spread=0.0, camera=-2.0, poor_text=0.0
    )
    pair = [seen(study, "symbolic_pair_1_0"), seen(study, "symbolic_pair_1_1")]
    appeal = clip_appeal(truth, study)
    chance = special.expit(appeal["symbolic_pair_1_0"] - appeal["symbolic_pair_1_1"])
    chosen = [
        Judge(truth, study, random.Random(n), careless=False).answer("which", pair, ())
        for n in range(600)
    ]
    assert np.mean([answer == "first" for answer in chosen]) == pytest.approx(chance, abs=0.06)
    people = [seen(study, "people_1_0"), seen(study, "people_1_1")]
    assert Judge(truth, study, random.Random(1), careless=False).answer("which", people, ()) in (
        "first",
        "second",
    )


def test_weights_are_those_of_a_plain_optimiser():
    rng = np.random.default_rng(2)
    differences = rng.normal(size=(12, 2))
    shown = rng.integers(5, 30, 12).astype(float)
    chosen = rng.binomial(shown.astype(int), special.expit(differences @ [0.8, -0.5])).astype(float)

    def loss(weights):
        chance = special.expit(differences @ weights)
        return (
            -(chosen * np.log(chance) + (shown - chosen) * np.log(1 - chance)).sum()
            + weights @ weights / 50
        )

    ours = choice_weights(differences, shown[None], chosen[None])[0]
    np.testing.assert_allclose(ours, optimize.minimize(loss, np.zeros(2)).x, atol=1e-4)


def test_all_judges_agreeing_gives_a_finite_weight():
    weights = choice_weights(
        np.array([[1.0], [2.0]]), np.array([[50.0, 50.0]]), np.array([[50.0, 50.0]])
    )
    assert 1 < weights[0, 0] < 20


def test_the_spread_of_pairs_is_free_of_what_few_judges_bring_about():
    rng = np.random.default_rng(5)
    guessing = rng.binomial(8, 0.5, (1, 60_000)).astype(float)
    assert _spread(np.full_like(guessing, 8.0), guessing)[0] < 0.03, (
        "(3/8 would be .18 away by chance alone)"
    )
    assert _spread(np.full((1, 2), 1e6), np.array([[7e5, 3e5]]))[0] == pytest.approx(0.2, abs=1e-3)


def test_what_a_study_of_agents_says(definition, tmp_path):
    study = definition.study
    assert study.conditions == ("human", *AGENTS)
    assert not study.demonstration
    assert json.dumps(study.model_dump(mode="json")).count("stand-in") == 0
    block = next(item for item in study.timeline if item.id == "trials")
    assert block.sample == 10
    folder = tmp_path / "standin"
    agent_variant(PROTOCOLS["hntt"]).copy(folder)
    settle_study(folder, ShownAgents(agents=("hybrid",), humans=None, runs=100), 6)
    text = (folder / "study.yaml").read_text("utf-8")
    tree = YAML(typ="safe").load(text)
    assert tree["conditions"] == ["standin_human", "hybrid"]
    assert tree["demonstration"] is True
    assert "condition: navigator" not in text
    assert "No figure was moved by a person" in (folder / "pages" / "thanks.md").read_text("utf-8")


def test_judges_and_pairs_are_both_resampled():
    """One judge cannot vary, so the first counts vary by pairs only; one pair likewise."""
    rng = np.random.default_rng(1)
    by_pairs = JudgedPairs((("a", "b"), ("a", "c")), np.array([[4.0, 8.0]]), np.array([[1.0, 6.0]]))
    shown, chosen = resampled_counts(by_pairs, rng, 400)
    assert {*map(tuple, shown.tolist())} == {(8, 0), (4, 8), (0, 16)}
    assert {*map(tuple, chosen.tolist())} == {(2, 0), (1, 6), (0, 12)}
    by_judges = JudgedPairs((("a", "b"),), np.array([[4.0], [8.0]]), np.array([[1.0], [6.0]]))
    shown, chosen = resampled_counts(by_judges, rng, 400)
    assert {*zip(shown[:, 0].tolist(), chosen[:, 0].tolist(), strict=True)} == {
        (8, 2),
        (12, 7),
        (16, 12),
    }
