"""Flags find the action that people reacted to: hand-counted cases, and a planted delay."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from believable.analysis import data as analysis_data
from believable.analysis.reaction_delays import median_delay, moment_before, stood_still
from believable.analysis.resolution import resolve
from believable.analysis.run import run
from believable.analysis.viewed_actions import ActionFlag, LoggedActions, Stretches, seeing_of
from believable.bundle import memory
from believable.bundle.read import Bundle
from believable.protocols.replay.flag_windows import place_flag, place_flags
from believable.protocols.replay.planted_truth import ReplayTruth
from believable.protocols.replay.watched_days import watched_replays
from believable.simulate.simulated_sessions import Sessions
from believable.study.declaration import DeclaredPlan

#: Each action is on screen for 10 s of the recording: 200 ms at 50×.
ACTIONS = LoggedActions.of(
    ["a", "b", "c", "d"], [0, 10_000, 20_000, 30_000], [9_999, 19_999, 29_999, 39_999]
)
AT_50 = Stretches(np.array([0.0]), np.array([40_000.0]), np.array([50.0]))


def test_a_late_press_belongs_to_the_action_that_was_on_screen_before() -> None:
    late = ActionFlag(35_000, "d", "moment")
    assert place_flag(late, ACTIONS, AT_50, 0).action == "d"
    assert place_flag(late, ACTIONS, AT_50, 200).action == "c"
    assert place_flag(late, ACTIONS, AT_50, 400).action == "b"
    assert place_flag(late, ACTIONS, AT_50, 3_000).action == "a", "no earlier than what was played"


def test_what_the_person_chose_is_not_moved() -> None:
    assert place_flag(ActionFlag(35_000, "c", "choice", 300), ACTIONS, AT_50, 600).action == "c"
    assert place_flag(ActionFlag(35_000, "b", "line"), ACTIONS, AT_50, 600).action == "b"
    alone = place_flag(
        ActionFlag(35_000, "c", "choice", 300), ACTIONS, AT_50, 600, trust_choice=False
    )
    assert alone.action == "a", "0.6 s before at 50× is 30 s of the recording"


def test_a_press_while_the_stimulus_stops_is_about_what_it_shows() -> None:
    paused = Stretches(np.array([0.0]), np.array([35_000.0]), np.array([50.0]))
    assert stood_still(paused, 35_000)
    assert place_flag(ActionFlag(35_000, "d", "moment"), ACTIONS, paused, 600).action == "d"


def test_the_moment_before_goes_through_pauses_and_changes_of_speed() -> None:
    played = Stretches(
        np.array([0.0, 10_000.0]), np.array([10_000.0, 40_000.0]), np.array([10.0, 50.0])
    )
    # 100 ms at 50× are 5,000 ms of the recording; the other 200 ms were played at 10×.
    assert moment_before(played, 15_000, 300) == pytest.approx(10_000 - 200 * 10)


def test_the_delay_is_the_median_of_usable_trials() -> None:
    measured = median_delay([40, 400, 500, 900, 5_000])
    assert measured is not None
    assert (measured.delay_ms, measured.trials) == (500, 3)
    assert median_delay([400, 500]) is None


def test_each_person_has_the_window_of_their_own_delay() -> None:
    """At 10×, 1 s of a person's delay is an action. All press while `d` is on screen; the third
    one's delay was not measured.
    """
    delays_ms: dict[str, list[float]] = {
        "quick": [500, 600, 700],
        "slow": [1_500, 1_600, 1_900],
        "unmeasured": [],
    }
    rows: dict[str, list[dict[str, object]]] = {
        name: [] for name in ("participants", "trials", "views", "flags", "reactions")
    }
    for session, own in delays_ms.items():
        place = {"session": session, "position": 1, "stimulus": "day0"}
        rows["participants"].append({"session": session})
        rows["trials"].append(
            place | {"trial": "day", "trial_key": "day", "kind": "watch", "condition": "ours"}
        )
        rows["views"].append(place | {"from_ms": 0, "to_ms": 40_000, "rate": 10.0})
        rows["flags"].append(place | {"action": "d", "media_ms": 35_000.0, "how": "moment"})
        rows["reactions"] += [
            {"session": session, "seq": seq, "delay_ms": delay_ms}
            for seq, delay_ms in enumerate(own)
        ]
    spans = zip(ACTIONS.ids, ACTIONS.from_ms, ACTIONS.to_ms, strict=True)
    actions = [
        {"stimulus": "day0", "action": name, "from_ms": since, "to_ms": until}
        for name, since, until in spans
    ]
    plan = resolve(DeclaredPlan.model_validate({"protocol": "replay"}), None)
    data = analysis_data.load(memory.bundle({**rows, "actions": actions}), plan, None)
    placed = place_flags(data, watched_replays(data, plan), seeing_of(plan), 2_600)
    for days in (placed.seen, placed.by_window):
        flagged = {
            day.session: [ACTIONS.ids[place] for place in np.flatnonzero(day.judged.flagged)]
            for day in days
        }
        assert flagged == {"quick": ["c"], "slow": ["b"], "unmeasured": ["a"]}
    assert (placed.moved, placed.n_unmeasured) == (3, 1)


def test_the_planted_delay_is_measured_and_used(
    simulated: Callable[..., tuple[Sessions, Bundle]],
) -> None:
    _, bundle = simulated(
        "replay", 40, ReplayTruth(delay_ms=800, delay_spread=0.05, d_control=2.0, d_environment=2.0)
    )
    analysis = run(bundle)
    (table,) = (table for table in analysis.tables if table.name == "flags_by_window")
    rows = {
        str(row[0]): dict(zip([column.name for column in table.columns], row, strict=True))
        for row in table.rows
    }
    chosen, alone = rows["choice, else own window"], rows["own window alone"]
    assert chosen["measured"] == alone["measured"]
    assert int(str(chosen["measured"])) > 30
    assert float(str(chosen["d_prime"])) > float(str(alone["d_prime"])), (
        "a choice knows more than a window"
    )
    words = " ".join(
        paragraph
        for section in analysis.sections
        if section.name == "noticed"
        for paragraph in section.paragraphs
    )
    middle = float(words.partition("median ")[2].partition(" ms")[0].replace(",", ""))
    assert middle == pytest.approx(800, rel=0.1)
