"""The types of the trial message for the type checker of the scripts."""

from __future__ import annotations

import types
import typing
from typing import Any, Literal

from believable.contracts.record import Described
from believable.pages import message


def typescript() -> str:
    """The types of the message for the type checker of the scripts."""
    head = (
        "// Generated from `believable.pages.message` by `make reference`; do not edit by hand.\n"
    )
    models = message.MessagePart.__subclasses__()
    return head + "".join(f"\n{_interface(model)}" for model in models)


def _interface(model: type[Described]) -> str:
    lines, descriptions = [], model.descriptions()
    for name, field in model.model_fields.items():
        if name in descriptions:
            lines.append(f"  /** {' '.join(descriptions[name].split())} */\n")
        lines.append(f"  {name}: {_type(field.annotation)};\n")
    return f"export interface {model.__name__} {{\n{''.join(lines)}}}\n"


_SIMPLE: dict[Any, str] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    types.NoneType: "null",
    Any: "any",
}


def _type(annotation: Any) -> str:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Literal:
        return " | ".join(f'"{word}"' for word in arguments)
    if origin in (typing.Union, types.UnionType):
        return " | ".join(dict.fromkeys(_type(argument) for argument in arguments))
    if origin is list:
        inner = _type(arguments[0])
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if origin is tuple:
        return f"[{', '.join(_type(argument) for argument in arguments)}]"
    if origin is dict:
        return f"Record<string, {_type(arguments[1])}>"
    return _SIMPLE.get(annotation) or annotation.__name__
