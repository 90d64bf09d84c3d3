"""Every step of the imitation on the toy map, against numbers written down by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from believable.core.errors import InvalidInput
from believable.imitation.chain import chain_distribution, learn_chain
from believable.imitation.clusters import k_means
from believable.imitation.goal_memory import GoalMemory, goal_set
from believable.imitation.guides import (
    GuidePoint,
    GuideSet,
    PassageFollower,
    learn_guides,
    speed_to,
)
from believable.imitation.imitator import LearningOptions, learn
from believable.imitation.mixture import goal_mixture, items_present
from believable.imitation.motion import MotionStep, count_motion
from believable.imitation.next_node import (
    AS_PUBLISHED,
    FROM_NOWHERE,
    WAYS_ALONE,
    MoveHabit,
    WayCounts,
    count_ways,
    drawn_node,
    goal_weights,
    habitual_weights,
    next_node,
    utilities,
)
from believable.imitation.observations import Observations
from believable.imitation.paths import Item, PathGoal, item_paths, path_goals, path_rewards
from believable.imitation.primitives import hand_vectors, learn_primitives
from believable.imitation.prototypes import frame_vector, learn_scheme, level, prototype_set
from believable.imitation.topology import (
    Topology,
    learn_topology,
    node_course,
    node_moves,
    nodes_ahead,
)
from believable.imitation.values import iterate_values
from tests.imitation.toy import CORNERS, rounds

SQUARE = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0]], bool)


@pytest.fixture
def toy() -> Topology:
    """The learned topology with its nodes in the order of the drawing."""
    seen = rounds()
    learned = learn_topology([seen], 4, np.random.default_rng(1))
    order = learned.node_of(CORNERS)
    return Topology(
        learned.nodes[order],
        learned.edges[np.ix_(order, order)],
        learned.edge_frames[np.ix_(order, order)],
    )


def test_the_topology_has_the_corners_and_the_moves_round_them(toy: Topology) -> None:
    assert toy.nodes == pytest.approx(CORNERS)
    assert (toy.edges == SQUARE).all()
    assert toy.edge_frames[toy.edges] == pytest.approx([1, 1, 1, 1])


def test_moves_across_a_death_are_no_edges() -> None:
    course = np.array([0, 0, 1, -1, 3, 3, 0])
    assert [(move.frame, move.start, move.end, move.frames) for move in node_moves(course)] == [
        (2, 0, 1, 2),
        (6, 3, 0, 2),
    ]


def test_a_level_is_a_third_of_the_most() -> None:
    assert [level(value, 90) for value in (-5, 0, 29, 30, 60, 90, 120)] == [0, 0, 0, 1, 2, 2, 2]
    assert level(5, 0) == 0


def test_situations_are_what_is_carried_and_how_much_of_it(toy: Topology) -> None:
    seen = rounds()
    scheme = learn_scheme([seen])
    assert scheme.things == ("medikit", "rocket")
    assert frame_vector(scheme, seen, 0).tolist() == [0, 0, 2]
    assert frame_vector(scheme, seen, 2).tolist() == [0, 1, 2]
    assert frame_vector(scheme, seen, 4).tolist() == [1, 1, 2]
    assert scheme.words(frame_vector(scheme, seen, 2)) == "rocket, health 2"


def test_paths_go_from_pickup_to_pickup(toy: Topology) -> None:
    seen = rounds(2)  # 0 1 2 3 0 1 2 3 0: rocket at 2 and 6, medikit at 4 and 8
    paths = item_paths(toy, learn_scheme([seen]), seen)
    assert [(path.nodes, path.item) for path in paths] == [
        ((0, 1, 2), Item("rocket", 2)),
        ((2, 3, 0), Item("medikit", 0)),
        ((0, 1, 2), Item("rocket", 2)),
        ((2, 3, 0), Item("medikit", 0)),
    ]
    goals = path_goals(paths)
    # Nothing → rocket; rocket → medikit; both → rocket; both → medikit.
    assert [(goal.situation, goal.item.name) for goal in goals] == [
        ((0, 0, 2), "rocket"),
        ((0, 1, 2), "medikit"),
        ((1, 1, 2), "rocket"),
        ((1, 1, 2), "medikit"),
    ]


def test_rewards_grow_along_a_path() -> None:
    goal = PathGoal((0.0,), Item("rocket", 2), ((0, 1, 2), (1, 2)))
    # 0: 1/3 of the long path; 1: 2/3 there, 1/2 on the short one; 2: the end of both; 3: never
    # passed.
    assert path_rewards(goal, 4).tolist() == pytest.approx([1 / 3, 2 / 3, 1, 0])


def test_values_on_a_line_are_sums_by_hand() -> None:
    edges = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], bool)  # 0 → 1 → 2, and no way on
    values = iterate_values(np.array([[1 / 3, 2 / 3, 1.0]]), edges, [2], 0.95)
    # Staying at the end is worth 1 + .95 + .95² … = 20.
    assert values[0].tolist() == pytest.approx(
        [1 / 3 + 0.95 * (2 / 3 + 0.95 * 20), 2 / 3 + 0.95 * 20, 20]
    )


def test_values_round_a_square_shrink_with_the_way() -> None:
    # One item at 2, reward 1, worth 20 there; every step of the way round costs a twentieth.
    values = iterate_values(np.array([[0, 0, 1.0, 0]]), SQUARE, [2], 0.95)
    assert values[0].tolist() == pytest.approx(
        [0.95**2 * 20, 0.95 * 20, 20, 0.95**3 * 20], rel=1e-6
    )


def test_the_mixture_weighs_near_situations_and_sums_to_one() -> None:
    situations = prototype_set(np.array([[0.0], [2.0]]))  # mean 1, spread 1
    everything = np.array([True, True])
    mixture = goal_mixture(situations, np.array([0.0]), everything)
    near, far = 1 / 0.001, 1 / 2.001
    assert mixture.tolist() == pytest.approx([near / (near + far), far / (near + far)])
    assert goal_mixture(situations, np.array([0.0]), np.array([False, True])).tolist() == [0, 1]
    assert goal_mixture(situations, np.array([1.0]), np.array([False, False])).tolist() == [
        0.5,
        0.5,
    ]


def test_a_respawned_item_brings_its_goal_back() -> None:
    goals = goal_set(
        [
            PathGoal((0.0,), Item("rocket", 2), ((0, 2),)),
            PathGoal((0.0,), Item("medikit", 0), ((2, 0),)),
        ],
        {"rocket": 5_000},
    )
    memory = GoalMemory(goals, 4)
    memory.begin_life(np.array([0.0]))
    assert memory.mixture(0).tolist() == [0.5, 0.5]
    memory.pick_up([Item("rocket", 2)], 1_000, np.array([0.0]))
    assert memory.mixture(5_999).tolist() == [0, 1]
    assert memory.mixture(6_000).tolist() == [0.5, 0.5]
    assert items_present([Item("medikit", 0)], {Item("medikit", 0): 0}, 29_999, {}).tolist() == [
        False
    ]
    assert items_present([Item("medikit", 0)], {Item("medikit", 0): 0}, 30_000, {}).tolist() == [
        True
    ]


def test_the_next_node_is_the_best_neighbour_less_often_entered() -> None:
    fork = Topology(
        np.zeros((3, 3)), np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], bool), np.ones((3, 3))
    )
    values, mixture = np.array([[0, 1.0, 0.97], [0, 0.0, 0.0]]), np.array([0.8, 0.2])
    fresh = utilities(values, mixture, np.array([0, 0, 0]), 0.95)
    assert fresh.tolist() == pytest.approx([0, 0.8, 0.776])
    assert next_node(fork, 0, fresh) == 1
    again = utilities(values, mixture, np.array([0, 1, 0]), 0.95)
    assert again.tolist() == pytest.approx([0, 0.76, 0.776])
    assert next_node(fork, 0, again) == 2
    assert next_node(fork, 1, fresh) is None


def test_a_hand_turns_the_short_way_round() -> None:
    seen = rounds(1)  # 0 → −90 → 180 → 90 → 0: always a quarter to the right, −4.5 units of 20°
    assert hand_vectors(seen, ["gun"]).tolist() == [[-4.5, 0, 0, 0, 1]] * 4
    primitives = learn_primitives([seen], 5, np.random.default_rng(0))
    assert primitives.centres.tolist() == [[-4.5, 0, 0, 0, 1]]
    assert primitives.explained == 1
    assert primitives.weapon(0) == "gun"
    assert not primitives.jumps(0)


def test_motion_by_hand() -> None:
    """At node 0, neighbours 1 and 2. Action 0 was made twice on 0 → 1, action 1 once on 0 → 2, all
    with the one goal.
    """
    edges = np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], bool)
    steps = [MotionStep(0, 1, 0, -1), MotionStep(0, 1, 0, 0), MotionStep(0, 2, 1, 0)]
    counts = count_motion([(step, np.array([1.0])) for step in steps], edges, 1, 2)
    # P(1|0,a0) = 2.1/2.2, P(1|0,a1) = .1/1.2; P(a0|0) = 2.1/3.2, P(a1|0) = 1.1/3.2
    to_one = np.array([2.1 / 2.2 * 2.1 / 3.2, 0.1 / 1.2 * 1.1 / 3.2])
    assert counts.given_goals(0, 1)[0].tolist() == pytest.approx((to_one / to_one.sum()).tolist())
    chain = learn_chain(steps, 2)
    assert chain.tolist() == [pytest.approx([1.1 / 2.2, 1.1 / 2.2]), pytest.approx([0.5, 0.5])]


def test_the_chain_weighs_what_was_done_before() -> None:
    given = np.array([[0.5, 0.5], [1.0, 0.0]])
    chain = np.array([[0.9, 0.1], [0.2, 0.8]])
    free = np.array([0.25 * 0.5 + 0.75, 0.25 * 0.5])
    assert chain_distribution(given, np.array([0.25, 0.75]), chain, None).tolist() == pytest.approx(
        free.tolist()
    )
    after = free * np.array([0.2, 0.8])
    assert chain_distribution(given, np.array([0.25, 0.75]), chain, 1).tolist() == pytest.approx(
        (after / after.sum()).tolist()
    )


def test_the_node_ahead_is_the_next_one_of_this_life() -> None:
    assert nodes_ahead(np.array([0, 0, 1, 1, -1, 2, 3, 3])).tolist() == [
        1,
        1,
        -1,
        -1,
        -1,
        3,
        -1,
        -1,
    ]


def test_clusters_do_not_outnumber_different_points() -> None:
    points = np.array([[0.0], [0.0], [5.0]])
    centres, labels = k_means(points, 10, np.random.default_rng(0))
    assert sorted(centres.ravel().tolist()) == [0, 5]
    assert centres[labels].tolist() == points.tolist()


def test_what_cannot_be_learned_says_why() -> None:
    seen = rounds()
    nothing = Observations(
        **{**{name: getattr(seen, name) for name in Observations.__slots__}, "pickups": ()}
    )
    with pytest.raises(InvalidInput, match="nothing was picked up"):
        learn([nothing])
    dead = Observations(
        **{**{name: getattr(seen, name) for name in Observations.__slots__}, "alive": ~seen.alive}
    )
    with pytest.raises(InvalidInput, match="nobody is alive"):
        learn([dead])


def test_the_whole_is_laws_kept() -> None:
    model = learn([rounds(5)], LearningOptions(nodes=4, primitives=3))
    for node in range(4):
        for end in model.topology.neighbours(node):
            assert model.motion.given_goals(node, int(end)).sum(1) == pytest.approx(1)
    assert model.chain.sum(1) == pytest.approx(1)
    # Values grow along a path towards its item.
    for number, goal in enumerate(model.aims.goals):
        for path in goal.paths:
            along = model.values[number, list(path)]
            assert (np.diff(along) > 0).all()
    assert (node_course(model.topology, rounds(1)) >= 0).all()


#: Over node 0, coming from 3: two of three went on to 1, one back to 3. Coming from 1, the only one
#: went on to 3. Of those who came from 3, one had been at 2 before and went on to 1; the others had
#: begun their lives there. Two ways led to goal 0, two to goal 1.
WAYS = WayCounts(
    np.array(
        [[-1, -1, 1, 0, 3, 0], [-1, -1, 3, 0, 1, 0], [-1, -1, 3, 0, 3, 1], [-1, 2, 3, 0, 1, 1]]
    ),
    np.ones(4),
    4,
)
EVEN = np.array([0.5, 0.5])


def test_where_somebody_comes_from_settles_near_ties() -> None:
    # Without the node before: 2 of 4 to node 1, 2 of 4 to node 3. They count for two moves: (2 +
    # 2·½)/(3 + 2), (1 + 2·½)/5. These count for two moves again, where nobody came from 1 over 3:
    # they stay.
    tied = WAYS.shares((-1, 1, 3), 0, EVEN, WAYS_ALONE)
    assert tied.tolist() == pytest.approx([0.0, 0.6, 0.0, 0.4])
    # Coming from 2 over 3, one of one went on to 1: (1 + 2·.6)/(1 + 2), (0 + 2·.4)/3. Where nobody
    # had been at 1 before, it stays; who had been nowhere before is that one again: (1 +
    # 2·2.2/3)/3, (2·.8/3)/3.
    assert WAYS.shares((1, 2, 3), 0, EVEN, WAYS_ALONE).tolist() == pytest.approx(
        [0.0, 2.2 / 3, 0.0, 0.8 / 3]
    )
    assert WAYS.shares((-1, 2, 3), 0, EVEN, WAYS_ALONE).tolist() == pytest.approx(
        [0.0, 7.4 / 9, 0.0, 1.6 / 9]
    )
    assert WAYS.shares((-1, 2, 1), 0, EVEN, WAYS_ALONE).tolist() == pytest.approx(
        [0.0, 1 / 3, 0.0, 2 / 3]
    )
    # Nobody began a life at 0: all that is known are the shares without the node before.
    assert WAYS.shares(FROM_NOWHERE, 0, EVEN, WAYS_ALONE).tolist() == pytest.approx(
        [0.0, 0.5, 0.0, 0.5]
    )
    utility = np.array([0.0, 1.0, 0.0, 1.25])
    # .6 · (1/1.25)^2 = .384 against .4 · 1: the goal decides; with the power 1 it is .48, and the
    # way does.
    assert habitual_weights(utility, tied, MoveHabit(1.0, 2.0)).tolist() == pytest.approx(
        [0, 0.384, 0, 0.4]
    )
    assert habitual_weights(utility, tied, MoveHabit(1.0, 1.0)).tolist() == pytest.approx(
        [0, 0.48, 0, 0.4]
    )
    published = habitual_weights(utility, tied, AS_PUBLISHED)
    assert published.tolist() == pytest.approx((utility / 1.25).tolist()), (
        "the order of the utilities themselves"
    )
    assert habitual_weights(utility, tied, WAYS_ALONE).tolist() == pytest.approx(
        [0.0, 0.6, 0.0, 0.4]
    )
    assert habitual_weights(np.zeros(4), tied, MoveHabit()).tolist() == pytest.approx(
        [0.0, 0.6, 0.0, 0.4]
    )


def test_a_way_counts_by_the_goal_it_led_to() -> None:
    # Goal 1 is a sixteenth as likely as goal 0, and by the power ½ its ways count a quarter; at
    # least they count .05.
    habit = MoveHabit(goals=0.5)
    assert goal_weights(np.array([0.8, 0.05]), habit).tolist() == pytest.approx([1, 0.25, 0.3])
    assert goal_weights(np.array([1.0, 0.0]), habit).tolist() == pytest.approx([1, 0.05, 0.3])
    assert goal_weights(np.array([1.0, 0.0]), WAYS_ALONE).tolist() == [1, 1, 1]
    # From anywhere 1¼ went on to 1, 1¼ to 3: halves. Coming from 3: 1¼ to 1, ¼ to 3: (1¼ + 2·½)/3½,
    # (¼ + 2·½)/3½.
    shares = WAYS.shares((-1, 1, 3), 0, np.array([0.8, 0.05]), habit)
    assert shares.tolist() == pytest.approx([0, 2.25 / 3.5, 0, 1.25 / 3.5])


def test_ways_are_counted_within_lives(toy: Topology) -> None:
    # Two laps, four things picked up: each move has the three nodes before it, and the goal that
    # was reached next.
    seen = rounds()
    scheme = learn_scheme([seen])
    goals = path_goals(item_paths(toy, scheme, seen))
    assert [goal.item for goal in goals] == [Item("rocket", 2), Item("medikit", 0)] * 2
    ways = count_ways(toy, [seen], goals, scheme)
    counted = dict(zip(map(tuple, ways.ways.tolist()), ways.counts.tolist(), strict=True))
    assert counted == dict.fromkeys(
        [
            (-1, -1, -1, 0, 1, 0),
            (-1, -1, 0, 1, 2, 0),
            (-1, 0, 1, 2, 3, 1),
            (0, 1, 2, 3, 0, 1),
            (1, 2, 3, 0, 1, 2),
            (2, 3, 0, 1, 2, 2),
            (3, 0, 1, 2, 3, 3),
            (0, 1, 2, 3, 0, 3),
        ],
        1.0,
    )
    nothing = count_ways(toy, [replace(seen, pickups=())], goals, scheme)
    assert set(nothing.ways[:, -1].tolist()) == {-1}, "ways that led to nothing"


def test_a_passage_is_followed_round_corners_and_where_the_person_stood_it_stands() -> None:
    # Down to a corner at (0, 4), four frames of standing still, then right; two tiles a step, a
    # tenth of a second each.
    places = [(0, 0), (0, 2), *[(0, 4)] * 5, (2, 4), (4, 4), (6, 4)]
    views = [-90.0] * 4 + [0.0] * 6
    seen = replace(
        rounds(3).part(0, 10),
        position=np.array([[x, y, 0.0] for x, y in places]),
        yaw=np.array(views),
        pickups=(),
    )
    ends = Topology(
        np.array([[0.0, 2, 0], [6.0, 4, 0]]), np.array([[0, 1], [0, 0]], bool), np.ones((2, 2))
    )
    guides = learn_guides(ends, [seen])
    assert guides.moments.tolist() == [
        [x, y, 0, view] for (x, y), view in zip(places, views, strict=True)
    ]
    assert guides.passages.tolist() == [[0, 1, -1, 0, 8, 10]], (
        "frames 0 to 7 of 10 at node 0, on the way to 1"
    )
    follower = PassageFollower(guides, 100.0)
    # Two moments on, and the view two moments on, too.
    first = follower.ahead(-1, 0, 1, (0.3, 0.0, 0.0), -80.0)
    assert first == GuidePoint(0.0, 4.0, -90.0, 200.0)
    assert follower.frames == 8
    assert speed_to(first, (0.0, 0.0)) == pytest.approx(20), "four tiles in a fifth of a second"
    assert follower.ahead(-1, 0, 1, (0.0, 2.0, 0.0), -90.0) == GuidePoint(0.0, 4.0, -90.0, 200.0)
    at_corner = follower.ahead(-1, 0, 1, (0.0, 4.0, 0.0), -90.0)
    assert at_corner == GuidePoint(0.0, 4.0, 0.0, 200.0), "looks on already, and does not go yet"
    assert speed_to(at_corner, (0.0, 4.0)) == 0
    for _ in range(2):
        assert follower.ahead(-1, 0, 1, (0.0, 4.0, 0.0), -45.0) == GuidePoint(
            0.0, 4.0, 0.0, 200.0
        ), "stands"
    assert follower.ahead(-1, 0, 1, (0.0, 4.0, 0.0), 0.0) == GuidePoint(2.0, 4.0, 0.0, 200.0), (
        "time goes on"
    )
    # Who was carried away joins where the person was nearest.
    assert follower.ahead(-1, 0, 1, (-3.0, 0.0, 0.0), -90.0) == GuidePoint(0.0, 4.0, -90.0, 200.0)
    assert follower.ahead(0, 1, 0, (6.0, 4.0, 0.0), 0.0) is None, "nobody went back"


def test_a_passage_from_the_same_node_is_preferred() -> None:
    moments = np.array([[0.0, 0, 0, 0], [1.0, 0, 0, 0], [0.0, 0.5, 0, 0], [1.0, 0.5, 0, 0]])
    follower = PassageFollower(
        GuideSet(moments, np.array([[0, 1, 2, 0, 2, 2], [0, 1, 3, 2, 4, 4]])), 200.0
    )
    # Both are .25 tiles away; who came from 3 takes the way of those who did.
    for before, lane in ((2, 0.0), (3, 0.5)):
        follower.leave()
        joined = follower.ahead(before, 0, 1, (0.0, 0.25, 0.0), 0.0)
        assert joined is not None
        assert joined.y == lane


def test_the_next_node_is_drawn_by_its_weight() -> None:
    square = Topology(CORNERS, np.ones((4, 4), bool), np.ones((4, 4)))
    rng = np.random.default_rng(1)
    drawn = [drawn_node(square, 0, np.array([0.0, 0.6, 0.0, 0.2]), rng) for _ in range(4000)]
    assert set(drawn) == {1, 3}
    assert drawn.count(1) / 4000 == pytest.approx(0.75, abs=0.03)
    nowhere = Topology(CORNERS, np.zeros((4, 4), bool), np.ones((4, 4)))
    assert drawn_node(nowhere, 0, np.ones(4), rng) is None
