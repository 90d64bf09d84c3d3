"""The words of the pages in one language: built in (`languages/*.yaml`), or as the study has
them.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from pathlib import Path

from believable.core.data_files import read_entries
from believable.core.errors import NotFound
from believable.core.registry import did_you_mean
from believable.study.records import Study

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
    """The built-in words of a language, or of the language it is a variety of (`de-CH` → `de`);
    empty where there are none.
    """
    name = language if language in LANGUAGES else language.partition("-")[0]
    return read_entries(_FOLDER / f"{name}.yaml") if name in LANGUAGES else {}


def placeholders(text: str) -> frozenset[str]:
    """The `{names}` in a text. Raises ValueError where braces do not match."""
    return frozenset(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


class Texts(Mapping[str, str]):
    """`texts[key]` in the participant's language."""

    def __init__(self, study: Study, language: str) -> None:
        self.language = language
        self._texts = {**built_in(language), **study.texts.get(language, {})}

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
