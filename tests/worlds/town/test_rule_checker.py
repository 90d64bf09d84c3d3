"""The rule checker on planted violations: every rule is found where it was planted, and nothing
else is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from believable.core.errors import NotFound
from believable.recordings.importers.generative_agents import import_run
from believable.recordings.recording import Action, Actor, PlanStep, Recording, Timing, Track
from believable.worlds.town.layout import town_map
from believable.worlds.town.recording import record_town
from believable.worlds.town.rule_checker.checker import check_town
from believable.worlds.town.rule_checker.rules import CATEGORIES, HIDDEN, RULES
from believable.worlds.town.townsfolk import townsfolk

TOWN, PEOPLE = town_map(7), townsfolk(7, 4)
ADA, BEN = PEOPLE[0], PEOPLE[1]
H = ADA.home
OTHER = next(persona.home for persona in PEOPLE if persona.home != ADA.home)
#: A tile in ten seconds.
STEP_MS = 10_000


def act(
    at: float,
    minutes: float,
    verb: str,
    thing: str | None = None,
    place: str | None = f"{H}.living",
    *,
    actor: str = "ada",
    serves: str | None = "goal",
    **more: str,
) -> Action:
    name = more.pop("id", f"{actor}{at}")
    t0, t1 = round(at * 60_000), round((at + minutes) * 60_000)
    return Action(
        id=name,
        actor=actor,
        t0_ms=t0,
        t1_ms=t1,
        verb=verb,
        object=thing,
        place=place,
        text=more.pop("text", verb),
        serves=serves,
        **more,
    )


def use(
    at: float, minutes: float, thing: str, activity: str, room: str = "living", **more: str
) -> Action:
    place = room if "." in room else f"{H}.{room}"
    return act(
        at,
        minutes,
        "use",
        f"{H}.{thing}" if "." not in thing else thing,
        place,
        activity=activity,
        **more,
    )


def meal(at: float, name: str) -> list[Action]:
    """A cold meal, as it should be: five minutes before `at` it is prepared."""
    return [
        act(at - 10, 0.2, "pick-up", f"ingredients {at:g}", f"{H}.kitchen", target=f"{H}.fridge1"),
        use(at - 9, 6, "counter1", "prepare", "kitchen"),
        use(at, 20, "table1", "eat", id=name),
    ]


#: A morning without anything wrong in it.
CLEAN = (
    use(0, 320, ADA.bed, "sleep", "bedroom"),
    use(325, 3, "toilet1", "toilet", "bathroom"),
    use(329, 1, "basin1", "wash_hands", "bathroom"),
    use(331, 10, "shower1", "shower", "bathroom"),
    *meal(360, "breakfast"),
    use(385, 4, "sink1", "wash_up", "kitchen"),
    act(396, 0.2, "open", f"{H}.door"),
    act(397, 0.5, "move-to", f"{H}.door", None, target="street"),
    act(398, 0.2, "close", f"{H}.door", None),
    act(399, 10, "move-to", "bakery.counter1", "bakery.shop"),
    use(410, 20, "bakery.counter1", "serve", "bakery.shop"),
)
HOME_AGAIN = act(590, 5, "move-to", f"{H}.table1")


@dataclass(frozen=True)
class Plant:
    """Actions after the clean morning, of which `wrong` break the rule; tracks where the rule is
    about places.
    """

    actions: Sequence[Action]
    wrong: tuple[str, ...] = ("x",)
    tracks: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)
    minutes: int = 1439


def still(tile: tuple[int, int], minutes: int = 1439) -> list[tuple[int, int]]:
    return [tile] * (minutes * 6)


WALL = next((x, y) for y, row in enumerate(TOWN.walls) for x, tile in enumerate(row) if tile == "#")
SPEECH = {"text": "Hello", "place": "cafe.room"}
PLANTS: Mapping[str, Plant] = {
    "serves nothing": Plant(
        [HOME_AGAIN, act(600, 20, "use", f"{H}.desk1", activity="write", serves=None, id="x")]
    ),
    "twice the same meal": Plant([HOME_AGAIN, *meal(620, "first"), *meal(665, "x")]),
    "work elsewhere": Plant(
        [HOME_AGAIN, act(600, 20, "use", f"{H}.desk1", activity="write", serves="work", id="x")]
    ),
    "through a wall": Plant(
        [HOME_AGAIN, act(600, 5, "move-to", f"{H}.desk1", id="x")],
        tracks={"ben": [], "clara": [], "ada": [(WALL[0], WALL[1] - 1)] * 3602 + [WALL] * 20},
    ),
    "too fast": Plant(
        [HOME_AGAIN, act(600, 5, "move-to", f"{H}.desk1", id="x")],
        tracks={"ada": [(30, 12)] * 3602 + [(50, 12)] * 20},
    ),
    "not switched on": Plant(
        [
            HOME_AGAIN,
            act(598, 0.2, "pick-up", "ingredients 9", f"{H}.kitchen", target=f"{H}.fridge1"),
            use(600, 20, "stove1", "cook", "kitchen", id="x"),
        ]
    ),
    "without what it takes": Plant(
        [
            HOME_AGAIN,
            use(598, 1, "stove1", "switch_on", "kitchen"),
            use(600, 20, "stove1", "cook", "kitchen", id="x"),
            use(621, 1, "stove1", "switch_off", "kitchen"),
        ]
    ),
    "out of reach": Plant(
        [HOME_AGAIN, use(600, 20, "desk1", "write", id="x")],
        tracks={"ada": still(TOWN.stand(f"{H}.table1"))},
    ),
    "more than fit": Plant(
        [
            HOME_AGAIN,
            use(600, 20, "desk1", "write"),
            use(605, 10, "desk1", "write", actor="dario", id="x"),
        ]
    ),
    "closed place": Plant(
        [use(1300, 5, "grocery.display shelf1", "browse", "grocery.shop", id="x")]
    ),
    "odd hour": Plant([HOME_AGAIN, use(840, 60, ADA.bed, "sleep", "bedroom", id="x")]),
    "odd duration": Plant([HOME_AGAIN, use(840, 90, "shower1", "shower", "bathroom", id="x")]),
    "two things at once": Plant(
        [HOME_AGAIN, use(600, 30, "desk1", "write"), use(610, 10, "sofa1", "rest", id="x")]
    ),
    "no sleep": Plant([use(600, 10, "sofa1", "rest", actor="dario", id="x")], minutes=1440),
    "somebody's home": Plant(
        [act(600, 5, "move-to", f"{OTHER}.table1", f"{OTHER}.living", id="x")]
    ),
    "staff only": Plant(
        [
            act(600, 5, "move-to", "cafe.table1", "cafe.room"),
            act(606, 1, "move-to", "cafe.sink1", "cafe.kitchen", id="x"),
        ]
    ),
    "bathroom in use": Plant(
        [HOME_AGAIN, act(600, 1, "move-to", f"{H}.basin1", f"{H}.bathroom", id="x")],
        tracks={"dario": still(TOWN.stand(f"{H}.shower1"))},
    ),
    "somebody's bed": Plant([HOME_AGAIN, use(1300, 60, BEN.bed, "sleep", "bedroom", id="x")]),
    "not paid": Plant(
        [
            act(600, 5, "move-to", "grocery.display shelf1", "grocery.shop"),
            act(
                606,
                0.2,
                "pick-up",
                "ingredients 5",
                "grocery.shop",
                target="grocery.display shelf1",
            ),
            act(608, 5, "move-to", "park.bench1", None, id="x"),
        ]
    ),
    "talks to a sleeper": Plant(
        [
            act(1300, 60, "use", BEN.bed, f"{BEN.home}.bedroom", actor="ben", activity="sleep"),
            act(1310, 0.2, "speak", actor="dario", target="ben", id="x", **SPEECH),
        ]
    ),
    "no answer": Plant([act(600, 0.2, "speak", target="ben", id="x", **SPEECH)]),
    "cannot be done": Plant(
        [act(600, 0.2, "open", "cafe.door", "bakery.shop", refused="locked", id="x")]
    ),
    "to and fro": Plant(
        [
            HOME_AGAIN,
            *(
                act(
                    600 + n,
                    1,
                    "move-to",
                    f"{H}.{'sofa1' if n % 2 else 'desk1'}",
                    id="x" if n == 3 else f"m{n}",
                )
                for n in range(4)
            ),
        ]
    ),
    "idle": Plant([HOME_AGAIN, act(600, 45, "wait", id="x")]),
    "again and again": Plant(
        [
            HOME_AGAIN,
            *(
                act(600 + n, 0.2, "close", f"{H}.bedroom.door", id="x" if n == 2 else f"c{n}")
                for n in range(3)
            ),
        ]
    ),
    "unwashed hands": Plant(
        [
            HOME_AGAIN,
            use(600, 3, "toilet1", "toilet", "bathroom"),
            act(604, 0.2, "pick-up", "ingredients 4", f"{H}.kitchen", target=f"{H}.fridge1"),
            use(606, 6, "counter1", "prepare", "kitchen", id="x"),
        ]
    ),
    "front door left open": Plant(
        [
            HOME_AGAIN,
            act(600, 0.2, "open", f"{H}.door"),
            act(601, 10, "move-to", "park.bench1", None, id="x"),
        ]
    ),
    "left switched on": Plant(
        [
            HOME_AGAIN,
            use(600, 1, "stove1", "switch_on", "kitchen"),
            act(601, 9, "move-to", "park.bench1", None, id="x"),
        ]
    ),
    "late music": Plant([use(1250, 8, "hall.piano1", "practise", "hall.hall", id="x")]),
    "late meal": Plant([HOME_AGAIN, *meal(1355, "x")]),
    "talk at night": Plant(
        [
            act(1330, 0.2, "speak", None, None, target="ben", id="x", text="Hello"),
            act(1331, 0.2, "speak", None, None, actor="ben", target="ada", id="y", text="Hello"),
        ],
        ("x", "y"),
    ),
    "dirty hands": Plant(
        [
            use(560, 6, "park.pond1", "feed_ducks", "park.park"),
            HOME_AGAIN,
            use(600, 20, "sofa1", "read", id="x"),
            use(630, 20, "sofa1", "read"),
        ]
    ),
    "no break": Plant(
        [
            use(440 + 60 * number, 60, "bakery.counter1", "serve", "bakery.shop", id=name)
            for number, name in enumerate(("a", "b", "c", "d", "x"))
        ]
    ),
    "holds up the work": Plant(
        [
            act(
                430.2 + 0.3 * number,
                0.2,
                "speak",
                None,
                "bakery.shop",
                actor=("ben", "ada")[number % 2],
                target=("ada", "ben")[number % 2],
                text=f"line {number}",
                id="x" if number == 4 else f"line {number}",
            )
            for number in range(6)
        ]
    ),
    "once too often": Plant(
        [
            HOME_AGAIN,
            use(600, 10, "shower1", "shower", "bathroom"),
            use(700, 10, "shower1", "shower", "bathroom", id="x"),
            use(800, 10, "shower1", "shower", "bathroom"),
        ]
    ),
    "loud in the library": Plant(
        [
            act(600, 0.2, "speak", None, "library.hall", target="ben", id="x", text="Hello"),
            act(
                601,
                0.2,
                "speak",
                None,
                "library.hall",
                actor="ben",
                target="ada",
                id="y",
                text="Hello",
            ),
        ],
        ("x", "y"),
    ),
}


def recording(plant: Plant) -> Recording:
    frames = plant.minutes * 6
    work = PlanStep(
        id="work",
        actor="ada",
        parent="goal",
        level=1,
        t0_ms=0,
        t1_ms=frames * STEP_MS,
        text="Work",
        activity="serve",
        place="bakery",
    )
    goal = PlanStep(
        id="goal",
        actor="ada",
        parent=None,
        level=0,
        t0_ms=0,
        t1_ms=frames * STEP_MS,
        text="The day",
    )
    tracks = [
        Track(
            actor=actor,
            x=tuple(x * 1000 + 500 for x, _ in tiles),
            y=tuple(y * 1000 + 500 for _, y in tiles),
        )
        for actor, tiles in plant.tracks.items()
        if tiles
    ]
    actors = tuple(Actor(p.id, p.name, "person", {"workplace": p.workplace}) for p in PEOPLE)
    clean = () if plant.tracks else CLEAN
    return Recording(
        world=record_town(TOWN, PEOPLE),
        actors=actors,
        timing=Timing(
            frame_ms=STEP_MS,
            frames=frames,
            simulated_start="2024-05-06T00:00:00",
            simulated_ms_per_frame=STEP_MS,
        ),
        tracks=tuple(tracks),
        actions=(*clean, *plant.actions),
        plans=(goal, work),
    )


def test_a_clean_morning_has_nothing_wrong_and_fulfils_its_intention() -> None:
    findings = check_town(recording(Plant([])))
    assert findings.violations == ()
    assert (findings.actions, findings.per_100, findings.intentions_fulfilled) == (
        len(CLEAN),
        0.0,
        1.0,
    )
    assert findings.skipped == ()


@pytest.mark.parametrize("rule", PLANTS)
def test_a_planted_violation_is_found_where_it_is_and_nothing_else(rule: str) -> None:
    findings = check_town(recording(PLANTS[rule]))
    assert [(v.rule, v.action) for v in findings.violations] == [
        (rule, name) for name in PLANTS[rule].wrong
    ]
    assert findings.violations[0].category == RULES[rule]
    assert findings.violations[0].hidden == (rule in HIDDEN)
    known = 0 if rule in HIDDEN else len(PLANTS[rule].wrong)
    assert sum(findings.by_category().values()) == known


GOODS = "grocery.display shelf1"
TO_SHELF = act(600, 5, "move-to", GOODS, "grocery.shop")
LEAVES = act(620, 5, "move-to", "park.bench1", None, id="x")


def taken(at: float, verb: str, thing: str = "ingredients 5") -> Action:
    return act(at, 0.2, verb, thing, "grocery.shop", target=GOODS)


def said(at: float, speaker: str, target: str, text: str) -> Action:
    return act(at, 0.2, "speak", None, "cafe.room", actor=speaker, target=target, text=text)


#: What looks like a violation and is none, and what something else nearby does not excuse.
BORDERS: Mapping[str, tuple[Sequence[Action], list[tuple[str, str]]]] = {
    "goods put back need not be paid": (
        [TO_SHELF, taken(606, "pick-up"), taken(610, "put"), LEAVES],
        [],
    ),
    "one of two goods of a kind is put back": (
        [
            TO_SHELF,
            taken(606, "pick-up"),
            taken(607, "pick-up", "ingredients 6"),
            taken(610, "put"),
            LEAVES,
        ],
        [("not paid", "x")],
    ),
    "both goods of a kind are put back": (
        [
            TO_SHELF,
            taken(606, "pick-up"),
            taken(607, "pick-up", "ingredients 6"),
            taken(610, "put"),
            taken(611, "put", "ingredients 6"),
            LEAVES,
        ],
        [],
    ),
    "putting down one's own thing does not pay for the goods": (
        [
            act(598, 0.2, "pick-up", "ingredients 9", f"{H}.kitchen", target=f"{H}.fridge1"),
            TO_SHELF,
            taken(606, "pick-up"),
            taken(610, "put", "ingredients 9"),
            LEAVES,
        ],
        [("not paid", "x")],
    ),
    "goods that were taken twice and put back once": (
        [TO_SHELF, taken(606, "pick-up"), taken(607, "put"), taken(608, "pick-up"), LEAVES],
        [("not paid", "x")],
    ),
    "one of two goods without numbers is put back": (
        [
            TO_SHELF,
            taken(606, "pick-up", "ingredients"),
            taken(607, "pick-up", "ingredients"),
            taken(610, "put", "ingredients"),
            LEAVES,
        ],
        [("not paid", "x")],
    ),
    "an oven at work may stay on": (
        [
            use(600, 1, "bakery.oven1", "switch_on", "bakery.bakehouse"),
            act(604, 9, "move-to", "park.bench1", None),
        ],
        [],
    ),
    "the librarian may talk in the library": (
        [
            act(600, 0.2, "speak", None, "library.hall", actor="clara", target="ada", text="Hello"),
            act(601, 0.2, "speak", None, "library.hall", target="clara", text="Hello"),
        ],
        [],
    ),
    "words to nobody in particular need no answer": (
        [act(600, 0.2, "speak", None, "cafe.room", text="Hello")],
        [],
    ),
    "an action that begins when the last one ends": (
        [HOME_AGAIN, use(600, 30, "desk1", "write"), use(630, 10, "sofa1", "rest")],
        [],
    ),
    "the staff may take goods": (
        [
            act(600, 5, "move-to", GOODS, "grocery.shop", actor="dario"),
            act(606, 0.2, "pick-up", "ingredients 5", "grocery.shop", target=GOODS, actor="dario"),
            act(620, 5, "move-to", "park.bench1", None, actor="dario"),
        ],
        [],
    ),
    "an answer that comes first": (
        [said(598.1, "ben", "ada", "Hi"), said(600, "ada", "ben", "Hello")],
        [],
    ),
    "speech that is refused is no answer": (
        [
            said(600, "ada", "ben", "Hello"),
            replace(said(601, "ben", "ada", "Hi"), refused="too far", id="y"),
        ],
        [("no answer", "ada600"), ("cannot be done", "y")],
    ),
    "goods paid for may be taken home": (
        [
            TO_SHELF,
            taken(606, "pick-up"),
            use(610, 1, "grocery.counter1", "pay", "grocery.shop"),
            LEAVES,
        ],
        [],
    ),
    "a meal 75 minutes after the last": ([HOME_AGAIN, *meal(620, "first"), *meal(716, "x")], []),
    "a meal less than 75 minutes after the last": (
        [HOME_AGAIN, *meal(620, "first"), *meal(714, "x")],
        [("twice the same meal", "x")],
    ),
    "half an hour of waiting": ([HOME_AGAIN, act(600, 30, "wait")], []),
    "more than half an hour of waiting": (
        [HOME_AGAIN, act(600, 31, "wait", id="x")],
        [("idle", "x")],
    ),
    "a desk that is free again": (
        [HOME_AGAIN, use(600, 20, "desk1", "write"), use(621, 10, "desk1", "write", actor="dario")],
        [],
    ),
    "two at a table for several": (
        [HOME_AGAIN, use(600, 20, "table1", "sit"), use(605, 10, "table1", "sit", actor="dario")],
        [],
    ),
    "leaving with the stove switched off again": (
        [
            HOME_AGAIN,
            use(600, 1, "stove1", "switch_on", "kitchen"),
            use(602, 1, "stove1", "switch_off", "kitchen"),
            act(604, 9, "move-to", "park.bench1", None),
        ],
        [],
    ),
    "an answer within two minutes": (
        [said(600, "ada", "ben", "Hello"), said(602, "ben", "ada", "Hi")],
        [],
    ),
    "an answer after more than two minutes": (
        [said(600, "ada", "ben", "Hello"), said(602.1, "ben", "ada", "Hi")],
        [("no answer", "ada600"), ("no answer", "ben602.1")],
    ),
    "what was said an hour ago is no answer": (
        [
            said(540, "ben", "ada", "Hi"),
            said(541, "ada", "ben", "Hello"),
            said(600, "ada", "ben", "Where?"),
        ],
        [("no answer", "ada600")],
    ),
    "what was said to another is no answer": (
        [
            said(600, "ada", "ben", "Hello"),
            said(601, "ben", "clara", "Hi"),
            said(601.5, "clara", "ben", "Hi"),
        ],
        [("no answer", "ada600")],
    ),
}


@pytest.mark.parametrize("case", BORDERS)
def test_borders_of_the_rules(case: str) -> None:
    actions, expected = BORDERS[case]
    violations = check_town(recording(Plant(actions))).violations
    assert [(v.rule, v.action) for v in violations] == expected


@pytest.mark.parametrize(
    ("dx", "dy", "rules"),
    [
        (1, 0, []),
        (2, 0, ["out of reach"]),
        (0, 1, []),
        (0, 2, ["out of reach"]),
        (1, 1, ["out of reach"]),
    ],
)
def test_a_neighbouring_tile_is_in_reach(dx: int, dy: int, rules: list[str]) -> None:
    x, y = TOWN.stand(f"{H}.desk1")
    plant = Plant([use(600, 20, "desk1", "write", id="x")], tracks={"ada": still((x + dx, y + dy))})
    violations = check_town(recording(plant)).violations
    assert [v.rule for v in violations if v.rule == "out of reach"] == rules


@pytest.mark.parametrize(("tiles", "rules"), [(3, []), (4, ["too fast"])])
def test_three_and_a_half_tiles_in_ten_seconds_are_the_fastest(
    tiles: int, rules: list[str]
) -> None:
    row = next(y for y, row in enumerate(TOWN.walls) if "." * 12 in row.replace(" ", "."))
    x = TOWN.walls[row].replace(" ", ".").index("." * 12)
    way = [(x, row)] * 3602 + [(x + tiles, row)] * 20
    plant = Plant([act(600, 5, "move-to", f"{H}.desk1", id="x")], tracks={"ada": way})
    violations = check_town(recording(plant)).violations
    assert [v.rule for v in violations if v.rule in ("too fast", "through a wall")] == rules


@pytest.mark.parametrize(("slept_min", "rules"), [(179, ["no sleep"]), (180, [])])
def test_three_hours_of_sleep_are_a_night(slept_min: int, rules: list[str]) -> None:
    plant = Plant(
        [use(0, slept_min, ADA.bed, "sleep", "bedroom")],
        tracks={"ben": still((1, 1))},
        minutes=1440,
    )
    violations = check_town(recording(plant), "ada").violations
    assert [v.rule for v in violations if v.rule == "no sleep"] == rules


@pytest.mark.parametrize(
    ("begins_min", "refused", "fulfilled"),
    [
        (540, None, 1),  # within its time
        (540, "closed", 0),
        (491, None, 0),  # ends 46 minutes too early
        (499, None, 1),
        (689, None, 1),
        (691, None, 0),  # begins 91 minutes too late
    ],
)
def test_an_intention_is_fulfilled_about_its_time(
    begins_min: float, refused: str | None, fulfilled: int
) -> None:
    """From 540 to 600: 45 minutes of grace before and 90 after."""
    step = PlanStep(
        id="s",
        actor="ada",
        parent=None,
        level=1,
        t0_ms=540 * 60_000,
        t1_ms=600 * 60_000,
        text="Read",
        activity="read",
        place=None,
    )
    begun = act(begins_min, 3, "use", f"{H}.sofa1", activity="read")
    done = replace(begun, refused=refused)
    found = check_town(replace(recording(Plant([])), actions=(done,), plans=(step,)))
    assert (found.intentions, found.fulfilled) == (1, fulfilled)


def test_time_that_was_cut_out_counts_only_after_its_cut() -> None:
    """Six hours are cut out after the first: five hours become 11:00, and fifteen become 21:00."""
    day = recording(Plant([], tracks={"ben": still((1, 1))}))
    timing = replace(day.timing, jumps=((361, 6 * 3_600_000),))
    actions = tuple(
        use(at, 55, ADA.bed, "sleep", "bedroom", id=f"at {at}") for at in (0.5, 300, 900)
    )
    found = check_town(replace(day, timing=timing, actions=actions)).violations
    assert [v.action for v in found if v.rule == "odd hour"] == ["at 300"]


def test_durations_are_simulated_time() -> None:
    """A frame of a second shows ten seconds: a shower of six minutes is one hour."""
    day = recording(Plant([]))
    timing = replace(day.timing, frame_ms=1000, simulated_ms_per_frame=10_000)
    shower = use(0, 6, "shower1", "shower", "bathroom", id="x")
    found = check_town(replace(day, timing=timing, actions=(shower,))).violations
    assert [(v.rule, v.reason) for v in found if v.rule == "odd duration"] == [
        ("odd duration", "shower for 60.0 minutes")
    ]


def test_the_first_action_of_a_day_counts_as_begun() -> None:
    showers = [
        use(at, 5, "shower1", "shower", "bathroom", id=f"x{at}") for at in (0, 100, 110, 200)
    ]
    found = check_town(recording(Plant(showers))).violations
    assert [v.action for v in found if v.rule == "once too often"] == ["x200"], (
        "the third that is begun; the one after five minutes continues the second"
    )


def test_a_track_that_begins_late_or_ends_early_stays_at_its_ends() -> None:
    x, y = TOWN.stand(f"{H}.desk1")
    far = (x + 5, y)
    write = use(600, 20, "desk1", "write", id="x")
    for tiles, first_frame, rules in (
        ([(x, y), far], 3700, []),
        ([far, (x, y)], 0, []),
        ([(x, y), far], 0, ["out of reach"]),
        ([far] * 3600 + [(x, y)] * 10, 0, []),
        ([far] * 3600 + [(x, y)] * 10, 20, ["out of reach"]),
    ):
        plant = recording(Plant([write], tracks={"ada": tiles}))
        track = replace(plant.tracks[0], first_frame=first_frame)
        found = check_town(replace(plant, tracks=(track,))).violations
        assert [v.rule for v in found if v.rule == "out of reach"] == rules


def test_walls_are_reported_once_for_each_action() -> None:
    tiles = [(WALL[0], WALL[1] - 1), WALL] * 5
    walk = act(0, 5, "move-to", f"{H}.desk1", id="x")
    plant = recording(Plant([walk], tracks={"ada": tiles}))
    assert [v.action for v in check_town(plant).violations if v.rule == "through a wall"] == ["x"]
    before = recording(Plant([replace(walk, t0_ms=0, t1_ms=5000)], tracks={"ada": tiles}))
    found = [v.action for v in check_town(before).violations if v.rule == "through a wall"]
    assert found == ["x"], "a step after the last action belongs to it"


def test_sleep_counts_on_the_day_of_its_hours() -> None:
    """From 23:00 to 02:30: one hour of the first day, and two and a half of the second."""
    night = use(23 * 60, 210, ADA.bed, "sleep", "bedroom")
    plant = recording(Plant([night], tracks={"ben": still((1, 1))}, minutes=2880))
    reasons = [v.reason for v in check_town(plant, "ada").violations if v.rule == "no sleep"]
    assert reasons == ["day 1: 60 minutes of sleep", "day 2: 150 minutes of sleep"]


def test_one_closed_door_is_one_mistake_until_half_an_hour_has_passed() -> None:
    """A mind that hammers a door does wrong once, not once a step."""
    tries = [
        replace(act(at, 0.2, "open", "library.door", None, id=f"t{at}"), refused="it is locked")
        for at in (600, 601, 620, 645, 700)
    ]
    found = check_town(recording(Plant([act(598, 1, "move-to", "library.door", None), *tries])))
    assert [v.action for v in found.violations if v.rule == "cannot be done"] == ["t600", "t700"]


def test_violations_are_counted_per_100_actions() -> None:
    found = check_town(recording(PLANTS["idle"]))
    assert found.per_100 == 100 / found.actions


def test_every_rule_is_planted_and_every_category_has_one() -> None:
    assert set(PLANTS) == set(RULES)
    assert {*RULES.values()} == {*CATEGORIES}


def test_one_person_can_be_asked_for() -> None:
    plant = recording(PLANTS["loud in the library"])
    assert [v.action for v in check_town(plant, "ben").violations] == ["y"]
    with pytest.raises(NotFound, match="nobody is called 'bne'"):
        check_town(plant, "bne")


def test_nothing_recorded_is_undefined() -> None:
    plan = Recording(
        world=record_town(TOWN, PEOPLE),
        actors=(),
        timing=Timing(frame_ms=1000, frames=1),
        tracks=(),
    )
    findings = check_town(plan)
    assert (findings.per_100, findings.intentions_fulfilled) == (None, None)


def test_an_imported_run_of_generative_agents_is_checked_as_far_as_its_log_goes(
    public_data: Callable[[str], Path],
) -> None:
    findings = check_town(import_run(public_data("generative_agents")).replay)
    assert findings.actions > 0
    assert {v.rule for v in findings.violations} <= {
        "through a wall",
        "too fast",
        "two things at once",
        "no sleep",
    }
    assert [note.partition(":")[0] for note in findings.skipped] == [
        "no objects in the recording",
        "no activities in the recording",
        "no facts about places",
        "no action says which plan step it serves",
        "no intention says what would fulfil it",
    ]
