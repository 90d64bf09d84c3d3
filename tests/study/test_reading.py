# ruff: noqa: E501  messages are compared in full, one case per line
"""From the tree to the records: kinds as keys, made-up ids, and problems that stay where they
belong.
"""

from __future__ import annotations

import importlib.util

import pytest
from hypothesis import given
from hypothesis import strategies as st

from believable.contracts.trial import Block, outline
from believable.core.nodes import from_plain
from believable.pages.check import Check
from believable.study.reading import read_study

FORM = "- form: {id: about, questions: [%s]}\n- finish:\n"


def ids(study):
    return [entry.item.id for entry in outline(study.timeline)]


def test_ids_are_made_from_kinds_and_avoid_given_ones(study_of):
    timeline = """\
    - text: {text: One}
    - text: {text: Two, id: text_2}
    - block: {each: [{text: {text: Three}}, {block: {each: [{break: }]}}]}
    - finish
    """
    assert ids(study_of(timeline)) == [
        "text",
        "text_2",
        "block",
        "text_3",
        "block_2",
        "break",
        "finish",
    ]


def test_a_rule_without_a_dot_means_the_same_page(study_of):
    timeline = (
        FORM
        % "{id: a, prompt: A, number: }, {id: b, prompt: B, number: , show_if: {answer: a, at_least: 3}}"
    )
    form = study_of(timeline).timeline[0]
    assert form.questions[1].show_if.answer == "about.a"


def test_the_right_answer_is_kept_as_the_instrument_keeps_it(study_of):
    timeline = "- check: {id: c, question: {prompt: Two?, choice: {options: [1, 2]}}, correct: 2}\n- finish:\n"
    check = study_of(timeline).timeline[0]
    assert isinstance(check, Check)
    assert check.correct == "2"


def test_no_is_an_answer(study_of):
    timeline = FORM % "{id: a, prompt: A, choice: {options: [yes, no]}}"
    assert [
        option.value for option in study_of(timeline).timeline[0].questions[0].params.options
    ] == ["yes", "no"]


@pytest.mark.parametrize(
    ("timeline", "problem"),
    [
        (
            "- 5\n- finish:\n",
            "timeline[0]: expected a trial such as `watch: {…}`, got 5. Choose one of: block, break, check, compare, consent, device, finish, form, group, play, qa, qa_gate, rate, recall, text, watch.",
        ),
        (
            "- wach: {}\n- finish:\n",
            "timeline[0].wach: unknown kind of trial 'wach'. Did you mean 'watch'?",
        ),
        (
            "- zzz: {}\n- finish:\n",
            "timeline[0].zzz: unknown kind of trial 'zzz'. Choose one of: block, break, check, compare, consent, device, finish, form, group, play, qa, qa_gate, rate, recall, text, watch.",
        ),
        (
            "- watch:\n  stimulus: any\n- finish:\n",
            "timeline[0].stimulus: stimulus stands beside 'watch' in one entry. Indent it below `watch:`.",
        ),
        (
            "- watch: {}\n  text: {text: x}\n- finish:\n",
            "timeline[0].text: text stands beside 'watch' in one entry. Start a new `- ` entry.",
        ),
        (
            "- watch: h01\n- finish:\n",
            "timeline[0].watch: expected a mapping, got 'h01'. Write `key: value` lines below it.",
        ),
        (
            "- form: {questions: [{id: a, number: }]}\n- finish:\n",
            "timeline[0].form: 'id' is missing. Add `id: …` (text).",
        ),
        (
            "- form: {id: 2nd, questions: [{id: a, number: }]}\n- finish:\n",
            "timeline[0].form.id: expected an id, got '2nd'. Use a letter, then letters, digits or _, at most 64.",
        ),
        (
            "- form: {id: a}\n- finish:\n",
            "timeline[0].form: 'questions' is missing. Add `questions: …` (a list of mappings).",
        ),
        (
            "- form: {id: a, questions: []}\n- finish:\n",
            "timeline[0].form.questions: expected at least 1 entry, got 0. Add to the list.",
        ),
        (
            "- form: {id: a, questions: {id: b}}\n- finish:\n",
            "timeline[0].form.questions: expected a list, got a mapping. Write one `- entry` per line.",
        ),
        (
            "- form: {id: a, quesions: [{id: b, number: }]}\n- finish:\n",
            "timeline[0].form.quesions: unknown key 'quesions'. Did you mean 'questions'?",
        ),
        (
            "- watch: {controls: {seek: yes}}\n- finish:\n",
            "timeline[0].watch.controls.seek: expected true or false, got 'yes'. Write true or false, without quotes.",
        ),
        (
            "- watch: {controls: {max_view: 2}}\n- finish:\n",
            "timeline[0].watch.controls.max_view: unknown key 'max_view'. Did you mean 'max_views'?",
        ),
        (
            "- watch: {stimulus: [h01]}\n- finish:\n",
            "timeline[0].watch.stimulus: expected a word or a mapping, got a list. Write it that way.",
        ),
        (
            "- watch: {stimulus: {conditon: human}}\n- finish:\n",
            "timeline[0].watch.stimulus.conditon: unknown key 'conditon'. Did you mean 'condition'?",
        ),
        (
            "- watch: {zzz: watch}\n- finish:\n",
            "timeline[0].watch.zzz: unknown key 'zzz'. Choose one of: annotate, ask, controls, id, overlay, practice, skip_if, stimulus, text, title.",
        ),
        (
            "- text: {text: 5}\n- finish:\n",
            "timeline[0].text.text: expected text, or one text per language, got 5. Put it in quotes, or write {en: …, de: …}.",
        ),
        (
            "- text: {text: {en: 5}}\n- finish:\n",
            "timeline[0].text.text.en: expected text, got 5. Put it in quotes.",
        ),
        (
            "- block: {order: shuffled, each: [{text: {text: x}}]}\n- finish:\n",
            "timeline[0].block.order: expected 'fixed', 'random' or 'latin_square', got 'shuffled'. Choose one of: fixed, latin_square, random.",
        ),
        (
            "- block: {repeat: 0, each: [{text: {text: x}}]}\n- finish:\n",
            "timeline[0].block.repeat: expected at least 1, got 0. Change the number.",
        ),
        (
            "- block: {breaks: {evry: 2}, repeat: 9, each: [{text: {text: x}}]}\n- finish:\n",
            "timeline[0].block.breaks.evry: unknown key 'evry'. Did you mean 'every'?",
        ),
        (
            "- text: {text: x, skip_if: {is: 3}}\n- finish:\n",
            "timeline[0].text.skip_if: a rule looks at one answer, at one arm, or at what was opened. "
            "Give one of `answer: trial.question`, `arm: name` and `opened: plan`.",
        ),
        (
            "- text: {text: x, skip_if: {arm: a}}\n- finish:\n",
            "timeline[0].text.skip_if: a rule has exactly one test. Give one of: is, is_not, in, at_least, at_most, answered.",
        ),
        (
            "- play: {world: doom, opponent: bots, picture: 641x360}\n- finish:\n",
            "timeline[0].play.picture: the engine has no pictures of '641x360'. Use one of 160x120, 320x180, 320x240, 400x225, 640x360, "
            "640x480, 800x450, 800x600, 1024x576, 1280x720, 1600x900, 1920x1080.",
        ),
        (
            "- finish: {redirect: prolifc}\n",
            "timeline[0].finish.redirect: expected 'none', 'prolific', 'connect', 'sona' or 'mturk', got 'prolifc'. Did you mean 'prolific'?",
        ),
    ],
)
def test_trials(errors, timeline, problem):
    assert errors(timeline) == [problem]


@pytest.mark.parametrize(
    ("library", "problem"),
    [
        (
            "vizdoom",
            "the world 'doom' needs an optional part. Install it with: pip install 'believable[doom]'",
        ),
        (
            "av",
            "a game whose pictures are sent to the page needs an optional part. Install it with: pip install 'believable[video]'",
        ),
    ],
)
def test_a_world_whose_extra_is_missing_is_refused_with_its_name(
    errors, monkeypatch, library, problem
):
    whole = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == library else whole(name)
    )
    assert errors("- play: {world: doom, opponent: bots}\n- finish:\n") == [
        f"timeline[0].play.world: {problem}"
    ]


@pytest.mark.parametrize(
    ("question", "problem"),
    [
        ("5", "expected a question, got 5. Write {id: …, prompt: …, choice: {…}}."),
        (
            "{id: q, prompt: x}",
            "the question has no kind. Add one of: certainty, choice, choices, clip_rating, likert, long_text, matrix, number, preference, slider, text.",
        ),
        (
            "{id: q, prompt: x, likret: {points: 5}}",
            ".likret: unknown kind of question 'likret'. Did you mean 'likert'?",
        ),
        (
            "{id: q, prompt: x, number: , likert: }",
            ".likert: a question has one kind, got number and likert. Keep one of them.",
        ),
        ("{id: q, promt: x, number: }", ".promt: unknown key 'promt'. Did you mean 'prompt'?"),
        ("{prompt: x, number: }", "'id' is missing. Add `id: …` (text)."),
        (
            "{id: q, prompt: x, likert: {points: 50}}",
            ".likert.points: expected at most 11, got 50. Change the number.",
        ),
        (
            "{id: q, prompt: x, likert: {points: 5.5}}",
            ".likert.points: expected a whole number, got 5.5. Write a number without quotes or decimals.",
        ),
        (
            "{id: q, prompt: x, choice: {}}",
            ".choice: 'options' is missing. Add `options: …` (a list of mappings).",
        ),
        (
            "{id: q, prompt: x, choice: {options: [a]}}",
            ".choice.options: expected at least 2 entries, got 1. Add to the list.",
        ),
        (
            "{id: q, prompt: x, choice: {options: [a, a]}}",
            ".choice.options: value 'a' occurs 2 times. Give every option its own value.",
        ),
        (
            "{id: q, prompt: x, likert: {points: 5, labels: [a, b, c]}}",
            ".likert.labels: 3 labels for 5 points. Give 5 labels, or 2 for the ends, or none.",
        ),
        (
            "{id: q, prompt: x, required: no, number: }",
            ".required: expected true or false, got 'no'. Write true or false, without quotes.",
        ),
    ],
)
def test_questions(errors, question, problem):
    dot = "" if problem.startswith(".") else ": "
    assert errors(FORM % question) == [f"timeline[0].form.questions[0]{dot}{problem}"]


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("[1, 2]", [": expected a mapping, got a list. Start with `believable: 1`."]),
        (
            "{}",
            [
                ": 'believable' is missing. Add `believable: …` (1).",
                ": 'title' is missing. Add `title: …` (text).",
                ": 'seed' is missing. Add `seed: …` (a whole number).",
                ": 'timeline' is missing. Add `timeline: …` (a list of mappings).",
            ],
        ),
        (
            "believable: 2\ntitle: x\nseed: 1\ntimeline: [finish]",
            ["believable: expected 1, got 2. Write 1."],
        ),
        (
            "believable: 1\ntitel: x\nseed: 1\ntimeline: [finish]",
            ["titel: unknown key 'titel'. Did you mean 'title'?"],
        ),
        (
            "believable: 1\ntitle: x\nseed: 1\ntimeline: []",
            ["timeline: expected at least 1 entry, got 0. Add to the list."],
        ),
        (
            "believable: 1\ntitle: x\nseed: 1\nlanguages: [english]\ntimeline: [finish]",
            [
                "languages[0]: expected a language code, got 'english'. Use a code such as en, de or pt-BR."
            ],
        ),
        (
            "believable: 1\ntitle: x\nseed: 1\nrecruit: {closes: soon}\ntimeline: [finish]",
            [
                "recruit.closes: expected a date and time, got 'soon'. Write it as 2027-01-31T18:00:00Z."
            ],
        ),
        (
            "believable: 1\ntitle: x\nseed: 1\nconditions: human\ntimeline: [finish]",
            [
                "conditions: expected a list, got 'human'. Write [one, two] or one `- entry` per line."
            ],
        ),
        (
            "believable: 1\ntitle: x\nseed: 1\nstimuli: [{id: a}]\ntimeline: [finish]",
            ["stimuli[0]: 'file' is missing. Add `file: …` (text)."],
        ),
    ],
)
def test_the_top_of_the_file(errors, text, problems):
    assert errors(text=text) == problems


def test_a_broken_part_is_not_blamed_on_those_who_refer_to_it(errors):
    timeline = """\
    - form: {id: about, questions: [{id: age, prompt: Age}]}
    - check: {prompt: no id}
    - watch: {stimulus: x01}
    - rate: {of: [watch, clip], questions: [{id: z, prompt: Z, number: }]}
    - text: {text: Hi, skip_if: {answer: about.age, at_least: 18}}
    - text: {text: Hi, skip_if: {answer: attention.answer, is: 3}}
    - wat: {id: clip}
    - finish:
    """
    extra = "stimuli: [{id: x01}]\n"
    found = errors(
        text=f"believable: 1\ntitle: x\nseed: 1\n{extra}timeline:\n{timeline}".replace(
            "\n    ", "\n"
        )
    )
    assert [line.partition(":")[0] for line in found] == [
        "stimuli[0]",
        "timeline[0].form.questions[0]",
        "timeline[1].check.prompt",
        "timeline[1].check",
        "timeline[1].check",
        "timeline[1].check",
        "timeline[6].wat",
    ]


def test_reading_again_what_was_written_gives_equal_records(loaded):
    definition = loaded("- block: {each: [{watch: {stimulus: h01}}]}\n- finish:\n")
    again = read_study(from_plain(definition.tree), file="x").study
    assert again == definition.study
    assert isinstance(again.timeline[0], Block)


KEYS = [
    "believable",
    "title",
    "seed",
    "timeline",
    "stimuli",
    "arms",
    "texts",
    "recruit",
    "conditions",
    "languages",
    "x",
]
WORDS = st.sampled_from(
    ["id", "form", "watch", "block", "each", "questions", "number", "skip_if", "any", "finish", "a"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=15,
)


@given(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=8))
def test_any_tree_is_read_or_has_problems(tree):
    reading = read_study(from_plain(tree), file="study.yaml")
    assert reading.problems or {"believable", "title", "seed", "timeline"} <= set(tree)
