"""The stopping rule: its keys, and whether the design allows it."""

from __future__ import annotations

from collections.abc import Mapping

from believable.contracts.protocol import Declaration
from believable.core.errors import BelievableError
from believable.core.nodes import Node
from believable.study.aimed_units import NotSequential
from believable.study.declaration import DeclaredPlan
from believable.study.reading import Reading
from believable.study.sequential_design import clips_needed, sequential_design

#: The keys of each rule besides `rule`.
KEYS: Mapping[str, frozenset[str]] = {
    "complete": frozenset({"n"}),
    "after_exclusions": frozenset({"n"}),
    "experience": frozenset({"n", "at_least"}),
    "sequential": frozenset({"n", "until", "margin", "alpha", "clip_sd", "outcome", "assign"}),
}


def check_stopping(
    reading: Reading, plan: DeclaredPlan, node: Node, declaration: Declaration
) -> None:
    stopping, place = plan.stopping, node.get("stopping")
    if stopping is None or place is None or reading.is_broken(place.path):
        return
    if stopping.rule in ("complete", "after_exclusions") and stopping.n is None:
        message = f"the rule {stopping.rule!r} needs a number of sessions."
        reading.report(place, message, "Add `n: …`.")
    for key in stopping.model_fields_set - KEYS[stopping.rule] - {"rule"}:
        message = f"the rule {stopping.rule!r} does not look at {key!r}."
        able = " or ".join(rule for rule, keys in KEYS.items() if key in keys)
        reading.report(place.get(key) or place, message, f"Remove it, or use the rule {able}.")
    roles = {role.name for role in declaration.roles}
    if stopping.rule == "experience" and "experience" not in roles:
        who = "a design of one's own" if plan.protocol is None else f"the protocol {plan.protocol}"
        message = f"{who} knows no experience to stop by."
        reading.report(place, message, "Use the rule complete or after_exclusions.")


def check_sequential(reading: Reading, node: Node) -> None:
    """Whether the design allows the rule `sequential`. Only for a study without other problems."""
    place, plan = node.get("stopping"), reading.study.analysis
    if place is None or any(problem.severity == "error" for problem in reading.problems):
        return
    try:
        design = sequential_design(reading.study)
    except NotSequential as error:
        reading.report(place.get(error.key) or place, error.message, error.cure)
        return
    except BelievableError:
        return  # no plan can be made: other checks say why
    if design is None or plan is None:
        return
    too_small = [part for part in design.contrasts if part.rule.widening >= part.rule.margin]
    for part in {part.clips: part for part in reversed(too_small)}.values():
        message = (
            f"{part.clips} clips of {part.contrast.name!r} may differ from others by"
            f" {part.rule.widening:.2f}, so that nothing can be shown to be within"
            f" {part.rule.margin:g}."
        )
        cure = (
            f"Show clips from a pool of at least {clips_needed(part)}, or write"
            " `about: these clips`."
        )
        severity = "warning" if design.until == "both" else "error"
        if design.until != "difference":
            reading.report(place.get("until") or place, message, cure, severity=severity)
