"""Imports point one way. Read from the syntax trees, so imports in functions and under TYPE_CHECKING count too."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "believable"

#: From the ground up. A package imports from itself and from lower layers only.
LAYERS: tuple[frozenset[str], ...] = tuple(
    frozenset(names.split())
    for names in (
        "core",
        "study replay stats",
        "traces instruments players worlds",
        "agents stimuli bundle",
        "coding",
        "store",
        "analysis collect",
        "report",
        "web simulate",
        "cli",
    )
)
LEVEL = {package: level for level, packages in enumerate(LAYERS) for package in packages}

#: Outside libraries that only some packages may touch.
ONLY_IN = {
    "fastapi": {"web"},
    "starlette": {"web"},
    "uvicorn": {"web"},
    "jinja2": {"web"},
    "sqlalchemy": {"store"},
    "alembic": {"store"},
    "sqlite3": {"store"},
    "psycopg": {"store"},
    "click": {"cli"},
    "httpx": {"simulate"},
    "gymnasium": {"worlds", "agents"},
    "torch": {"worlds", "agents"},
    "altair": set(),
    "vl_convert": {"report"},
    "matplotlib": set(),
    "pandas": set(),
    "pickle": set(),
}

#: A function may import only where start-up time asks for it, or what may not be installed (alembic: slow and rarely needed).
LAZY_PACKAGES = {"cli"}
OPTIONAL_LIBRARIES = {
    *("alembic", "av", "PIL", "glmm", "numba", "distributed", "dask"),
    *("psycopg", "gymnasium", "torch", "vl_convert"),
}


@dataclass(frozen=True, slots=True)
class Import:
    module: str
    line: int
    in_function: bool


def package_of(file: Path) -> str:
    relative = file.relative_to(SOURCE)
    return relative.parts[0] if len(relative.parts) > 1 else ""


def imports_of(tree: ast.Module, package_path: tuple[str, ...]) -> Iterator[Import]:
    """Every import, absolute, wherever it stands."""
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, id(node) in inside)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package_path[: len(package_path) - node.level + 1]) if node.level else ""
            stem = ".".join(part for part in (base, node.module) if part)
            for alias in node.names:
                yield Import(f"{stem}.{alias.name}", node.lineno, id(node) in inside)
        elif (
            isinstance(node, ast.Call)
            and ast.unparse(node.func) in ("importlib.import_module", "__import__")
            and node.args
            and isinstance(node.args[0], ast.Constant)
        ):
            yield Import(str(node.args[0].value), node.lineno, id(node) in inside)


def violations(source: str, package: str, package_path: tuple[str, ...] = ("believable",)) -> list[str]:
    """What is wrong with the imports of one module that lives in `package`."""
    found = []
    for item in imports_of(ast.parse(source), package_path):
        parts = item.module.split(".")
        allowed = ONLY_IN.get(parts[0])
        if allowed is not None and package not in allowed:
            found.append(f"{item.line}: {parts[0]} may be imported only in {sorted(allowed) or 'tests'}")
        if parts[0] == "believable" and len(parts) > 1 and parts[1] in LEVEL and package:
            target = parts[1]
            if target != package and LEVEL[target] >= LEVEL[package]:
                found.append(f"{item.line}: {package} may not import {target}: it is not in a lower layer")
        if item.in_function and package not in LAZY_PACKAGES and parts[0] not in OPTIONAL_LIBRARIES:
            found.append(
                f"{item.line}: import of {item.module} inside a function; move it to the top of the file"
            )
    return found


FILES = sorted(SOURCE.rglob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_imports_hold(file: Path) -> None:
    relative = file.relative_to(SOURCE)
    path = ("believable", *relative.parts[:-1])
    assert violations(file.read_text(encoding="utf-8"), package_of(file), path) == []


def test_every_package_has_a_layer() -> None:
    packages = {folder.name for folder in SOURCE.iterdir() if folder.is_dir() and any(folder.rglob("*.py"))}
    assert packages <= set(LEVEL), f"give these a layer in {Path(__file__).name}: {packages - set(LEVEL)}"


@pytest.mark.parametrize(
    ("source", "package"),
    [
        ("from believable.web import app", "store"),
        ("def f():\n    from believable.store import engine", "instruments"),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import believable.cli.new", "study"),
        ("import sqlalchemy", "collect"),
        ("from sqlite3 import connect", "simulate"),
        ("from starlette.responses import Response", "collect"),
        ("import importlib\nimportlib.import_module('fastapi')", "simulate"),
        ("from believable import web", "simulate"),
        ("from .. import web", "store"),
        ("def f():\n    import json", "web"),
    ],
)
def test_a_violation_is_found(source: str, package: str) -> None:
    assert violations(source, package, ("believable", package))


def test_what_is_allowed_passes() -> None:
    assert (
        violations("from believable.core import ids\nfrom believable.study.records import Study", "web") == []
    )
    assert violations("def f():\n    import av", "stimuli") == []
    assert violations("def f():\n    from believable.web.app import serve", "cli") == []
