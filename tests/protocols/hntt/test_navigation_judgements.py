"""From answers and what stood where to right and wrong choices."""

from __future__ import annotations

import numpy as np

from believable.protocols.hntt.navigation_judgements import agents, judgements


def found(studies, n=4, change=lambda tables: None, **options):
    data, plan = studies.data_of(studies.judges(n, change=change, **options))
    return data, judgements(data), plan


def by_hand(tables):
    """Right choices by session, looked up row by row."""
    right = {}
    for answer in tables["answers"]:
        if answer["question"] == "which":
            player = ("first", "second").index(answer["value_text"])
            shown = next(
                row
                for row in tables["shown"]
                if (row["session"], row["position"], row["player"])
                == (answer["session"], answer["position"], player)
            )
            right.setdefault(answer["session"], []).append(shown["condition"] == "human")
    return {session: np.mean(values) for session, values in right.items()}


def test_accuracy_is_the_share_of_trials_with_the_human_one(studies):
    kept = {}
    data, judged, plan = found(studies, 6, lambda tables: kept.update(by_hand(tables)))
    (one,) = agents(judged, plan.roles["human"])
    np.testing.assert_allclose(one.accuracy(), [kept[session] for session in data.sessions])
    assert one.agent == "agent"
    assert set(one.pair) == {f"a{place} / h{place}" for place in range(6)}


def test_uncertainty_stands_beside_its_own_choice(studies):
    given = {}

    def remember(tables):
        for row in tables["answers"]:
            if row["question"] == "certainty":
                given[row["session"], row["position"]] = row["value_number"]
        tables["answers"].reverse()

    data, judged, plan = found(studies, 3, remember)
    (one,) = agents(judged, plan.roles["human"])
    expected = [
        np.mean([given[session, position] for position in range(1, 7)]) for session in data.sessions
    ]
    np.testing.assert_allclose(one.mean_uncertainty(), expected)


def test_choices_that_name_neither_are_counted_not_judged(studies):
    def change(tables):
        choices = [row for row in tables["answers"] if row["question"] == "which"]
        choices[0]["value_text"] = "neither"
        choices[1]["value_text"] = None

    _, judged, _ = found(studies, 2, change)
    assert (len(judged), judged.undecided) == (10, 2)


def test_pages_with_one_or_three_players_are_no_pairs(studies):
    def change(tables):
        rows = [row for row in tables["shown"] if row["session"] == "j0000"]
        tables["shown"].remove(next(row for row in rows if row["position"] == 1))
        tables["shown"].append(
            dict(next(row for row in rows if row["position"] == 2), player=2, stimulus="x")
        )

    _, judged, _ = found(studies, 2, change)
    assert len(judged) == 10


def test_letters_and_numbers_name_sides_too(studies):
    def change(tables):
        for row in tables["answers"]:
            if row["question"] == "which":
                place = ("first", "second").index(row["value_text"])
                row["value_text"] = "AB"[place] if row["session"] == "j0000" else str(place)

    _, letters, _ = found(studies, 3, change)
    _, words, _ = found(studies, 3)
    np.testing.assert_array_equal(letters.chose_first, words.chose_first)


def test_a_choice_may_be_a_number(studies):
    def change(tables):
        for row in tables["answers"]:
            if row["question"] == "which":
                row["value_number"] = ("first", "second").index(row.pop("value_text"))

    _, numbers, _ = found(studies, 3, change)
    _, words, _ = found(studies, 3)
    assert (len(numbers), numbers.undecided) == (18, 0)
    np.testing.assert_array_equal(numbers.chose_first, words.chose_first)
    assert {True, False} == {*numbers.chose_first.tolist()}


def test_agents_are_told_apart_and_pairs_of_agents_are_left_for_the_scale(studies):
    def change(tables):
        for row in tables["shown"]:
            if row["session"] == "j0000" and row["condition"] == "human":
                row["condition"] = "other"

    _, judged, plan = found(studies, 4, change, agents=("agent", "other"))
    first, second = agents(judged, plan.roles["human"])
    assert (first.agent, second.agent) == ("agent", "other")
    assert 0 not in first.judge.tolist()
    assert len(judged) == 24


def test_nothing_to_judge(studies):
    data, _ = studies.data_of(studies.judges(0))
    judged = judgements(data)
    assert len(judged) == 0
    assert agents(judged, ("human",)) == ()
