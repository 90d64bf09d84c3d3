"""The judge of motion: exact parts against scikit-learn, honest tests, refusals, and its file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from believable.cli import group
from believable.core.errors import InvalidInput, NotFound, Refused
from believable.judges.identity import shuffle_within, within_auc
from believable.judges.motion_judge import agree, read_judge, train_judge, write_judge
from believable.judges.motion_samples import MotionSample, read_samples
from believable.judges.ridge_logistic import fit_logistic
from believable.motion.motion_track import Floats


def samples(effect: float, *, matches: int = 8, seed: int = 1) -> list[MotionSample]:
    """Two agents and two people in each match. Matches differ by far more than movers do."""
    rng = np.random.default_rng(seed)
    made = []
    for match in range(matches):
        level = rng.normal(0, 20)
        for mover in range(4):
            is_agent = mover < 2
            windows = tuple(
                {"turn": rng.normal(effect * is_agent, 1), "place": level + rng.normal(0, 0.1)}
                for _ in range(4)
            )
            made.append(
                MotionSample(
                    name=f"m{match}/{mover}",
                    world="arena",
                    group=f"m{match}",
                    agent="agent" if is_agent else "person",
                    is_agent=is_agent,
                    windows=windows,
                    starts_s=(0.0, 12.0, 24.0, 36.0),
                )
            )
    return made


def judgements(movers: list[MotionSample], noise: float) -> Mapping[str, Mapping[str, float]]:
    rng = np.random.default_rng(5)
    return {
        mover.name: {
            f"p{number}": float(
                -np.mean([window["turn"] for window in mover.windows]) + rng.normal(0, noise)
            )
            for number in range(10)
        }
        for mover in movers
    }


def train(movers: list[MotionSample], **options: object):  # type: ignore[no-untyped-def]
    return train_judge(movers, np.random.default_rng(2), **options)  # type: ignore[arg-type]


def test_the_fit_is_scikit_learns() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(0, 1, (200, 5)) * [1, 2, 3, 4, 5] + [5, 4, 3, 2, 1]
    labels = (values[:, 0] + rng.normal(0, 1, 200) > 5).astype(float)
    weights = rng.uniform(0.5, 1.5, 200)
    ours = fit_logistic(values, labels, weights, ridge=10.0)
    scaled = (values - values.mean(0)) / values.std(0)
    theirs = LogisticRegression(C=0.1, tol=1e-10, max_iter=10_000)
    theirs.fit(scaled, labels, sample_weight=weights)
    assert ours.weights == pytest.approx(theirs.coef_[0], abs=1e-5)
    assert ours.log_odds(values) == pytest.approx(theirs.decision_function(scaled), abs=1e-4)


def test_one_class_is_refused() -> None:
    with pytest.raises(InvalidInput, match="expected rows of two classes"):
        fit_logistic(np.zeros((4, 1)), np.ones(4), np.ones(4), ridge=1.0)


def test_the_auc_counts_pairs_of_one_match_only() -> None:
    rng = np.random.default_rng(4)
    scores, labels = rng.normal(0, 1, 60).round(1), rng.integers(0, 2, 60).astype(float)
    alone = within_auc(scores, labels, ["m"] * 60)
    assert alone.value == pytest.approx(roc_auc_score(labels, scores))
    groups = [f"m{number % 7}" for number in range(60)]
    won = [
        (scores[a] > scores[b]) + (scores[a] == scores[b]) / 2
        for a in range(60)
        for b in range(60)
        if labels[a] == 1 and labels[b] == 0 and groups[a] == groups[b]
    ]
    within = within_auc(scores, labels, groups)
    assert (within.value, within.pairs) == (pytest.approx(np.mean(won)), len(won))
    assert within_auc(scores, np.ones(60), groups).value is None


def test_shuffles_stay_within_matches() -> None:
    labels, groups = np.array([1.0, 0, 0, 1, 1, 0]), list("aaabbb")
    dealt = shuffle_within(labels, groups, np.random.default_rng(6))
    assert (dealt[:3].sum(), dealt[3:].sum()) == (1, 2)


def test_a_planted_difference_is_learned_and_beats_its_null() -> None:
    card = train(samples(3.0), shuffles=30).card
    assert card.within_match is not None
    assert card.within_match > 0.95
    assert card.null_largest is not None
    assert card.within_match > card.null_largest
    assert card.pairs == 8 * 4


def test_without_a_difference_it_knows_nothing() -> None:
    card = train(samples(0.0), shuffles=0).card
    assert card.within_match is not None
    assert 0.2 < card.within_match < 0.8


def test_a_difference_between_matches_only_is_no_identity() -> None:
    """Agents play in other matches than people: no pair shares a match, so nothing is known."""
    movers = [replace(mover, is_agent=number < 16) for number, mover in enumerate(samples(0.0))]
    card = train(movers, shuffles=5).card
    assert (card.within_match, card.pairs, card.null_mean) == (None, 0, None)


def test_no_number_without_peoples_ceiling() -> None:
    movers = samples(3.0)
    with pytest.raises(Refused, match=r"people's ceiling is unknown.*--judgements TABLE"):
        train(movers, shuffles=0).score(movers[0])
    judge = train(movers, shuffles=0, judgements=judgements(movers, 0.5))
    agreement = judge.card.agreement
    assert agreement is not None
    assert agreement.ceiling is not None
    assert agreement.ceiling > 0.8
    assert agreement.per_clip is not None
    assert agreement.per_clip > 0.5
    odds, away = judge.score(movers[0])
    assert odds > 0
    assert away < judge.card.unlike


def test_one_judge_per_clip_gives_no_ceiling() -> None:
    movers = samples(3.0)
    single = {mover.name: {"p": float(number)} for number, mover in enumerate(movers)}
    scores = {mover.name: (mover.agent, float(number)) for number, mover in enumerate(movers)}
    assert agree(scores, single, np.random.default_rng(1)).ceiling is None


def test_worlds_it_has_not_seen_are_refused() -> None:
    movers = samples(3.0)
    judge = train(movers, shuffles=0, judgements=judgements(movers, 0.5))
    with pytest.raises(Refused, match=r"has not seen the world 'maze', only arena\. Train one"):
        judge.score(replace(movers[0], world="maze"))
    with pytest.raises(Refused, match="no 12 s of motion without a cut"):
        judge.score(replace(movers[0], windows=(), starts_s=()))


def test_something_unlike_the_training_data_is_far() -> None:
    movers = samples(3.0)
    judge = train(movers, shuffles=0, judgements=judgements(movers, 0.5))
    far = replace(movers[0], windows=({"turn": 60.0, "place": 0.0},), starts_s=(0.0,))
    assert judge.score(far)[1] > judge.card.unlike


def test_an_explanation_adds_up() -> None:
    movers = samples(3.0)
    judge = train(movers, shuffles=0)
    for start, odds, shares in judge.explain(movers[0]):
        assert start in movers[0].starts_s
        assert sum(share for _, share in shares) + judge.fit.intercept == pytest.approx(odds)
        assert shares[0][0] == "turn"


def test_a_judge_is_kept_as_json(tmp_path: Path) -> None:
    movers = samples(3.0)
    judge = train(movers, shuffles=3, judgements=judgements(movers, 0.5))
    write_judge(judge, tmp_path / "judge.json")
    again = read_judge(tmp_path / "judge.json")
    assert again.card == judge.card
    assert again.score(movers[1]) == judge.score(movers[1])
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(InvalidInput, match=r"other\.json: expected the file that .*judge train"):
        read_judge(tmp_path / "other.json")


def table(path: Path) -> Path:
    """Three matches; agents turn in steps, people in waves."""
    rng = np.random.default_rng(7)
    lines = ["match,player,is_bot,t,x,y,yaw"]
    for match in range(3):
        for player in range(4):
            is_bot = player % 2
            times = np.arange(0, 26, 0.1)
            rate = (
                np.repeat(rng.choice([-1.0, 0.0, 1.0], 27), 10)[: len(times)]
                if is_bot
                else np.sin(times * rng.uniform(0.5, 1)) * 0.5
            )
            yaw = np.cumsum(rate) * 0.1
            x, y = np.cumsum(np.cos(yaw)), np.cumsum(np.sin(yaw))
            lines += [
                f"m{match},p{player},{is_bot},{t:.1f},{a:.3f},{b:.3f},{c:.4f}"
                for t, a, b, c in zip(times, x, y, yaw, strict=True)
            ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_command_trains_on_a_table_and_prints_the_card(tmp_path: Path) -> None:
    out = tmp_path / "judge.json"
    words = ["judge", "train", str(table(tmp_path / "t.csv")), "--out", str(out), "--shuffles", "5"]
    answer = CliRunner().invoke(group, words, standalone_mode=False)
    assert answer.exception is None, answer.exception
    assert "12 movers, 6 of them agents, in 3 matches" in answer.output
    assert "identity within matches: AUC" in answer.output
    assert "agreement with people: unknown, so no score is printed" in answer.output
    assert "not allowed: a verdict that people believe" in answer.output
    assert json.loads(out.read_text())["card"]["pairs"] == 12


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("match,player,is_bot,t,x\n", r"t\.csv:1: column 'y' is missing"),
        ("match,player,is_bot,t,x,y\nm,p,2,0,0,0\n", r"t\.csv:2: is_bot: expected 0 or 1, got '2'"),
        ("match,player,is_bot,t,x,y\nm,p,1,a,0,0\n", r"t\.csv:2: could not convert"),
    ],
)
def test_bad_tables_name_row_and_column(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InvalidInput, match=message):
        read_samples(str(tmp_path / "t.csv"))


def letters(texts: Sequence[str]) -> list[Floats]:
    """Stands for a model of sentences: counts of letters, of length 1."""
    counts = np.array([[text.count(letter) for letter in "abcdef"] for text in texts], float)
    return list((counts + 0.1) / np.linalg.norm(counts + 0.1, axis=1, keepdims=True))


def test_texts_are_judged_within_prompts(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    lines = ["id,kind,agent,prompt,text"]
    for prompt in range(30):
        for number in range(4):
            kind = "agent" if number % 2 else "human"
            text = "".join(rng.choice(list("aab" if number % 2 else "def"), 5))
            lines.append(f"t{prompt}-{number},{kind},{kind},abc{prompt},{text}")
    lines.append("both,both,human|gpt,abc0,abc")
    (tmp_path / "texts.csv").write_text("\n".join(lines) + "\n")
    movers = read_samples(str(tmp_path / "texts.csv"), letters)
    assert len(movers) == 120, "a text of both kinds has no truth"
    card = train(movers, shuffles=0).card
    assert card.worlds == ("texts texts.csv",)
    assert (card.matches, card.pairs) == (30, 120)
    assert card.within_match is not None
    assert card.within_match > 0.95


def test_texts_need_a_model_and_their_columns(tmp_path: Path) -> None:
    (tmp_path / "texts.csv").write_text("id,kind,agent,text\n1,human,human,a\n")
    with pytest.raises(InvalidInput, match="no model for sentences"):
        read_samples(str(tmp_path / "texts.csv"))
    with pytest.raises(InvalidInput, match=r"texts\.csv:1: column 'prompt' is missing"):
        read_samples(str(tmp_path / "texts.csv"), letters)


def test_datasets_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"person=.*: there are no recordings"):
        read_samples(f"person={tmp_path}")
    with pytest.raises(NotFound, match="there is no such table"):
        read_samples(str(tmp_path / "none.csv"))
