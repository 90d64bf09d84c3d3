"""Two people of the neuro-symbolic mind for a day: what they do, that it can be cut and resumed,
and what its parts buy.
"""

from __future__ import annotations

import functools
import json
from collections import Counter
from pathlib import Path

import pytest

from believable.core.errors import InvalidInput, NotFound
from believable.recordings import file
from believable.worlds.town.excerpt import follow_actor
from believable.worlds.town.language.model import ExchangeForm, ModelRequest
from believable.worlds.town.minds import mind_kind
from believable.worlds.town.minds.neurosymbolic.mind import NeurosymbolicMind
from believable.worlds.town.minds.neurosymbolic.speech import unknown_words
from believable.worlds.town.recording import record_run
from believable.worlds.town.rule_checker.checker import check_town
from believable.worlds.town.rule_checker.rules import TownFindings
from believable.worlds.town.run import TownRun, TownSettings
from believable.worlds.town.run_folder import RECORDING_FILE, TRACE_FILE, read_town, simulate
from tests.worlds.town.language.simple_models import ScriptedModel, form_reply

MIND = mind_kind("neurosymbolic").create


@functools.cache
def lived(*options: tuple[str, str]) -> TownRun:
    run = TownRun(
        TownSettings(seed=7, people=2, days=1, mind="neurosymbolic", options=dict(options)), MIND
    )
    while not run.over:
        run.advance()
    return run


@functools.cache
def findings(*options: tuple[str, str]) -> TownFindings:
    return check_town(record_run(lived(*options)))


def test_a_day_has_many_small_actions_few_violations_and_does_what_was_meant() -> None:
    per_person = Counter(line.person for line in lived().log)
    assert all(150 <= count <= 400 for count in per_person.values()), per_person
    assert (findings().per_100 or 0) < 1
    assert (findings().intentions_fulfilled or 0) >= 0.8
    assert findings().activities >= 20


def test_without_planner_less_is_done_and_without_checks_too_rules_are_broken() -> None:
    planless, bare = findings(("planner", "off")), findings(("planner", "off"), ("checks", "off"))
    assert (planless.intentions_fulfilled or 0) < (findings().intentions_fulfilled or 0) - 0.1
    assert (
        bare.by_category()["environment_rule"] >= 5 + findings().by_category()["environment_rule"]
    )


def test_everything_is_counted() -> None:
    mind = lived().minds["ada"]
    assert isinstance(mind, NeurosymbolicMind)
    logged = sum(line.person == "ada" and line.refused is None for line in lived().log)
    assert mind.person.counts["schedule day"] == 1
    assert mind.person.counts["primitives"] >= 0.9 * logged
    assert mind.person.counts["goals done"] >= 8


def test_its_recording_is_small_sound_and_read_back() -> None:
    recording = record_run(lived())
    data = file.to_bytes(recording)
    assert len(data) < 1_000_000
    assert file.from_bytes(data, source="test") == recording
    judged = recording.for_judging(with_plan=True, with_log=True)
    assert not any(place.facts for place in judged.world.places)
    assert not any(actor.facts for actor in judged.actors)
    assert {action.refused for action in judged.actions} | {
        action.activity for action in judged.actions
    } == {None}
    assert all(thing.facts == {} and thing.place is None for thing in judged.world.objects)


def test_one_character_is_followed_and_the_night_left_out() -> None:
    whole = record_run(lived())
    alone = follow_actor(whole, "ben")
    assert alone.actors[0].id == "ben"
    assert (
        {action.actor for action in alone.actions}
        == {step.actor for step in alone.plans}
        == {"ben"}
    )
    assert alone.timing.frames < whole.timing.frames - 6 * 300
    assert (alone.timing.simulated_start or "") > "2024-05-06T05"
    assert file.problems(alone) == []
    assert file.from_bytes(file.to_bytes(alone), source="test") == alone
    with pytest.raises(NotFound, match="nobody is called 'bne'"):
        follow_actor(whole, "bne")


def test_a_run_that_was_stopped_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    settings = TownSettings(seed=7, people=2, days=1, mind="neurosymbolic")

    def stop(run: TownRun) -> None:
        if run.state.step >= 9 * 360:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate(tmp_path / "cut", settings, None, on_step=stop)
    with pytest.raises(NotFound, match="Let the run finish"):
        read_town(tmp_path / "cut")
    with (tmp_path / "cut" / TRACE_FILE).open("a") as trace:
        trace.write("noted after the checkpoint, lost with the process\n")
    simulate(tmp_path / "cut", settings, None)
    assert read_town(tmp_path / "cut") == record_run(lived())
    assert (tmp_path / "cut" / RECORDING_FILE).read_bytes() == file.to_bytes(record_run(lived()))
    assert "lost with" not in (tmp_path / "cut" / TRACE_FILE).read_text("utf-8")
    with pytest.raises(InvalidInput, match="holds another run"):
        simulate(
            tmp_path / "cut", TownSettings(seed=8, people=2, days=1, mind="neurosymbolic"), None
        )


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"plannr": "off"}, r"unknown option 'plannr'\. Its options: model, planner"),
        ({"planner": "0"}, "option planner=0: the neuro-symbolic mind takes model, planner"),
    ],
)
def test_an_unknown_switch_is_an_error(option: dict[str, str], message: str) -> None:
    settings = TownSettings(seed=7, people=2, days=1, mind="neurosymbolic", options=option)
    with pytest.raises(InvalidInput, match=message):
        TownRun(settings, MIND)


def test_what_a_model_words_must_name_nothing_but_the_facts() -> None:
    act = "Ben morning 07:30 I am at the Bakery: work, and"
    entities = frozenset({"ben", "clara", "voss", "bakery", "library"})
    for text in (
        "Good morning, Ben, I am at the Bakery.",
        "I am here at 07:30, and it is going well.",
    ):
        assert unknown_words(text, act, entities) == [], text
    assert unknown_words("See you at 9, Ben.", act, entities) == ["9"]
    assert unknown_words("I met Clara's friend at the library.", act, entities) == [
        "clara",
        "library",
    ]
    assert unknown_words("I met Zoe at noon.", act, entities) == ["zoe", "noon"]
    assert unknown_words("Come this evening, at seven.", act, entities) == ["evening", "seven"]


def talkative(request: ModelRequest) -> str:
    """Talks of which every first attempt names somebody whom no facts name."""
    if request.name == "exchange":
        form = request.form
        assert isinstance(form, ExchangeForm)
        ending = "Zoe agrees" if request.attempt == 1 else "it is fine"
        return "\n".join(
            f"{speaker}: {opening} {ending}."
            for speaker, opening in zip(form.speakers, form.openings, strict=True)
        )
    return form_reply(request)


def with_model(**options: str) -> TownRun:
    settings = TownSettings(
        seed=7, people=2, days=1, mind="neurosymbolic", options={"model": "on", **options}
    )
    run = TownRun(settings, MIND, ScriptedModel(talkative))
    while not run.over:
        run.advance()
    return run


def test_with_a_model_it_means_remembers_and_says_what_the_model_words_and_the_facts_allow() -> (
    None
):
    run = with_model()
    calls = [note for note in run.notes if note["kind"] == "call"]
    assert {"wishes", "ratings", "exchange"} <= {note["prompt"] for note in calls}
    refused = [note for note in calls if note["prompt"] == "exchange" and "failed" in note]
    assert refused
    assert all("names zoe, which the facts do not" in note["failed"] for note in refused)
    said = [line.text for line in run.log if line.verb == "speak"]
    assert any("it is fine" in text for text in said)
    assert not any("Zoe" in text for text in said)
    minds = [mind for mind in run.minds.values() if isinstance(mind, NeurosymbolicMind)]
    assert sum(mind.person.counts["worded by model"] for mind in minds) > sum(
        mind.person.counts["worded by ways"] for mind in minds
    )
    assert all(
        mind.person.experience.stream.memories and mind.person.counts["wishes of the model"]
        for mind in minds
    )
    checked = check_town(record_run(run))
    assert (checked.per_100 or 0) < 2
    assert (checked.intentions_fulfilled or 0) >= 0.7


def test_with_a_model_it_goes_on_from_what_was_kept() -> None:
    settings = TownSettings(seed=7, people=2, days=1, mind="neurosymbolic", options={"model": "on"})
    whole, cut = with_model(), TownRun(settings, MIND, ScriptedModel(talkative))
    while cut.state.step < 12 * 360:
        cut.advance()
    resumed = TownRun(settings, MIND, ScriptedModel(talkative))
    resumed.restore(json.loads(json.dumps(cut.save())))
    while not resumed.over:
        resumed.advance()
    assert resumed.log == whole.log


def test_a_model_that_is_asked_for_must_be_there() -> None:
    with pytest.raises(InvalidInput, match="model=on: there is no language model"):
        TownRun(
            TownSettings(seed=7, people=2, days=1, mind="neurosymbolic", options={"model": "on"}),
            MIND,
        )
