"""Assignment: balanced jointly, then marginally, deterministic, and exact when N is a multiple of
the design.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from believable.contracts.record import Text
from believable.contracts.trial import Block
from believable.pages.finish import Finish
from believable.pages.text import TextPage
from believable.pages.watch import Watch
from believable.study.levels import row_count
from believable.study.plan import Cell, cell_count, cells, choose, latin_sizes, plan
from believable.study.records import Stimulus, Study


def study(arms=(), conditions=2, order="latin_square", items=0, seed=7):
    names = tuple(f"c{i}" for i in range(conditions))
    stimuli = tuple(
        Stimulus(id=f"s{i}", file=f"s{i}.mp4", condition=name) for i, name in enumerate(names)
    )
    timeline = [Block(id="main", order=order, over="condition", each=(Watch(id="watch"),))]
    if items:
        pages = tuple(TextPage(id=f"page{i}", text=Text("x")) for i in range(items))
        timeline.append(Block(id="pages", order="latin_square", each=pages))
    return Study(
        believable=1,
        title=Text("x"),
        seed=seed,
        conditions=names,
        stimuli=stimuli,
        arms={f"arm{i}": tuple(f"l{j}" for j in range(n)) for i, n in enumerate(arms)},
        timeline=(*timeline, Finish(id="finish")),
    )


DESIGNS = st.builds(
    study,
    arms=st.lists(st.integers(1, 3), max_size=2),
    conditions=st.integers(2, 5),
    items=st.sampled_from([0, 2, 3]),
    seed=st.integers(0, 1000),
)


def cell_of(assignment):
    return Cell.of(assignment.arms, assignment.rows)


@given(DESIGNS)
def test_cells_are_all_combinations(study):
    assert len(cells(study)) == len(set(cells(study))) == cell_count(study)
    assert all(Cell.of(dict(cell.arms), dict(cell.rows)) == cell for cell in cells(study))


@given(DESIGNS, st.integers(1, 3))
@settings(max_examples=30)
def test_every_cell_is_filled_equally_when_n_is_a_multiple_of_the_design(study, rounds):
    filled: Counter[Cell] = Counter()
    for number in range(1, rounds * cell_count(study) + 1):
        filled[cell_of(choose(study, filled, number))] += 1
        assert max(filled.values()) - min(filled[cell] for cell in cells(study)) <= 1
    assert set(filled.values()) == {rounds}


@given(DESIGNS, st.integers(0, 10**6))
@settings(max_examples=30)
def test_drop_outs_leave_no_hole(study, seed):
    """Sessions leave at random, which the caller no longer counts; once as many have finished as
    needed, all cells are equal.
    """
    rng = random.Random(seed)
    finished: Counter[Cell] = Counter()
    running: list[Cell] = []
    number = 0
    while finished.total() < 2 * cell_count(study):
        number += 1
        reserved = finished + Counter(running)
        if reserved.total() < 2 * cell_count(study):
            running.append(cell_of(choose(study, reserved, number)))
        leaving = running.pop(rng.randrange(len(running)))
        if rng.random() < 0.7:
            finished[leaving] += 1
    assert set(finished.values()) == {2}


@given(DESIGNS, st.integers(1, 40))
@settings(max_examples=40)
def test_arms_and_rows_are_balanced_on_their_own_all_the_way(study, sessions):
    filled: Counter[Cell] = Counter()
    for number in range(1, sessions + 1):
        filled[cell_of(choose(study, filled, number))] += 1
    for name, levels in study.arms.items():
        counts = Counter(dict(cell.arms)[name] for cell in filled.elements())
        assert max(counts[level] for level in levels) - min(counts[level] for level in levels) <= 2
    for block, (n,) in latin_sizes(study).items():
        counts = Counter(dict(cell.rows)[block] for cell in filled.elements())
        assert max(counts.values()) - min(counts[row] for row in range(row_count(n))) <= 2


@given(DESIGNS, st.integers(1, 100))
def test_the_same_counts_and_number_give_the_same_assignment(study, number):
    filled = {cells(study)[0]: 1}
    assert choose(study, filled, number) == choose(study, dict(filled), number)
    assert 0 <= choose(study, filled, number).seed < 2**63


def test_other_numbers_and_other_seeds_give_other_seeds():
    one = study()
    assert len({choose(one, {}, number).seed for number in range(1, 200)}) == 199
    assert choose(one, {}, 1).seed != choose(study(seed=8), {}, 1).seed


def test_the_least_filled_cell_is_chosen_first():
    one = study(arms=(2,))
    for lonely in cells(one):
        filled = {cell: 5 for cell in cells(one) if cell != lonely} | {lonely: 4}
        assert cell_of(choose(one, filled, 1)) == lonely


def test_ties_go_to_the_arm_that_is_least_filled_on_its_own():
    one = study(arms=(2,), conditions=2)
    crowded = next(
        cell
        for cell in cells(one)
        if dict(cell.arms)["arm0"] == "l0" and dict(cell.rows)["main"] == 0
    )
    for number in range(20):
        chosen = choose(one, {crowded: 1}, number)
        assert (chosen.arms["arm0"], chosen.rows["main"]) == ("l1", 1)


def test_counts_of_an_earlier_version_of_the_study_do_no_harm():
    gone = Cell.of({"arm0": "gone"}, {"main": 77})
    assert choose(study(arms=(2,)), {gone: 9}, 1) in [choose(study(arms=(2,)), {}, 1)]


@pytest.mark.parametrize("conditions", [2, 3, 4, 5])
def test_orders_are_counterbalanced_exactly(conditions):
    """Every condition in every place and after every other equally often, over one round of the
    design.
    """
    one = study(conditions=conditions)
    filled: Counter[Cell] = Counter()
    orders = []
    for number in range(1, cell_count(one) + 1):
        assignment = choose(one, filled, number)
        filled[cell_of(assignment)] += 1
        orders.append([trial.condition for trial in plan(one, assignment) if trial.condition])
    for place in range(conditions):
        assert len(set(Counter(order[place] for order in orders).values())) == 1
    pairs = Counter(pair for order in orders for pair in itertools.pairwise(order))
    assert len(pairs) == conditions * (conditions - 1)
    assert len(set(pairs.values())) == 1


def test_latin_sizes_name_the_blocks():
    assert latin_sizes(study(conditions=3, items=2)) == {"main": (3,), "pages": (2,)}
    assert latin_sizes(study(order="random")) == {}


def test_ties_are_broken_anew_for_every_session():
    """Among equally filled cells nobody can tell which comes next from the session before."""
    tied = study(arms=(2, 2), conditions=3)
    chosen = [cell_of(choose(tied, {}, number)) for number in range(200)]
    counts = Counter(chosen)
    assert set(counts) == set(cells(tied))
    assert max(counts.values()) < 3 * 200 / cell_count(tied)
    assert chosen == [cell_of(choose(tied, {}, number)) for number in range(200)]
