"""The assumed truth of a simulated study, with the changes of `--truth`: one source for `power` and
`simulate`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.simulate.behaviour import SimulatedProtocol
from believable.study.definition import Definition


def plant_truth(
    definition: Definition, protocol: SimulatedProtocol, changes: Mapping[str, Any]
) -> Any:
    """The truth that the study assumes (its `assume`, or its protocol's defaults), with some
    parameters changed.
    """
    truth = protocol.people.truth_for(definition.study)
    known = {field.name for field in fields(truth)}
    for name, value in changes.items():
        if name not in known:
            raise InvalidInput(
                f"--truth {name}: {protocol.name} has no such parameter."
                f" {did_you_mean(name, known)}"
            )
        _must_be_like(name, value, getattr(truth, name))
    return replace(
        truth,
        **{
            name: tuple(value) if isinstance(value, list) else value
            for name, value in changes.items()
        },
    )


def _must_be_like(name: str, value: Any, assumed: Any) -> None:
    """A number for a number, a list for a list of numbers."""
    several = isinstance(assumed, tuple)
    parts = value if several and isinstance(value, list) else [value]
    if not all(isinstance(part, int | float) and not isinstance(part, bool) for part in parts):
        raise InvalidInput(
            f"--truth {name}: expected {'numbers' if several else 'a number'}, got"
            f" {json.dumps(value)}."
        )
    if several and len(parts) != len(assumed):
        raise InvalidInput(
            f"--truth {name}: expected a list of {len(assumed)} numbers, got {json.dumps(value)}."
        )


def parse_truth(settings: Sequence[str]) -> dict[str, Any]:
    """`skill=0.4` → {"skill": 0.4}."""
    truth: dict[str, Any] = {}
    for setting in settings:
        name, sign, value = setting.partition("=")
        if not sign:
            raise InvalidInput(f"--truth {setting!r}: expected name=value, such as skill=0.4.")
        try:
            truth[name.strip()] = json.loads(value)
        except ValueError:
            raise InvalidInput(
                f"--truth {setting!r}: expected a number after =, got {value!r}."
            ) from None
    return truth
