"""Weights in files: safetensors with a description inside the file, and a digest, so that a broken
file is noticed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from believable.core.errors import InvalidInput, MissingExtra
from believable.core.whole_files import whole_file

FORMAT = "believable-navigation/1"
Arrays = Mapping[str, NDArray[Any]]


def write_weights(path: Path, arrays: Arrays, words: Mapping[str, Any]) -> None:
    """Written completely or not at all: an interruption leaves the earlier file."""
    tensors = {name: np.ascontiguousarray(values) for name, values in arrays.items()}
    kept = {
        "format": FORMAT,
        "words": json.dumps(words, sort_keys=True),
        "digest": _digest(tensors),
    }
    body = _safetensors().save(tensors, metadata=kept)
    with whole_file(path) as draft:
        draft.write_bytes(body)


def read_weights(path: Path, cure: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Arrays by name and their description, or an error that names the file; `cure` is the fix."""
    library = _safetensors()
    try:
        body = path.read_bytes()
        words = _header(body)
        arrays: dict[str, NDArray[Any]] = library.load(body)
    except FileNotFoundError:
        raise InvalidInput(f"{path}: there is no such file. {cure}") from None
    except Exception as error:  # noqa: BLE001  the library's own kinds are not exported everywhere
        raise InvalidInput(
            f"{path}: not a whole file of weights ({str(error)[:120]}). {cure}"
        ) from None
    if words.get("format") != FORMAT:
        raise InvalidInput(
            f"{path}: expected weights of {FORMAT}, got {words.get('format')!r}. {cure}"
        )
    if words.get("digest") != _digest(arrays):
        raise InvalidInput(
            f"{path}: its content does not have the digest that was written with it: it is damaged."
            f" {cure}"
        )
    return arrays, json.loads(words["words"])


def _header(body: bytes) -> dict[str, str]:
    length = int.from_bytes(body[:8], "little")
    words: dict[str, str] = json.loads(body[8 : 8 + length]).get("__metadata__", {})
    return words


def _digest(arrays: Arrays) -> str:
    total = hashlib.sha256()
    for name in sorted(arrays):
        values = arrays[name]
        total.update(f"{name} {values.dtype} {values.shape}\n".encode() + values.tobytes())
    return total.hexdigest()


def _safetensors() -> Any:
    try:
        import safetensors.numpy  # noqa: PLC0415  an optional extra
    except ImportError as error:
        raise MissingExtra(what="trained navigation agents", extra="doom") from error
    return safetensors.numpy
