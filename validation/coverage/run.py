"""Run the declared coverage cases and print the table."""

from __future__ import annotations

import argparse
import functools
import importlib
import pkgutil
import sys
from collections.abc import Sequence
from functools import reduce
from operator import add

import numpy as np

from believable.core.errors import InvalidInput
from believable.core.registry import Registry
from believable.core.seeds import derive
from believable.core.work import Progress, bounds, map_chunks
from validation import coverage as package
from validation.coverage.case import CoverageCase, Tally, tally

_BLOCK = 100
_MACHINERY = ("case", "run", "__main__")


@functools.cache
def all_cases() -> Registry[CoverageCase]:
    """Every case declared by a module of this folder."""
    names = [
        module.name
        for module in pkgutil.iter_modules(package.__path__)
        if module.name not in _MACHINERY
    ]
    modules = [importlib.import_module(f"{package.__name__}.{name}") for name in sorted(names)]
    return Registry("coverage case", (case for module in modules for case in module.CASES))


def chosen_cases(names: Sequence[str]) -> list[CoverageCase]:
    """Those whose name is given, or starts with what is given (`cohen_kappa`); all of them without
    names.
    """
    if not names:
        return list(all_cases())
    matching = {
        case.name: case for name in names for case in all_cases() if case.name.startswith(name)
    }
    missing = [name for name in names if not any(known.startswith(name) for known in matching)]
    return [all_cases()[name] for name in missing] + list(matching.values())


def run_cases(
    cases: Sequence[CoverageCase],
    *,
    simulations: int = 2000,
    seed: int = 1,
    workers: int | None = None,
    executor: object = None,
    progress: Progress | None = None,
) -> dict[str, Tally]:
    """The tally of each case. Same seed, same tallies, on any number of workers."""
    if simulations < 1:
        raise InvalidInput(f"simulations: expected at least 1, got {simulations}.")
    blocks = [
        (case.name, index, stop - start, seed)
        for case in cases
        for index, (start, stop) in enumerate(bounds(simulations, _BLOCK))
    ]
    tallies = map_chunks(
        _block, blocks, workers=workers, executor=executor, progress=progress, pool="processes"
    )
    by_case: dict[str, list[Tally]] = {case.name: [] for case in cases}
    for (name, *_), counted in zip(blocks, tallies, strict=True):
        by_case[name].append(counted)
    return {name: reduce(add, parts) for name, parts in by_case.items()}


def _block(block: tuple[str, int, int, int]) -> Tally:
    name, index, simulations, seed = block
    rng = np.random.default_rng(derive(seed, "coverage", name, index))
    return tally(all_cases()[name], simulations=simulations, rng=rng)


def table(cases: Sequence[CoverageCase], tallies: dict[str, Tally]) -> str:
    """One line per case; `FAILS` marks a broken promise."""
    width = max((len(case.name) for case in cases), default=4)
    lines = [
        f"{'case':<{width}}  {'truth':>8}  coverage  too low  too high  undefined  mean width "
        " verdict"
    ]
    for case in cases:
        counted = tallies[case.name]
        verdict = "ok" if case.kept(counted) else "FAILS"
        lines.append(
            f"{case.name:<{width}}  {case.truth:>8.4f}  {counted.coverage:>8.4f} "
            f" {counted.below:>7}  {counted.above:>8}  {counted.undefined:>9} "
            f" {counted.mean_width:>10.4f}  {verdict}{_why(case)}"
        )
    return "\n".join(lines)


def _why(case: CoverageCase) -> str:
    said = {
        "exact": case.exact,
        f"wide: {case.wide}": case.wide,
        f"narrow: {case.narrow}": case.narrow,
    }
    return "".join(f" ({words})" for words, applies in said.items() if applies)


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when every interval keeps its promise, 1 when one does not."""
    parser = argparse.ArgumentParser(prog="python -m validation.coverage", description=__doc__)
    parser.add_argument("names", nargs="*", help="cases, or the start of their names; default: all")
    parser.add_argument("--simulations", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=None)
    options = parser.parse_args(arguments)
    cases = chosen_cases(options.names)
    tallies = run_cases(
        cases, simulations=options.simulations, seed=options.seed, workers=options.workers
    )
    sys.stdout.write(table(cases, tallies) + "\n")
    return 0 if all(case.kept(tallies[case.name]) for case in cases) else 1
