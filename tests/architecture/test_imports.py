"""Imports point one way. Read from the syntax trees, so imports in functions and under
TYPE_CHECKING count too.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.architecture.house import SOURCE, modules, nodes_of

#: From the ground up. A package imports from itself and from lower layers only.
LAYERS: tuple[frozenset[str], ...] = tuple(
    frozenset(names.split())
    for names in (
        "core",
        "recordings stats",
        "motion",
        "imitation",
        "contracts",
        "study agents",
        "traces instruments players worlds",
        "stimuli bundle environments",
        "pages coding giveaways judges",
        "store",
        "analysis collect",
        "report",
        "simulate",
        "protocols",
        "app",
        "web",
        "cli",
    )
)
LEVEL = {package: level for level, packages in enumerate(LAYERS) for package in packages}

#: Outside libraries that only some packages may touch.
ONLY_IN = {
    "fastapi": {"web"},
    "starlette": {"web"},
    "uvicorn": {"web"},
    "jinja2": {"core", "report", "web"},  # core: documents in plain text
    "sqlalchemy": {"store"},
    "alembic": {"store"},
    "sqlite3": {"store"},
    "psycopg": {"store"},
    "obstore": {"core"},
    "click": {"cli"},
    "httpx": {"simulate", "worlds"},
    "gymnasium": {"worlds", "environments"},
    "pettingzoo": {"worlds", "environments"},
    "torch": {"worlds"},
    "textworld": {"worlds"},
    "stable_baselines3": {"worlds"},
    "safetensors": {"worlds"},
    "altair": set(),
    "vl_convert": {"report"},
    "matplotlib": set(),
    "pandas": {"bundle"},
    "polars": {"bundle"},
    "pyarrow": {"bundle"},
    "pickle": set(),
}

#: A function may import only where start-up time asks for it, or what may not be installed
#: (alembic: slow and rarely needed).
LAZY_PACKAGES = {"cli"}
OPTIONAL_LIBRARIES = {
    *("alembic", "av", "PIL", "glmm", "numba", "vizdoom", "distributed", "dask"),
    *("psycopg", "gymnasium", "pettingzoo", "minari", "torch", "stable_baselines3", "vl_convert"),
    *(
        "textworld",
        "pyarrow",
        "authlib",
        "joserfc",
        "obstore",
        "safetensors",
        "tokenizers",
        "xllamacpp",
    ),
}


@dataclass(frozen=True, slots=True)
class Import:
    module: str
    line: int
    in_function: bool


def package_of(place: str) -> str:
    package, _, module = place.partition("/")
    return package if module else ""


def imports_of(nodes: Sequence[ast.AST], package_path: tuple[str, ...]) -> Iterator[Import]:
    """Every import, absolute, wherever it stands."""
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]

    def inside(line: int) -> bool:
        return any(function.lineno <= line <= (function.end_lineno or 0) for function in functions)

    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, inside(node.lineno))
        elif isinstance(node, ast.ImportFrom):
            base = (
                ".".join(package_path[: len(package_path) - node.level + 1]) if node.level else ""
            )
            stem = ".".join(part for part in (base, node.module) if part)
            for alias in node.names:
                yield Import(f"{stem}.{alias.name}", node.lineno, inside(node.lineno))
        elif (
            isinstance(node, ast.Call)
            and node.args
            and isinstance(node.args[0], ast.Constant)
            and ast.unparse(node.func) in ("importlib.import_module", "__import__")
        ):
            yield Import(str(node.args[0].value), node.lineno, inside(node.lineno))


def violations(
    nodes: Sequence[ast.AST], package: str, package_path: tuple[str, ...] = ("believable",)
) -> list[str]:
    """What is wrong with the imports of one module that lives in `package`."""
    wrong = []
    for item in imports_of(nodes, package_path):
        parts = item.module.split(".")
        allowed = ONLY_IN.get(parts[0])
        if allowed is not None and package not in allowed:
            wrong.append(
                f"{item.line}: {parts[0]} may be imported only in {sorted(allowed) or 'tests'}"
            )
        if parts[0] == "believable" and len(parts) > 1 and parts[1] in LEVEL and package:
            target = parts[1]
            if target != package and LEVEL[target] >= LEVEL[package]:
                wrong.append(
                    f"{item.line}: {package} may not import {target}: it is not in a lower layer"
                )
        if item.in_function and package not in LAZY_PACKAGES and parts[0] not in OPTIONAL_LIBRARIES:
            wrong.append(
                f"{item.line}: import of {item.module} inside a function; move it to the top of the"
                " file"
            )
    return wrong


def test_imports_hold() -> None:
    wrong = [
        f"{place}:{violation}"
        for place, file in modules()
        for violation in violations(
            nodes_of(file), package_of(place), ("believable", *Path(place).parts[:-1])
        )
    ]
    assert wrong == []


#: Three parts that could become distributions: numbers, worlds with their agents, and the rest.
#: What each of the first two may import besides itself and the standard library.
CUTS = {
    ("stats", "traces"): {*("numpy", "scipy", "threadpoolctl", "numba", "glmm"), "believable.core"},
    ("worlds", "agents", "imitation"): {
        *("numpy", "scipy", "threadpoolctl", "numba", "pydantic", "httpx", "av", "PIL"),
        *(
            "gymnasium",
            "pettingzoo",
            "stable_baselines3",
            "textworld",
            "torch",
            "safetensors",
            "tokenizers",
            "vizdoom",
            "xllamacpp",
        ),
        *("believable.core", "believable.contracts", "believable.study", "believable.recordings"),
        *("believable.stats", "believable.plugins", "believable.__version__"),
    },
}


def imports_outside(cut: tuple[str, ...], allowed: set[str]) -> list[str]:
    """Return the imports of a cut's packages that lead out of it."""
    found = []
    for path, file in modules(*cut):
        for item in imports_of(nodes_of(file), ("believable", *Path(path).parts[:-1])):
            parts = item.module.split(".")
            outside = parts[0] != "believable" or parts[1] not in cut
            name = ".".join(parts[:2]) if parts[0] == "believable" else parts[0]
            if outside and name not in allowed and parts[0] not in sys.stdlib_module_names:
                found.append(f"{path}:{item.line}: {item.module}")
    return found


def test_the_three_cuts_are_clean() -> None:
    assert [line for cut, allowed in CUTS.items() for line in imports_outside(cut, allowed)] == []


def test_an_import_across_a_cut_is_found() -> None:
    assert imports_outside(("stats",), {"numpy", "scipy"})


def test_every_package_has_a_layer() -> None:
    packages = {
        folder.name for folder in SOURCE.iterdir() if folder.is_dir() and any(folder.rglob("*.py"))
    }
    assert packages <= set(LEVEL), (
        f"give these a layer in {Path(__file__).name}: {packages - set(LEVEL)}"
    )


@pytest.mark.parametrize(
    ("source", "package"),
    [
        ("from believable.web import app", "store"),
        ("def f():\n    from believable.store import engine", "instruments"),
        (
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import believable.cli.new",
            "study",
        ),
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
    assert violations(tuple(ast.walk(ast.parse(source))), package, ("believable", package))


@pytest.mark.parametrize(
    ("source", "package"),
    [
        ("from believable.core import ids\nfrom believable.study.records import Study", "web"),
        ("def f():\n    import av", "stimuli"),
        ("def f():\n    from believable.web.app import serve", "cli"),
    ],
)
def test_what_is_allowed_passes(source: str, package: str) -> None:
    assert violations(tuple(ast.walk(ast.parse(source))), package) == []
