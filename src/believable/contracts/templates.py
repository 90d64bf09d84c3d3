"""The blocks of a part's template: one that its parent does not have would never be shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from believable.contracts.registries import INSTRUMENTS, PAGES
from believable.core.registry import Registry, did_you_mean

#: The blocks of `participant/trial.html`, which pages extend.
TRIAL_TEMPLATE = "participant/trial.html"
TRIAL_BLOCKS = ("above", "questions", "beside_next", "below")

_TAG = re.compile(
    r"{%-?\s*(block|endblock|extends|set|import|from)\b\s*([^\s%]*)(?:(?!%}).)*%}", re.S
)
_COMMENT = re.compile(r"{#.*?#}", re.S)


def template_problems(template: Path) -> Iterator[str]:
    """The problems with the blocks of a template that extends another."""
    code = _COMMENT.sub("", template.read_text(encoding="utf-8"))
    tags = list(_TAG.finditer(code))
    parent = next((tag[2].strip("\"'") for tag in tags if tag[1] == "extends"), None)
    if parent is None:
        return
    known = blocks_of(parent)
    if known is None:
        yield f"{template.name} extends {parent!r}, which there is not."
        return
    depth, outside, end = 0, "", 0
    for tag in tags:
        if depth == 0:
            outside += code[end : tag.start()]
        if tag[1] == "block":
            if depth == 0 and tag[2] not in known:
                yield (
                    f"{template.name}: {parent} has no block {tag[2]!r}, so it is never shown."
                    f" {did_you_mean(tag[2], known)}"
                )
            depth += 1
        elif tag[1] == "endblock":
            depth -= 1
        end = tag.end()
    outside += code[end:]
    if outside.strip():
        some = " ".join(outside.split())[:40]
        yield f"{template.name}: {some!r} is in no block, so it is never shown. Put it into one."


def blocks_of(template: str) -> tuple[str, ...] | None:
    """The blocks of a template by its name, with those of the templates it extends; None if there
    is no such template.
    """
    if template == TRIAL_TEMPLATE:
        return TRIAL_BLOCKS
    group, _, rest = template.partition("/")
    name, _, file = rest.partition("/")
    registries: dict[str, Registry[Any]] = {"pages": PAGES, "instruments": INSTRUMENTS}
    registry = registries.get(group)
    if registry is None or name not in registry or not (registry[name].folder / file).is_file():
        return None
    tags = list(_TAG.finditer((registry[name].folder / file).read_text(encoding="utf-8")))
    parent = next((tag[2].strip("\"'") for tag in tags if tag[1] == "extends"), None)
    inherited = () if parent is None else blocks_of(parent) or ()
    return (*inherited, *(tag[2] for tag in tags if tag[1] == "block"))
