"""Work in a process of its own: what it loads is gone when it is done."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def in_child(function: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
    """`function(*arguments)`, run in a fresh interpreter. What it raises is raised here."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments, **options).result()
