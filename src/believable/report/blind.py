"""Looking at results without knowing which condition is which.

The names are taken out of the data and of the plan before anything is computed, and the order of
the conditions is drawn from the definition's hash: no table, figure, sentence or order of rows
reveals them. The definition of an outcome (such as how often the human clip was chosen) stays
unchanged.
"""

from __future__ import annotations

import hashlib
import json
import re
import string
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from believable.analysis.findings import Analysis, Cell, Finding, Section, Table
from believable.analysis.registered import Deviation, Registration, deviations, plan_hash
from believable.analysis.run import Hashes, data_hash, run_plan, settle, study_of
from believable.analysis.settled_plan import Plan
from believable.analysis.version_records import data_versions, early_changes
from believable.bundle.frames import BundleColumn
from believable.bundle.read import Bundle, ColumnTable
from believable.core.errors import InvalidInput
from believable.study.declaration import DeclaredPlan

#: Columns that name a condition or a stimulus. Answers are left as they are: people never see these
#: names, so an answer that is spelled like one (`first`) means something else.
NAMING = ("condition", "stimulus", "chosen_condition", "chosen_stimulus", "other_conditions")
#: Replaces the text of a hypothesis.
UNWORDED = "Its words are withheld while results are blinded."
#: Replaces a verdict on a custom design, whose hypotheses name the groups.
UNJUDGED = "hypotheses name the conditions and are judged after unblinding"
#: The questions to participants: nothing in them names a condition.
_ASKED = frozenset({"ask", "questions", "show_if", "annotate"})
#: Words of the study file that are no names, also where a condition is called the same.
_WORDS = frozenset(
    {
        "kind",
        "protocol",
        "rule",
        "outcome",
        "direction",
        "expects",
        "criterion",
        "multiplicity",
        "order",
        "over",
        "question",
        "trial",
        "item",
        "by",
        "yes",
        "is",
        "answer",
        "check",
        "correct",
        "model",
        "summary",
    }
)


def letters(bundle: Bundle) -> dict[str, str]:
    """Each condition's letter, drawn from the hash of the data's definition."""
    digest, study = study_of(bundle)
    named = study.conditions if study is not None else _in_tables(bundle)
    if len(named) > len(string.ascii_uppercase):
        raise InvalidInput(
            f"conditions: expected at most {len(string.ascii_uppercase)} to show as letters, got"
            f" {len(named)}."
        )
    drawn = sorted(named, key=lambda name: hashlib.sha256(f"{digest} {name}".encode()).digest())
    return dict(zip(drawn, string.ascii_uppercase, strict=False))


def arm_letters(bundle: Bundle, plan: Plan) -> dict[str, dict[str, str]]:
    """The letters of the levels of each arm that custom measures are compared by, drawn as those of
    conditions are.
    """
    digest, study = study_of(bundle)
    compared = (
        {measure.by for measure in plan.declared.measures.values()} if study is not None else set()
    )
    return {
        arm: dict(
            zip(
                sorted(
                    levels,
                    key=lambda level: hashlib.sha256(f"{digest} {arm} {level}".encode()).digest(),
                ),
                (f"{arm}_{letter}" for letter in string.ascii_uppercase),
                strict=False,
            )
        )
        for arm, levels in ({} if study is None else study.arms).items()
        if arm in compared
    }


def _rename_plan(tree: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A plan with letters for names. Its own `about` is no name, also if a condition has the same:
    `agent`.
    """
    about = {"about": tree["about"]} if "about" in tree else {}
    return {**_rename(tree, names), **about}


def blinded_run(
    bundle: Bundle,
    registered: Registration | None = None,
    *,
    plan: DeclaredPlan | None = None,
    protocol: str | None = None,
    ended: bool = False,
) -> Analysis:
    """The same analysis on data in which conditions are A, B, … and stimuli are numbered."""
    digest, study = study_of(bundle)
    settled = settle(study, plan, protocol)
    hashes = Hashes(digest, data_hash(bundle), plan_hash(settled))
    names = letters(bundle) | stimulus_names(bundle)
    alike = settled.declaration.alike
    blind = blinded_bundle(bundle, names, arm_letters(bundle, settled))
    _, blind_study = study_of(blind)
    tree = _remove_texts(_in_letter_order(_rename_plan(_explicit(settled), names), alike))
    declared = DeclaredPlan.model_validate(tree)
    blind_plan = settle(blind_study, declared, None)
    versions = data_versions(blind)
    early = () if registered is None else early_changes(registered, bundle, data_versions(bundle))
    if settled.declared.measures:
        differences = () if registered is None else (*deviations(registered, settled), *early)
        unsaid = tuple(_without_names(difference, names) for difference in differences)
        return run_plan(
            blind,
            blind_study,
            blind_plan,
            registered,
            hashes,
            versions=versions,
            differences=unsaid,
            ended=ended,
            unjudged=UNJUDGED,
        )
    record: Registration | None = None
    withheld: tuple[Deviation, ...] = ()
    if registered is not None:
        tree = _rename(registered.tree, names)
        tree = tree | {"plan": _rename_plan(registered.tree["plan"], names)}
        record = replace(
            registered, tree=tree | {"plan": _remove_texts(_in_letter_order(tree["plan"], alike))}
        )
        withheld = (
            *deviations(record, blind_plan),
            *(_without_names(change, names) for change in early),
        )
    analysis = run_plan(
        blind,
        blind_study,
        blind_plan,
        record,
        hashes,
        versions=versions,
        differences=withheld,
        ended=ended,
    )
    roles = role_letters(blind_plan)
    return hide_names(analysis, roles) if roles else analysis


def _remove_texts(plan: dict[str, Any]) -> dict[str, Any]:
    """The plan without the texts of its hypotheses, which name the expected order. Those on custom
    measures also name pairs of groups, a side and a number, and the measures name the assumption
    about each group: every pair is shown from both sides, and p values are not adjusted, because
    which of them are the tests of hypotheses would reveal the groups.
    """
    hypotheses = [hypothesis | {"text": UNWORDED} for hypothesis in plan.get("hypotheses", [])]
    if not plan.get("measures"):
        return plan | {"hypotheses": hypotheses}
    kept = [
        {name: hypothesis[name] for name in ("id", "text", "outcome")} for hypothesis in hypotheses
    ]
    measures = {
        name: {key: value for key, value in measure.items() if key != "assume"}
        for name, measure in plan["measures"].items()
    }
    return plan | {"hypotheses": kept, "measures": measures, "multiplicity": "none", "tests": {}}


def _without_names(difference: Deviation, names: Mapping[str, str]) -> Deviation:
    """A deviation from the registered plan, in words only where these name no condition or
    stimulus.
    """
    if _in_text(difference.words, names) == difference.words and not difference.field.startswith(
        "hypotheses."
    ):
        return difference
    return replace(
        difference,
        words=f"{difference.field.replace('.', ', ')} changed: in words after unblinding.",
    )


ArmLetters: TypeAlias = Mapping[str, Mapping[str, str]]
_NO_ARMS: ArmLetters = MappingProxyType({})


def blinded_bundle(bundle: Bundle, names: Mapping[str, str], arms: ArmLetters = _NO_ARMS) -> Bundle:
    """The bundle with every name exchanged, in its tables and its definitions; levels of `arms`
    only at places for levels of that arm, because other texts can have the same spelling (`first`).
    """
    definitions = {
        digest: _definition(text, names, arms) for digest, text in bundle.definitions.items()
    }
    hashes = {old: hashlib.sha256(text.encode()).hexdigest() for old, text in definitions.items()}
    tables = {name: _table(table, names, hashes, arms) for name, table in bundle.tables.items()}
    return replace(
        bundle,
        tables=MappingProxyType(tables),
        definitions=MappingProxyType({hashes[old]: text for old, text in definitions.items()}),
    )


def _in_tables(bundle: Bundle) -> tuple[str, ...]:
    names = {
        str(value)
        for table in bundle.tables.values()
        if "condition" in table.columns
        for value in set(table["condition"].values.tolist())
        if value is not None
    }
    return tuple(sorted(names))


def stimulus_names(bundle: Bundle) -> dict[str, str]:
    """A stimulus is often named after its condition: numbers instead, in an order that says
    nothing.
    """
    digest, study = study_of(bundle)
    if study is None:
        return {}
    drawn = sorted(
        (stimulus.id for stimulus in study.stimuli),
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
    """The plan with roles that are treated alike played in the order of the letters, so that no
    sign reveals their conditions.
    """
    roles = plan.get("roles") or {}
    played = [roles[name] for name in alike if roles.get(name)]
    if len(played) < 2:
        return plan
    ordered = dict(zip(alike, sorted(played), strict=True))
    return plan | {"roles": {**roles, **ordered}}


def _definition(text: str, names: Mapping[str, str], arms: ArmLetters) -> str:
    whole = json.loads(text)
    whole["media"] = {names.get(name, name): medium for name, medium in whole["media"].items()}
    study = _rename(whole["study"], names)
    if study.get("analysis"):
        study["analysis"] = _remove_texts(study["analysis"])
    if study.get("conditions"):
        study["conditions"] = sorted(study["conditions"])
    if study.get("stimuli"):
        study["stimuli"] = sorted(
            study["stimuli"], key=lambda entry: (str(entry.get("condition")), entry["id"])
        )
    whole["study"] = _with_arm_letters(study, arms)
    return json.dumps(
        whole, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )


def _with_arm_letters(value: Any, arms: ArmLetters) -> Any:
    """The tree with the levels of these arms as letters: in the lists of levels, and in rules that
    ask for one.
    """
    if isinstance(value, list):
        return [_with_arm_letters(part, arms) for part in value]
    if not isinstance(value, Mapping):
        return value
    tree = {name: _with_arm_letters(part, arms) for name, part in value.items()}
    if isinstance(tree.get("arms"), Mapping):
        tree["arms"] = {
            arm: sorted(arms[arm][level] for level in levels) if arm in arms else levels
            for arm, levels in tree["arms"].items()
        }
    letters = arms.get(tree.get("arm", "")) if isinstance(tree.get("arm"), str) else None
    if letters is not None and tree.get("is") in letters:
        tree["is"] = letters[tree["is"]]
    return tree


def _rename(value: Any, names: Mapping[str, str], key: str = "") -> Any:
    """The tree with whole values exchanged, and names as words inside longer texts."""
    if key in _ASKED or (key == "question" and isinstance(value, Mapping)):
        return value
    if isinstance(value, Mapping):
        return {name: _rename(part, names, name) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_rename(part, names, key) for part in value]
    if not isinstance(value, str) or key in _WORDS:
        return value
    if value in names:
        return names[value]
    first, _, second = value.partition("-")
    if key == "about" and first in names and second in names:  # a pair of groups
        return f"{names[first]}-{names[second]}"
    return _in_text(value, names) if key in ("text", "title") else value


def _in_text(text: str, names: Mapping[str, str]) -> str:
    known = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(rf"\b(?:{known})\b", lambda match: names[match.group()], text) if known else text


def _table(
    table: ColumnTable, names: Mapping[str, str], hashes: Mapping[str, str], arms: ArmLetters
) -> ColumnTable:
    columns = dict(table.columns)
    for name in NAMING:
        if name in columns:
            columns[name] = _column(columns[name], names)
    for arm, letters in arms.items():
        if f"arm_{arm}" in columns:
            columns[f"arm_{arm}"] = _column(columns[f"arm_{arm}"], letters)
    if "definition" in columns:
        columns["definition"] = _column(columns["definition"], hashes)
    if table.name == "versions":
        columns["reason"] = _column(columns["reason"], _sentences(columns["reason"], names))
    return ColumnTable(table.name, MappingProxyType(columns))


def _sentences(column: BundleColumn, names: Mapping[str, str]) -> dict[str, str]:
    """Each text of a column with the names in it exchanged."""
    return {text: _in_text(text, names) for text in column.values.tolist() if isinstance(text, str)}


def _column(column: BundleColumn, names: Mapping[str, str]) -> BundleColumn:
    if column.values.dtype != object:
        return column
    values = np.empty(len(column.values), object)
    values[:] = [names.get(value, value) for value in column.values.tolist()]
    values.flags.writeable = False
    return replace(column, values=values)


# ----------------------------------------------------------------------------------------------
# roles Analyses that speak of conditions by their roles, such as human, imitation and artificial
# clips: names in tables become the letters of the conditions, and rows are put in the letters'
# order. Sentences and verdicts on hypotheses would give the roles away, so they wait until the
# study is unblinded; their numbers stay.

WITHHELD = "In words after unblinding: the sentence names the conditions by their roles."


def role_letters(plan: Plan) -> dict[str, str]:
    """The letter of each role that conditions play, if there are several such roles; else empty."""
    played = [
        role.name
        for role in plan.declaration.roles
        if role.of == "condition" and plan.roles[role.name]
    ]
    if len(played) < 2:
        return {}
    return {role: "/".join(sorted(plan.roles[role])) for role in played}


def hide_names(analysis: Analysis, roles: Mapping[str, str]) -> Analysis:
    """The analysis with roles shown as letters."""
    return replace(
        analysis,
        hypotheses=tuple(
            replace(
                hypothesis,
                title=in_words(hypothesis.title, roles),
                findings=tuple(
                    _lettered_finding(finding, roles) for finding in hypothesis.findings
                ),
                supported=None,
                verdict=WITHHELD,
            )
            for hypothesis in analysis.hypotheses
        ),
        sections=tuple(_lettered_section(section, roles) for section in analysis.sections),
        methods=WITHHELD if analysis.methods else "",
        results=WITHHELD if analysis.results else "",
    )


def _lettered_section(section: Section, roles: Mapping[str, str]) -> Section:
    return replace(
        section,
        paragraphs=(),
        findings=tuple(_lettered_finding(finding, roles) for finding in section.findings),
        tables=tuple(_lettered_table(table, roles) for table in section.tables),
        charts=tuple(
            replace(chart, title=in_words(chart.title, roles)) for chart in section.charts
        ),
    )


def _lettered_finding(finding: Finding, roles: Mapping[str, str]) -> Finding:
    return replace(
        finding,
        title=in_words(finding.title, roles),
        sentence=WITHHELD,
        conclusion="",
        supported=None,
    )


def in_words(text: str, roles: Mapping[str, str]) -> str:
    """Whole words that are roles, also with a capital, as letters."""
    known = "|".join(re.escape(role) for role in sorted(roles, key=len, reverse=True))
    return re.sub(
        rf"\b(?:{known})\b", lambda match: roles[match.group().lower()], text, flags=re.IGNORECASE
    )


def _lettered_table(table: Table, roles: Mapping[str, str]) -> Table:
    columns = tuple(
        replace(column, title=roles.get(column.title.lower(), column.title))
        for column in table.columns
    )
    order = _letter_order(table, roles)
    place = {old: new for new, old in enumerate(order)}
    rows = tuple(tuple(_lettered_cell(cell, roles) for cell in table.rows[old]) for old in order)
    undefined = {(place[row], name): reason for (row, name), reason in table.undefined.items()}
    marked = frozenset((place[row], name) for row, name in table.marked)
    return replace(table, columns=columns, rows=rows, undefined=undefined, marked=marked, note="")


def _letter_order(table: Table, roles: Mapping[str, str]) -> list[int]:
    """Rows in the order they would have if roles came in the order of their letters."""
    letters = {**roles, **{letter: letter for letter in roles.values()}}
    keys = [
        next((cell for cell in row if isinstance(cell, str) and cell in letters), None)
        for row in table.rows
    ]
    first = list(dict.fromkeys(key for key in keys if key is not None))
    wanted = dict(zip(first, sorted(first, key=lambda role: letters[role]), strict=True))
    by_key: dict[str, list[int]] = {}
    for number, key in enumerate(keys):
        if key is not None:
            by_key.setdefault(key, []).append(number)
    if len({len(numbers) for numbers in by_key.values()}) > 1:
        return sorted(range(len(keys)), key=lambda number: letters.get(keys[number] or "", ""))
    taken = {key: iter(numbers) for key, numbers in by_key.items()}
    return [number if key is None else next(taken[wanted[key]]) for number, key in enumerate(keys)]


def _lettered_cell(cell: Cell, roles: Mapping[str, str]) -> Cell:
    """A role, or a pair of them, as letters; other text is an answer or a method and stays."""
    if not isinstance(cell, str):
        return cell
    parts = re.split(r"(\s*[-–/]\s*)", cell)
    if all(part in roles for part in parts[::2]):
        return "".join(roles.get(part, part) for part in parts)
    return cell
