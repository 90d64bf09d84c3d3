"""The sentences of the pages in one language: built in (`languages/*.yaml`), of the parts that a
study uses, or as the study has them.

A part brings its own sentences in `texts/<language>.yaml` of its folder: `key: sentence`. A
sentence that a language lacks is taken from the language it is a variety of (`de-CH` → `de`), else
from English.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from believable.contracts.registries import INSTRUMENTS, PAGES, PLAYERS, PROTOCOLS, WORLDS
from believable.contracts.trial import TrialBase, outline
from believable.core.data_files import read_entries
from believable.core.errors import NotFound, Problem, StudyError
from believable.core.nodes import parse
from believable.core.registry import did_you_mean

_FOLDER = Path(__file__).with_name("languages")

#: The language whose keys are the complete set.
REFERENCE_LANGUAGE = "en"

#: The languages with built-in words, the reference first.
LANGUAGES = tuple(
    sorted(
        (file.stem for file in _FOLDER.glob("*.yaml")),
        key=lambda name: (name != REFERENCE_LANGUAGE, name),
    )
)


def built_in(language: str) -> Mapping[str, str]:
    """The built-in texts of a language, or of the language it is a variety of (`de-CH` → `de`);
    empty if there are none.
    """
    name = language if language in LANGUAGES else language.partition("-")[0]
    return read_entries(_FOLDER / f"{name}.yaml") if name in LANGUAGES else {}


def placeholders(text: str) -> frozenset[str]:
    """The `{names}` in a text. Raises ValueError where braces do not match."""
    return frozenset(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


class Part(Protocol):
    """A record of any registry that has a folder."""

    @property
    def name(self) -> str: ...
    @property
    def folder(self) -> Path: ...


@cache
def read_part_texts(folder: Path) -> Mapping[str, Mapping[str, str]]:
    """Language → key → sentence, as a part has them in its `texts/`; empty without that folder."""
    texts, problems = {}, []
    for file in sorted((folder / "texts").glob("*.yaml")):
        name = f"{folder.name}/texts/{file.name}"
        tree, found = parse(file.read_bytes(), name)
        problems += found
        if tree is None:
            continue
        if not tree.is_mapping:
            problems.append(
                Problem(
                    file=name,
                    line=1,
                    path="",
                    message="expected `key: sentence` lines.",
                    cure="Write them.",
                )
            )
            continue
        for key, node in tree.value.items():
            if not isinstance(node.value, str):
                problems.append(
                    Problem(
                        file=name,
                        line=node.line,
                        path=key,
                        message="expected a sentence.",
                        cure=f'Write `{key}: "…"`.',
                    )
                )
        texts[file.stem] = {key: str(node.value) for key, node in tree.value.items()}
    if problems:
        raise StudyError(problems)
    return texts


def choose_texts(part: Part, language: str) -> Mapping[str, str]:
    """The sentences of a part in a language; those it lacks as the rule of this module says."""
    texts = read_part_texts(part.folder)
    names = (REFERENCE_LANGUAGE, language.partition("-")[0], language)
    return {key: text for name in names for key, text in texts.get(name, {}).items()}


def part_text_problems(folder: Path) -> Iterator[str]:
    """The problems with the sentences of a part, for its `check_*`."""
    try:
        texts = read_part_texts(folder)
    except StudyError as error:
        yield from str(error).splitlines()
        return
    if not texts:
        return
    if REFERENCE_LANGUAGE not in texts:
        yield f"texts/ has no {REFERENCE_LANGUAGE}.yaml, from which other languages are completed."
        return
    reference = texts[REFERENCE_LANGUAGE]
    ours = built_in(REFERENCE_LANGUAGE)
    for key in reference:
        if key in ours:
            yield f"texts/{REFERENCE_LANGUAGE}.yaml: {key!r} is a built-in text. Rename it."
    for language, own in texts.items():
        for key in reference.keys() - own.keys():
            yield f"texts/{language}.yaml has no {key!r}."
        for key, text in own.items():
            yield from _sentence_problems(
                f"texts/{language}.yaml: {key!r}", text, reference.get(key)
            )


def _sentence_problems(name: str, text: str, reference: str | None) -> Iterator[str]:
    if reference is None:
        yield f"{name} is not in {REFERENCE_LANGUAGE}.yaml. Add it there, or remove it."
        return
    try:
        given, wanted = placeholders(text), placeholders(reference)
    except ValueError as error:
        yield f"{name}: the braces do not match: {error}. Write {{{{ and }}}} for braces."
        return
    if given != wanted:
        found, expected = (", ".join(sorted(names)) or "none" for names in (given, wanted))
        yield f"{name} has the placeholders {found}, expected {expected}."


class TextSource(Protocol):
    """A study: its pages, and the sentences it replaces as language → key → sentence."""

    @property
    def texts(self) -> Mapping[str, Mapping[str, str]]: ...
    @property
    def timeline(self) -> tuple[TrialBase, ...]: ...
    @property
    def analysis(self) -> Any: ...


def parts_of(study: TextSource) -> Iterator[Part]:
    """The parts whose sentences a study can show, each once: instruments and kinds of pages that it
    uses, its protocol, and the players and worlds of installed packages.
    """
    items = [entry.item for entry in outline(study.timeline)]
    asked = [question.kind for item in items for question in item.all_questions]
    annotated = [item.annotation.kind for item in items if item.annotation is not None]
    protocol: str | None = getattr(study.analysis, "protocol", None)
    for registry, names in (
        (INSTRUMENTS, [*asked, *annotated]),
        (PAGES, [item.kind for item in items]),
        (PROTOCOLS, [protocol] if protocol else []),
        (PLAYERS, PLAYERS.added_names),
        (WORLDS, WORLDS.added_names),
    ):
        for name in dict.fromkeys(names):
            if name in registry:
                yield registry[name]


class Texts(Mapping[str, str]):
    """`texts[key]` in the participant's language. `brought` are the keys that parts bring."""

    def __init__(self, study: TextSource, language: str) -> None:
        self.language = language
        brought: dict[str, str] = {}
        for part in parts_of(study):
            brought |= choose_texts(part, language)
        self.brought = frozenset(brought)
        self._texts = {**brought, **built_in(language), **study.texts.get(language, {})}

    def __getitem__(self, key: str) -> str:
        try:
            return self._texts[key]
        except KeyError:
            raise NotFound(
                f"unknown text {key!r} in {self.language!r}. {did_you_mean(key, self._texts)}"
            ) from None

    def __contains__(self, key: object) -> bool:
        return key in self._texts

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)
