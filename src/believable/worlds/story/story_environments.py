"""Environments of texts behind one small interface: stories in files, which TextWorld and Jericho
play, and those that a function of an installed module makes.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from believable.core.errors import InvalidInput, MissingPackage
from believable.worlds.story.little_house import LittleHouse
from believable.worlds.story.text_environment import StoryAnswer, TextEnvironment

#: Files that TextWorld plays: the Z-machine's (by Jericho) and Glulx's.
ENDINGS = (".z3", ".z4", ".z5", ".z8", ".ulx")
#: The built-in story.
LITTLE_HOUSE = "little_house"
_FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_PROMPT = re.compile(r"\n*>[^\n]*\Z|\n+>\s*-= .*\Z", re.DOTALL)

#: A line with this number of strokes is part of a picture.
_STROKES, _DRAWN = re.compile(r"[$\\/_|]"), 4


class TextWorldStory:
    """A story in a file, played by TextWorld; it plays the Z-machine's files with Jericho."""

    def __init__(self, file: Path) -> None:
        textworld = load_textworld()
        wanted = textworld.EnvInfos(
            score=True, won=True, lost=True, admissible_commands=file.with_suffix(".json").is_file()
        )
        with warnings.catch_warnings():
            # Jericho knows the scores of some published games only; TextWorld's files have theirs.
            warnings.filterwarnings("ignore", "Game .* is not fully supported")
            self._env = textworld.start(str(file), wanted)

    def reset(self, seed: int) -> StoryAnswer:
        self._env.seed(seed)
        return self._answer(self._env.reset(), over=False)

    def step(self, command: str) -> StoryAnswer:
        state, _, over = self._env.step(command)
        return self._answer(state, over=bool(over))

    def close(self) -> None:
        self._env.close()

    @staticmethod
    def _answer(state: Any, *, over: bool) -> StoryAnswer:
        return StoryAnswer(
            text=plain_text(str(state["feedback"])),
            score=int(state["score"] or 0),
            over=over,
            commands=tuple(state.get("admissible_commands") or ()),
        )


def plain_text(written: str) -> str:
    """Without the prompt and the status line at its end, and without the lines of a title drawn in
    letters.
    """
    lines = _PROMPT.sub("", written).split("\n")
    kept = [line.rstrip() for line in lines if len(_STROKES.findall(line)) < _DRAWN]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


def load_textworld() -> Any:
    try:
        return importlib.import_module("textworld")
    except ImportError:
        raise MissingPackage(
            "stories in files need TextWorld, which brings Jericho: pip install textworld"
            " (it compiles Jericho: a C compiler and make are needed)."
        ) from None


def environment_maker(story: str) -> Callable[[], TextEnvironment]:
    """How to make the environment that an author named, or an error with its fix."""
    if story == LITTLE_HOUSE:
        return LittleHouse
    if story.endswith(ENDINGS):
        if not Path(story).is_file():
            raise InvalidInput(f"there is no file {story!r}. Write its path from here.")
        load_textworld()
        return lambda: TextWorldStory(Path(story))
    if not _FUNCTION.fullmatch(story):
        listed = ", ".join(ENDINGS)
        raise InvalidInput(
            f"{story!r} is no story: expected {LITTLE_HOUSE}, a file ({listed}), or"
            " MODULE:FUNCTION that makes one."
        )
    module, _, name = story.partition(":")
    try:
        made = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise InvalidInput(
            f"{story!r}: {error}. Install the package that has it, or correct its name."
        ) from None
    maker: Callable[[], TextEnvironment] = made
    return maker
