"""Which agent acted, so that a recording can be traced to its code and its weights: name, module,
SHA-256 of its file, commit, package, parameters, checkpoint.
"""

from __future__ import annotations

import inspect
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from believable import __version__
from believable.core.object_storage import digest_of
from believable.recordings.recording import Scalar

#: git answers in milliseconds; a folder on a network drive that is away must not stop a recording.
GIT_PATIENCE_S = 5.0


def identity_of(name: str, code: Any, params: Any, checkpoint: Path | None) -> Mapping[str, Scalar]:
    """The entries of a recording's `provenance`. `code` is the function or class that acts."""
    module = _module_of(code)
    found: dict[str, Scalar] = {"agent_name": name, "agent_module": module}
    if module.partition(".")[0] == "believable":
        found["agent_package"] = f"believable {__version__}"
    else:
        found |= _package_of(module) | _source_of(code)
    values = TypeAdapter(Any).dump_python(params, mode="json") or {}
    # The path of a file describes its location on one machine; its hash follows.
    plain = {name: value for name, value in values.items() if value != str(checkpoint)}
    if plain:
        found["agent_params"] = json.dumps(plain, sort_keys=True)
    if checkpoint is not None:
        found["agent_checkpoint"] = checkpoint.name
        found["agent_checkpoint_sha256"] = digest_of(checkpoint)
    return found


def _module_of(code: Any) -> str:
    if inspect.ismodule(code):
        return code.__name__
    if isinstance(code, partial):
        return _module_of(code.func)
    return getattr(code, "__module__", None) or type(code).__module__


def _package_of(module: str) -> dict[str, Scalar]:
    top = module.partition(".")[0]
    for package in packages_distributions().get(top, ()):
        try:
            return {"agent_package": f"{package} {version(package)}"}
        except PackageNotFoundError:
            continue
    return {}


def _source_of(code: Any) -> dict[str, Scalar]:
    """The file of the module that holds it, with its hash and commit."""
    source = getattr(sys.modules.get(_module_of(code)), "__file__", None)
    if source is None or not Path(source).is_file():
        return {}
    file = Path(source).resolve()
    return {"agent_file": file.name, "agent_sha256": digest_of(file), **_commit_of(file)}


@cache
def _commit_of(file: Path) -> dict[str, Scalar]:
    """The commit of a file's work tree, and whether the file differs from it."""
    commit = _git(file.parent, "rev-parse", "HEAD")
    if not commit:
        return {}
    changed = _git(file.parent, "status", "--porcelain", "--ignored", "--", file.name)
    return {"agent_commit": commit, "agent_changed": bool(changed)}


def _git(folder: Path, *command: str) -> str | None:
    program = shutil.which("git")
    if program is None:
        return None
    try:
        answer = subprocess.run(
            [program, "-C", str(folder), *command],
            capture_output=True,
            text=True,
            check=False,
            timeout=GIT_PATIENCE_S,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None
