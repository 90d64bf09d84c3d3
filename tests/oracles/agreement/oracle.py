"""Witness of believable.stats.agreement: irrCAC and krippendorff, both from PyPI.

Usage, in an environment of its own: pip install irrCAC==0.4.4 krippendorff==0.9.0
       python oracle.py input.json output_python.json
"""

import json
import sys
from importlib.metadata import version

import krippendorff
import numpy as np
import pandas as pd
from irrCAC.raw import CAC


def coefficients(rows: list[list[float | None]]) -> dict[str, dict[str, float]]:
    found = CAC(pd.DataFrame(rows, dtype=float), digits=12)
    calls = {"gwet_ac1": found.gwet, "fleiss_kappa": found.fleiss}
    estimates = {name: call()["est"] for name, call in calls.items()}
    return {
        name: {"value": est["coefficient_value"], "se": est["se"], "observed": est["pa"]}
        for name, est in estimates.items()
    }


def alphas(rows: list[list[float | None]]) -> dict[str, float]:
    table = np.array(rows, dtype=float).T
    levels = ("nominal", "ordinal", "interval", "ratio")
    return {level: float(krippendorff.alpha(table, level_of_measurement=level)) for level in levels}


def main(source: str, target: str) -> None:
    with open(source) as file:
        given = json.load(file)
    output = {
        "tool": {name: version(name) for name in ("irrCAC", "krippendorff", "numpy", "pandas")},
        "complete": [coefficients(rows) for rows in given["labels"]],
        "gaps": [coefficients(rows) for rows in given["gaps"]],
        "alpha": [alphas(rows) for rows in given["gaps"]],
    }
    with open(target, "w") as file:
        json.dump(output, file, indent=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
