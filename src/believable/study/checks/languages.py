"""Languages: every text in every language of the study, and the built-in texts complete."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from believable.contracts.record import ANY_LANGUAGE, Record, Text
from believable.contracts.texts import (
    LANGUAGES,
    REFERENCE_LANGUAGE,
    built_in,
    parts_of,
    placeholders,
    read_part_texts,
)
from believable.contracts.trial import Question, TrialBase, outline
from believable.core.errors import StudyError
from believable.core.nodes import Node
from believable.core.registry import did_you_mean
from believable.study.reading import Reading
from believable.study.wording import shown, unknown


def check_languages(reading: Reading) -> None:
    if reading.is_broken("languages"):
        return
    listed = reading.root.get("languages")
    if listed is not None:
        seen: set[str] = set()
        for node in listed:
            if node.value in seen:
                reading.report(
                    node, f"the language {node.value!r} is listed twice.", "Remove one of them."
                )
            seen.add(node.value)
    unoffered: dict[str, Node] = {}
    for text, node in _texts(reading):
        _text(reading, text, node, unoffered)
    for name, node in unoffered.items():
        message = (
            f"there are texts in {name!r}, which the study is not offered in"
            f" ({', '.join(reading.study.languages)})."
        )
        reading.report(
            node,
            message,
            f"Add {name} to `languages`, or leave them: they are never shown.",
            severity="warning",
        )
    _built_in_texts(reading)


def _texts(reading: Reading) -> Iterator[tuple[Text, Node]]:
    title = reading.root.get("title")
    if title is not None and not reading.is_broken("title"):
        yield reading.study.title, title
    for entry in outline(reading.study.timeline):
        yield from _inside(entry.item, reading.place(entry.item))
        for question in entry.item.all_questions:
            yield from _inside(question, reading.place(question))
            yield from _inside(question.params, reading.place(question.params))


def _inside(value: Any, node: Node) -> Iterator[tuple[Text, Node]]:
    """The texts of a record, without those of its trials and questions: they have separate
    paths.
    """
    if isinstance(value, Text):
        yield value, node
    elif isinstance(value, tuple):
        for i, entry in enumerate(value):
            if not isinstance(entry, Question | TrialBase):
                yield from _inside(entry, node.at(i) or node)
    elif isinstance(value, Record):
        for name in type(value).model_fields:
            own = not isinstance(value, Question) or name != "params"
            inner = getattr(value, name)
            if own and name in value.model_fields_set and not isinstance(inner, Question):
                yield from _inside(inner, node.get(name) or node)


def _text(reading: Reading, text: Text, node: Node, unoffered: dict[str, Node]) -> None:
    languages = reading.study.languages
    if reading.is_broken(node.path):
        return
    if ANY_LANGUAGE in text.root:
        words = text.root[ANY_LANGUAGE]
        if len(languages) > 1 and any(character.isalpha() for character in words):
            forms = ", ".join(f"{language}: …" for language in languages)
            message = (
                f"{shown(words)} is there in one language only, the study has"
                f" {', '.join(languages)}."
            )
            reading.report(node, message, f"Write {{{forms}}}.")
        elif not words.strip():
            reading.report(node, "the text is empty.", "Write something, or remove the key.")
        return
    lacking = [name for name in languages if name not in text.root]
    others = [name for name in text.root if name not in languages]
    strange = [name for name in others if lacking or name not in LANGUAGES]
    for name in others:
        if name not in strange:
            unoffered.setdefault(name, node.get(name) or node)
    for name in strange:
        reading.report(node.get(name) or node, *unknown("language", name, languages))
    # A misspelt language is one mistake, not two.
    for name in lacking[len(strange) :]:
        reading.report(node, f"there is no text in {name!r}.", f"Add `{name}: …`.")
    for name in languages:
        if name in text.root and not text.root[name].strip():
            reading.report(node.get(name) or node, "the text is empty.", "Write something.")


def _built_in_texts(reading: Reading) -> None:
    place = reading.root.get("texts")
    if reading.is_broken("texts"):
        return
    study = reading.study
    ours = built_in(REFERENCE_LANGUAGE)
    reference = {**_brought_texts(reading), **ours}
    misspelt = 0
    for language, overrides in study.texts.items():
        node = (place or reading.root).get(language)
        if node is None:
            continue
        if language not in study.languages:
            misspelt += 1
            reading.report(node, *unknown("language", language, study.languages))
            continue
        for key, words in overrides.items():
            _override(reading, key, words, node.value[key], reference.get(key), reference)
    lacking = [name for name in study.languages if not built_in(name)]
    for language in lacking[misspelt:]:
        _completeness(
            reading,
            language,
            (place and place.get(language)) or reading.root.get("languages"),
            ours,
        )


def _brought_texts(reading: Reading) -> Mapping[str, str]:
    """The English sentences that the parts of the study bring. Reports the languages that a part
    lacks, and sentences that two parts bring.
    """
    study, brought, owners = reading.study, dict[str, str](), dict[str, str]()
    node = reading.root.get("languages") or reading.root
    for part in parts_of(study):
        try:
            texts = read_part_texts(part.folder)
        except StudyError as error:
            reading.report(node, f"the texts of {part.name!r}: {error}", "Correct the file.")
            continue
        for key, text in texts.get(REFERENCE_LANGUAGE, {}).items():
            if brought.setdefault(key, text) != text:
                message = f"{owners[key]!r} and {part.name!r} both bring the text {key!r}."
                reading.report(node, message, "Rename it in one of them.")
            owners.setdefault(key, part.name)
        for language in study.languages if texts else ():
            given = {*texts.get(language, {}), *texts.get(language.partition("-")[0], {})}
            lacking = texts.get(REFERENCE_LANGUAGE, {}).keys() - given
            lacking -= study.texts.get(language, {}).keys()
            if lacking:
                some = ", ".join(sorted(lacking)[:3])
                reading.report(
                    node,
                    f"{part.name!r} has no text in {language!r} for {some}; participants get the"
                    " English one.",
                    f"Give it under `texts: {{{language}: {{…}}}}`.",
                    severity="warning",
                )
    return brought


def _override(
    reading: Reading,
    key: str,
    words: str,
    node: Node,
    original: str | None,
    reference: Iterable[str],
) -> None:
    if original is None:
        reading.report(node, *unknown("text", key, reference))
        return
    try:
        names = placeholders(words)
    except ValueError as error:
        reading.report(
            node,
            f"the braces do not match: {error}.",
            "Write {{ and }} for braces that are to be shown.",
        )
        return
    for name in sorted(names - placeholders(original)):
        known = placeholders(original)
        cure = (
            did_you_mean(name, known)
            if known
            else "This text has none; write {{ and }} for braces that are to be shown."
        )
        reading.report(node, f"unknown placeholder {{{name}}}.", cure)


def _completeness(
    reading: Reading, language: str, node: Node | None, reference: Iterable[str]
) -> None:
    """A language without built-in words needs all of them. A misspelt key was reported as such and
    is not missing as well.
    """
    texts = reading.study.texts.get(language, {})
    names = list(reference)
    lacking = [key for key in names if key not in texts]
    misspelt = sum(key not in names for key in texts)
    if len(lacking) <= misspelt or node is None:
        return
    some = ", ".join(lacking[:3])
    message = (
        f"{language!r} has no built-in texts, and {len(lacking)} of {len(names)} are missing"
        f" ({some}, …)."
    )
    reading.report(node, message, f"Give them all under `texts: {{{language}: {{…}}}}`.")
