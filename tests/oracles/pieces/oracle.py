"""Witness of `hntt_subsampling`: every subset of judges, from Python's standard library alone.

The median of a bootstrap sample of an odd number of judges is a value of the sample; its
distribution is that of a binomial count of draws below it, so that the bounds of the percentile
interval are exact and nothing is drawn.

Usage: python oracle.py input.json output_python.json
"""

import json
import platform
import sys
from itertools import combinations
from math import comb
from statistics import fmean, median, pvariance


def at_least(successes: int, n: int, chance: float) -> float:
    return sum(comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(successes, n + 1))


def bound(values: list[float], level: float) -> float:
    n = len(values)
    below = (at_least((n + 1) // 2, n, (rank + 1) / n) for rank in range(n))
    return next(value for value, chance in zip(values, below, strict=True) if chance >= level)


def subsets(accuracy: list[float], n: int) -> dict[str, float]:
    drawn = [sorted(judges) for judges in combinations(accuracy, n)]
    parts = {
        "median": [median(judges) for judges in drawn],
        "low": [bound(judges, 0.025) for judges in drawn],
        "high": [bound(judges, 0.975) for judges in drawn],
    }
    means = {f"mean_{part}": fmean(values) for part, values in parts.items()}
    variances = {f"variance_{part}": pvariance(values) for part, values in parts.items()}
    passed = fmean(
        low <= 0.5 <= high for low, high in zip(parts["low"], parts["high"], strict=True)
    )
    return {"passed": passed, **means, **variances}


def main(source: str, target: str) -> None:
    with open(source) as file:
        cases = json.load(file)["subsets"]
    output = {
        "tool": {"python": platform.python_version()},
        "subsets": [subsets(case["accuracy"], case["n"]) for case in cases],
    }
    with open(target, "w") as file:
        json.dump(output, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
