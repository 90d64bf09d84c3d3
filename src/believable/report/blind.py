"""Looking at results without knowing which condition is which.

The names are taken out of the data and of the plan before anything is computed, and the order of the conditions is drawn from
the definition's hash: no table, figure, sentence or order of rows can tell them apart. What an outcome is by definition (such as
how often the human clip was chosen) stays what it is.
"""

from __future__ import annotations

import hashlib
import json
import re
import string
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from believable.analysis.plan import Plan
from believable.analysis.records import Analysis
from believable.analysis.registered import Registration, plan_hash
from believable.analysis.run import data_hash, run, settle, study_of
from believable.bundle.read import Bundle, Column, ColumnTable
from believable.core.errors import InvalidInput
from believable.report.unnamed import role_letters, unnamed
from believable.study.declared import Plan as DeclaredPlan

#: Columns that name a condition or a stimulus, or hold an answer that may.
NAMING = ("condition", "stimulus", "value_text", "item")
#: Roles that an analysis only compares with each other, by protocol: exchanging them changes signs and nothing else.
ALIKE: Mapping[str, tuple[str, ...]] = {"replay": ("ours", "baseline")}
#: Words of the study file that are no names, also where a condition is called the same.
_WORDS = frozenset(
    {"kind", "protocol", "rule", "outcome", "direction", "criterion", "multiplicity", "order", "over"}
)


def letters(bundle: Bundle) -> dict[str, str]:
    """Each condition's letter, drawn from the hash of the data's definition."""
    digest, study = study_of(bundle)
    named = study.conditions if study is not None else _in_tables(bundle)
    if len(named) > len(string.ascii_uppercase):
        raise InvalidInput(
            f"conditions: expected at most {len(string.ascii_uppercase)} to show as letters, got {len(named)}."
        )
    drawn = sorted(named, key=lambda name: hashlib.sha256(f"{digest} {name}".encode()).digest())
    return dict(zip(drawn, string.ascii_uppercase, strict=False))


def blinded_run(
    bundle: Bundle,
    registered: Registration | None = None,
    *,
    plan: DeclaredPlan | None = None,
    protocol: str | None = None,
) -> Analysis:
    """The same analysis on data in which conditions are A, B, … and stimuli are numbered."""
    digest, study = study_of(bundle)
    names = letters(bundle) | stimulus_names(bundle)
    settled = settle(study, plan, protocol)
    alike = ALIKE.get(settled.protocol, ())
    blind_plan = DeclaredPlan.model_validate(_in_letter_order(_renamed(_explicit(settled), names), alike))
    blind = blinded_bundle(bundle, names)
    _, blind_study = study_of(blind)
    blind_hash = plan_hash(settle(blind_study, blind_plan, None))
    record = None
    if registered is not None:
        same = registered.hash == plan_hash(settled)
        tree = _renamed(registered.tree, names)
        tree["plan"] = _in_letter_order(tree["plan"], alike)
        record = replace(registered, tree=tree, hash=blind_hash if same else registered.hash)
    found = run(blind, record, plan=blind_plan)
    source = replace(
        found.source,
        definition=digest,
        data=data_hash(bundle),
        plan=plan_hash(settled),
        registered="" if registered is None else registered.hash,
    )
    methods = found.methods.replace(blind_hash[:12], plan_hash(settled)[:12])
    roles = role_letters(settle(blind_study, blind_plan, None), {})
    shown = replace(found, source=source, methods=methods)
    return unnamed(shown, roles) if roles else shown


def blinded_bundle(bundle: Bundle, names: Mapping[str, str]) -> Bundle:
    """The bundle with every name exchanged, in its tables and its definitions."""
    definitions = {digest: _definition(text, names) for digest, text in bundle.definitions.items()}
    hashes = {old: hashlib.sha256(text.encode()).hexdigest() for old, text in definitions.items()}
    tables = {name: _table(table, names, hashes) for name, table in bundle.tables.items()}
    return replace(
        bundle,
        tables=MappingProxyType(tables),
        definitions=MappingProxyType({hashes[old]: text for old, text in definitions.items()}),
    )


def _in_tables(bundle: Bundle) -> tuple[str, ...]:
    found = {
        str(value)
        for table in bundle.tables.values()
        if "condition" in table.columns
        for value in set(table["condition"].values.tolist())
        if value is not None
    }
    return tuple(sorted(found))


def stimulus_names(bundle: Bundle) -> dict[str, str]:
    """A stimulus is often named after its condition: numbers instead, in an order that says nothing."""
    digest, study = study_of(bundle)
    if study is None:
        return {}
    drawn = sorted(
        (one.id for one in study.stimuli),
        key=lambda name: hashlib.sha256(f"{digest} {name}".encode()).digest(),
    )
    return {name: f"stimulus_{place}" for place, name in enumerate(drawn, start=1)}


def _explicit(plan: Plan) -> dict[str, Any]:
    """The declared plan with the conditions' roles written out, since their defaults go by name."""
    tree = plan.declared.model_dump(mode="json", by_alias=True, exclude_none=True)
    roles = {
        role.name: list(plan.roles[role.name])
        for role in plan.declaration.roles
        if role.of == "condition" and plan.roles[role.name]
    }
    single = {role.name for role in plan.declaration.roles if not role.several}
    tree["roles"] = tree.get("roles", {}) | {
        name: played[0] if name in single else played for name, played in roles.items()
    }
    return tree


def _in_letter_order(plan: dict[str, Any], alike: tuple[str, ...]) -> dict[str, Any]:
    """The plan with roles that are treated alike played in the order of the letters, so that no sign tells who plays which."""
    roles = plan.get("roles") or {}
    played = [roles[name] for name in alike if roles.get(name)]
    if len(played) < 2:
        return plan
    ordered = dict(zip(alike, sorted(played), strict=True))
    return plan | {"roles": {**roles, **ordered}}


def _definition(text: str, names: Mapping[str, str]) -> str:
    whole = json.loads(text)
    whole["media"] = {names.get(name, name): medium for name, medium in whole["media"].items()}
    study = _renamed(whole["study"], names)
    if study.get("conditions"):
        study["conditions"] = sorted(study["conditions"])
    whole["study"] = study
    return json.dumps(whole, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _renamed(value: Any, names: Mapping[str, str], key: str = "") -> Any:
    """The tree with whole values exchanged, and names as words inside longer texts."""
    if isinstance(value, Mapping):
        return {name: _renamed(one, names, name) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_renamed(one, names, key) for one in value]
    if not isinstance(value, str) or key in _WORDS:
        return value
    if value in names:
        return names[value]
    return _in_text(value, names) if key in ("text", "title") else value


def _in_text(text: str, names: Mapping[str, str]) -> str:
    known = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(rf"\b(?:{known})\b", lambda found: names[found.group()], text) if known else text


def _table(table: ColumnTable, names: Mapping[str, str], hashes: Mapping[str, str]) -> ColumnTable:
    columns = dict(table.columns)
    for name in NAMING:
        if name in columns:
            columns[name] = _column(columns[name], names)
    if "definition" in columns:
        columns["definition"] = _column(columns["definition"], hashes)
    return ColumnTable(table.name, MappingProxyType(columns))


def _column(column: Column, names: Mapping[str, str]) -> Column:
    if column.values.dtype != object:
        return column
    values = np.empty(len(column.values), object)
    values[:] = [names.get(value, value) for value in column.values.tolist()]
    values.flags.writeable = False
    return replace(column, values=values)
