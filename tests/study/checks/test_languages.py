# ruff: noqa: E501  messages are compared in full, one case per line
"""Checks of languages: every text in each, and built-in texts complete."""

from __future__ import annotations

import pytest

from believable.contracts.texts import built_in

HEAD = 'believable: 1\ntitle: "1"\nseed: 1\n'


def study(text, languages="[en, de]", extra=""):
    return f"{HEAD}languages: {languages}\n{extra}timeline:\n- text: {{text: {text}}}\n- finish:\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{en: Hello}", ": there is no text in 'de'. Add `de: …`."),
        ("{en: Hello, ed: Hallo}", ".ed: unknown language 'ed'. Choose one of: de, en."),
        ("{en: Hello, de: Hallo, fr: Salut}", ".fr: unknown language 'fr'. Choose one of: de, en."),
        (
            "Hello",
            ": 'Hello' is there in one language only, the study has en, de. Write {en: …, de: …}.",
        ),
        ("{en: Hello, de: ' '}", ".de: the text is empty. Write something."),
    ],
)
def test_two_languages(errors, text, problem):
    assert errors(text=study(text)) == [f"timeline[0].text.text{problem}"]


def test_texts_in_a_language_that_is_not_offered_are_no_mistake(errors, found):
    """So that a template in two languages is used in one by changing one line."""
    extra = "- text: {id: b, text: {de: Zwei, en: Two}}\n"
    text = study("{en: Hello, de: Hallo}", "[en]").replace("- finish", f"{extra}- finish")
    assert errors(text=text) == []
    doubts = [f"{problem.path}: {problem.message} {problem.cure}" for problem in found(text=text)]
    assert [words for words in doubts if "languages" in words] == [
        "timeline[0].text.text.de: there are texts in 'de', which the study is not offered in (en). Add de to `languages`, or leave them: they are never shown."
    ]
    assert errors(text=study("{de: Hallo}", "[en]")) == [
        "timeline[0].text.text.de: unknown language 'de'. Choose one of: en."
    ]


def test_words_without_letters_need_no_translation(errors):
    assert errors(text=study('"1 – 5"')) == []


def test_texts_everywhere_are_looked_at(errors):
    timeline = """\
timeline:
- consent: {page: pages/consent.md, require: [adult, {id: film, label: Film}]}
- form:
    id: f
    title: T
    questions:
      - {id: q, prompt: P, help: H, choice: {options: [red, {value: blue, label: {en: Blue, de: Blau}}]}}
      - {id: l, prompt: {en: P, de: P}, likert: {points: 2, labels: [low, {en: high, de: hoch}]}}
- block: {breaks: {every: 1, text: B}, repeat: 2, each: [{break: {text: X}}]}
- finish:
"""
    places = [
        line.partition(":")[0] for line in errors(text=f"{HEAD}languages: [en, de]\n{timeline}")
    ]
    assert sorted(places) == [
        "timeline[0].consent.page",
        "timeline[0].consent.require[1].label",
        "timeline[1].form.questions[0].choice.options[0]",
        "timeline[1].form.questions[0].help",
        "timeline[1].form.questions[0].prompt",
        "timeline[1].form.questions[1].likert.labels[0]",
        "timeline[1].form.title",
        "timeline[2].block.breaks.text",
        "timeline[2].block.each[0].break.text",
    ]


@pytest.mark.parametrize(
    ("texts", "problem"),
    [
        (
            "{de: {landing.strat: Los}}",
            "texts.de.landing.strat: unknown text 'landing.strat'. Did you mean 'landing.start'?",
        ),
        ("{dee: {landing.start: Los}}", "texts.dee: unknown language 'dee'. Did you mean 'de'?"),
        (
            "{de: {landing.start: 'Los {n}'}}",
            "texts.de.landing.start: unknown placeholder {n}. This text has none; write {{ and }} for braces that are to be shown.",
        ),
        (
            "{de: {error.text_min: 'Mindestens {mni}'}}",
            "texts.de.error.text_min: unknown placeholder {mni}. Did you mean 'min'?",
        ),
        (
            "{de: {landing.start: 'Los {'}}",
            "texts.de.landing.start: the braces do not match: Single '{' encountered in format string. Write {{ and }} for braces that are to be shown.",
        ),
        (
            "{de: {landing.start: 5}}",
            "texts.de.landing.start: expected text, got 5. Put it in quotes.",
        ),
    ],
)
def test_overrides(errors, texts, problem):
    assert errors(text=study('"1"', extra=f"texts: {texts}\n")) == [problem]


def test_a_language_that_is_not_built_in_has_to_be_complete(errors):
    keys = list(built_in("en"))
    assert errors(text=study('"1"', languages="[fr]")) == [
        f"languages: 'fr' has no built-in texts, and {len(keys)} of {len(keys)} are missing ({', '.join(keys[:3])}, …). "
        "Give them all under `texts: {fr: {…}}`."
    ]
    all_but_one = "".join(f"    {key}: x\n" for key in keys[1:])
    assert errors(text=study('"1"', languages="[fr]", extra=f"texts:\n  fr:\n{all_but_one}")) == [
        f"texts.fr: 'fr' has no built-in texts, and 1 of {len(keys)} are missing ({keys[0]}, …). Give them all under `texts: {{fr: {{…}}}}`."
    ]


def test_a_complete_language_is_fine(errors):
    everything = "".join(f"    {key}: x\n" for key in built_in("en"))
    assert errors(text=study('"1"', languages="[fr]", extra=f"texts:\n  fr:\n{everything}")) == []


def test_languages_are_listed_once(errors):
    assert errors(text=study('"1"', languages="[en, en]")) == [
        "languages[1]: the language 'en' is listed twice. Remove one of them."
    ]
