"""A plan put on record: its canonical text and hash, kept in the study folder, and how a later plan
differs from it, in words.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from believable.analysis.settled_plan import Plan
from believable.core.errors import Conflict, InvalidInput, parsing
from believable.core.whole_files import refuse_outside_links, whole_folder
from believable.stats.stopping_rule import CLIP_SD
from believable.study.sequential_design import MARGIN, UNTIL

FORMAT = "believable-plan/1"
FOLDER = "preregistration"
PLAN_FILE = "plan.json"
HASH_FILE = "plan.json.sha256"
RECORD_FILE = "registration.json"
#: The study as it was when its plan was registered: wordings, pages, and media as far as they were
#: there.
DEFINITION_FILE = "definition.json"
EARLIER = "earlier"

#: Fields that change no number: worth listing, but results stay confirmatory.
_HARMLESS = ("seed",)
#: Fields of a hypothesis that only word it.
_WORDING = ("text",)
#: Fields of a measure that change no number.
_PLANNING = ("assume", "title")
#: Whom verdicts were about before plans said it.
BEFORE_ABOUT = "these clips"
#: Stands for every outcome.
ALL = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """The plan as it was registered. `tree` is what `plan.json` holds; `registered_on` a date and
    time in UTC; `sessions_before` how many real sessions had begun by then, None if that is not
    known; `definition` the study at that time, as JSON, None if the registration does not hold it.
    """

    tree: Mapping[str, Any]
    hash: str
    registered_on: str
    sessions_before: int | None = None
    definition: str | None = None

    @property
    def outcomes(self) -> frozenset[str]:
        """Everything that was declared beforehand."""
        plan = self.tree["plan"]
        named = {hypothesis["outcome"] for hypothesis in plan["hypotheses"]}
        return frozenset(named | {*plan["outcomes"]["primary"], *plan["outcomes"]["secondary"]})


@dataclass(frozen=True, slots=True)
class Deviation:
    """One difference between the registered plan and the one that was analysed. `outcomes` are
    those it touches (`*`: all).
    """

    field: str
    words: str
    outcomes: frozenset[str] = frozenset({ALL})
    #: Whether only the equivalence tests of those outcomes are touched.
    equivalence_only: bool = False

    def touches(self, outcome: str, *, equivalence: bool = False) -> bool:
        if self.equivalence_only and not equivalence:
            return False
        return ALL in self.outcomes or outcome in self.outcomes


def tree_of(plan: Plan) -> dict[str, Any]:
    """The plan as plain data, with roles settled and every option written out, so that no default
    can change it later.
    """
    tree = plan.declared.model_dump(mode="json", by_alias=True)
    for hypothesis in tree["hypotheses"]:
        # Plans that were registered before there was this field keep their hash.
        if hypothesis["expects"] is None:
            del hypothesis["expects"]
    # Before there was this field, verdicts were about the clips that were shown. Plans that keep to
    # that keep their hash.
    if tree["about"] == BEFORE_ABOUT or not plan.declaration.sampled:
        del tree["about"]
    _complete_stopping(tree)
    tree["roles"] = {name: list(names) for name, names in plan.roles.items()}
    tree["options"] = {
        option.name: _plain(plan.option(option.name)) for option in plan.declaration.options
    }
    tree["tests"] = {
        outcome.name: {
            test.name: _plain(plan.test_option(outcome.name, test.name)) for test in outcome.tests
        }
        for outcome in plan.declaration.outcomes
        if outcome.tests
    }
    return {"format": FORMAT, "plan": tree}


def _complete_stopping(tree: dict[str, Any]) -> None:
    """A sequential rule with its defaults written out. Other rules keep the keys, and so plans the
    hash, that they had before there was this rule.
    """
    stopping = tree["stopping"]
    if stopping is None:
        return
    defaults = {
        "until": UNTIL,
        "margin": MARGIN,
        "alpha": tree["alpha"],
        "clip_sd": CLIP_SD,
        "outcome": None,
        "assign": "even",
    }
    for key, default in defaults.items():
        if stopping["rule"] != "sequential":
            del stopping[key]
        elif stopping[key] is None:
            stopping[key] = default


def canonical(plan: Plan) -> str:
    """Equal plans give equal bytes."""
    return (
        json.dumps(tree_of(plan), indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
        + "\n"
    )


def plan_hash(plan: Plan) -> str:
    """SHA-256 of the canonical text: that of `plan.json`."""
    return hashlib.sha256(canonical(plan).encode()).hexdigest()


def register(
    plan: Plan,
    study_folder: Path,
    *,
    registered_on: str,
    again: bool = False,
    sessions_before: int | None = None,
    definition: str | None = None,
) -> Registration:
    """Put the plan on record in the study folder, with the study as it is (`definition`). The same
    plan again changes nothing; another one, or another study, needs `again`, and the earlier
    registration is kept next to it.
    """
    folder = refuse_outside_links(study_folder, FOLDER)
    before = read(study_folder)
    digest = plan_hash(plan)
    if (
        before is not None
        and before.hash == digest
        and not (again and before.definition != definition)
    ):
        return before
    if before is not None and not again:
        raise Conflict(
            f"{folder}: another plan was registered on {before.registered_on} (hash"
            f" {before.hash[:12]}). To register the changed plan as well, and keep the first, add"
            " --again; to report the change as a deviation, do nothing."
        )
    record = {"registered_on": registered_on, "hash": digest, "sessions_before": sessions_before}
    if definition is not None:
        record["definition"] = hashlib.sha256(definition.encode()).hexdigest()
    with whole_folder(folder) as draft:
        if definition is not None:
            (draft / DEFINITION_FILE).write_text(definition, encoding="utf-8", newline="")
        (draft / PLAN_FILE).write_text(canonical(plan), encoding="utf-8")
        (draft / HASH_FILE).write_text(f"{digest}  {PLAN_FILE}\n", encoding="utf-8")
        (draft / RECORD_FILE).write_text(
            json.dumps(record, indent=2, sort_keys=True) + "\n", encoding="utf-8"
        )
        if before is not None:
            kept = _unused_folder(folder / EARLIER / before.hash[:12])
            kept.mkdir(parents=True)
            for name in sorted(path.name for path in folder.iterdir() if path.is_file()):
                (folder / name).rename(kept / name)
    return Registration(
        tree=tree_of(plan),
        hash=digest,
        registered_on=registered_on,
        sessions_before=sessions_before,
        definition=definition,
    )


def _unused_folder(folder: Path) -> Path:
    """The folder, or one with a number, if it is there already: the same plan may be registered for
    several forms of a study.
    """
    number, place = 1, folder
    while place.exists():
        number += 1
        place = folder.with_name(f"{folder.name}-{number}")
    return place


def read(study_folder: Path) -> Registration | None:
    """The registration of a study folder; None if there is none. A changed file is refused."""
    folder = study_folder / FOLDER
    path = folder / PLAN_FILE
    if not path.is_file():
        return None
    text = path.read_text(encoding="utf-8")
    digest = hashlib.sha256(text.encode()).hexdigest()
    registered_hash = _first_word(folder / HASH_FILE)
    if registered_hash != digest:
        raise InvalidInput(
            f"{path}: its hash is {digest[:12]}…, registered was"
            f" {registered_hash[:12] or 'nothing'}…. A registered plan is not edited: put the"
            " original back, and change study.yaml instead."
        )
    tree = json.loads(text)
    if not isinstance(tree, dict) or tree.get("format") != FORMAT:
        raise InvalidInput(f"{path}: expected format {FORMAT!r}. Use the version that wrote it.")
    record = folder / RECORD_FILE
    with parsing(record, "Put the original back."):
        entry = json.loads(record.read_text(encoding="utf-8")) if record.is_file() else {}
        definition = _definition(folder, entry.get("definition"))
        return Registration(
            tree=tree,
            hash=digest,
            registered_on=str(entry.get("registered_on", "")),
            sessions_before=entry.get("sessions_before"),
            definition=definition,
        )


def _definition(folder: Path, digest: str | None) -> str | None:
    """The registered definition; None in registrations of early versions. A changed or missing file
    is refused.
    """
    if digest is None:
        return None
    path = folder / DEFINITION_FILE
    text = path.read_bytes().decode("utf-8", "replace") if path.is_file() else ""
    if hashlib.sha256(text.encode()).hexdigest() != digest:
        raise InvalidInput(
            f"{path}: it is not the study that was registered (SHA-256 {digest[:12]}…). Put the"
            " original back, and change the study's own files instead."
        )
    return text


def deviations(registration: Registration, plan: Plan) -> tuple[Deviation, ...]:
    """How the plan differs from the registered one, field by field, in words."""
    was, now = registration.tree["plan"], tree_of(plan)["plan"]
    differences: list[Deviation] = []
    if plan.declaration.sampled:
        was, now = ({"about": BEFORE_ABOUT, **tree} for tree in (was, now))
    for field in now:
        if was.get(field) == now[field]:
            continue
        differences += _COMPARE.get(field, _whole)(field, was.get(field), now[field])
    return tuple(differences)


# ----------------------------------------------------------------------------------------------
# field by field


def _whole(field: str, was: Any, now: Any) -> Iterator[Deviation]:
    touched = frozenset[str]() if field in _HARMLESS else frozenset({ALL})
    yield Deviation(
        field, f"{_field_name(field)}: registered {_shown(was)}, now {_shown(now)}.", touched
    )


def _mapping(field: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Deviation]:
    for key in sorted({*was, *now}):
        if was.get(key) != now.get(key):
            words = (
                f"{_field_name(field)} {key}: registered {_shown(was.get(key))}, now"
                f" {_shown(now.get(key))}."
            )
            yield Deviation(f"{field}.{key}", words)


def _tests(field: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Deviation]:
    for outcome in sorted({*was, *now}):
        before, after = was.get(outcome) or {}, now.get(outcome) or {}
        for key in sorted({*before, *after}):
            if before.get(key) != after.get(key):
                words = (
                    f"test of {outcome}, {key}: registered {_shown(before.get(key))}, now"
                    f" {_shown(after.get(key))}."
                )
                yield Deviation(
                    f"tests.{outcome}.{key}",
                    words,
                    frozenset({outcome}),
                    equivalence_only=key == "margin",
                )


def _measures(
    field: str, was: Mapping[str, Any] | None, now: Mapping[str, Any]
) -> Iterator[Deviation]:
    """Assumptions for planning and the names of measures in reports change no number."""
    earlier = was or {}
    for name in sorted({*earlier, *now}):
        before, after = earlier.get(name), now.get(name)
        if before is None or after is None:
            words = (
                f"measure {name}"
                f" {'was not registered' if before is None else 'was registered and is gone'}."
            )
            yield Deviation(f"{field}.{name}", words, frozenset({name}))
            continue
        for key in sorted({*before, *after}):
            if before.get(key) != after.get(key):
                words = (
                    f"measure {name}, {key}: registered {_shown(before.get(key))}, now"
                    f" {_shown(after.get(key))}."
                )
                touched = frozenset[str]() if key in _PLANNING else frozenset({name})
                yield Deviation(f"{field}.{name}.{key}", words, touched)


def _hypotheses(
    field: str, was: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]
) -> Iterator[Deviation]:
    before, after = (
        {hypothesis["id"]: hypothesis for hypothesis in was},
        {hypothesis["id"]: hypothesis for hypothesis in now},
    )
    for name in before:
        if name not in after:
            outcome = before[name]["outcome"]
            yield Deviation(
                f"{field}.{name}",
                f"hypothesis {name} (about {outcome}) was registered and is gone.",
                frozenset({outcome}),
            )
    for name, hypothesis in after.items():
        if name not in before:
            words = f"hypothesis {name} (about {hypothesis['outcome']}) was not registered."
            yield Deviation(f"{field}.{name}", words, frozenset({hypothesis["outcome"]}))
            continue
        for key in hypothesis:
            if hypothesis[key] != before[name].get(key):
                words = (
                    f"hypothesis {name}, {key}: registered {_shown(before[name].get(key))}, now"
                    f" {_shown(hypothesis[key])}."
                )
                touched = (
                    frozenset[str]()
                    if key in _WORDING
                    else frozenset({hypothesis["outcome"], before[name]["outcome"]})
                )
                yield Deviation(f"{field}.{name}.{key}", words, touched)


def _outcomes(field: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Deviation]:
    before = {name: rank for rank in ("primary", "secondary") for name in was.get(rank) or ()}
    after = {name: rank for rank in ("primary", "secondary") for name in now.get(rank) or ()}
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            words = (
                f"outcome {name}: registered {_rank_text(before.get(name))}, now"
                f" {_rank_text(after.get(name))}."
            )
            yield Deviation(f"{field}.{name}", words, frozenset({name}))
    if {**before} == {**after}:
        yield Deviation(field, "the outcomes are listed in another order.", frozenset())


def _exclusions(
    field: str, was: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]
) -> Iterator[Deviation]:
    before, after = [_rule_words(rule) for rule in was], [_rule_words(rule) for rule in now]
    for words in before:
        if words not in after:
            yield Deviation(field, f"exclusion rule no longer applied: {words}.")
    for words in after:
        if words not in before:
            yield Deviation(field, f"exclusion rule not registered: {words}.")
    if sorted(before) == sorted(after):
        yield Deviation(field, "the exclusion rules are applied in another order.", frozenset())


_COMPARE = {
    "roles": _mapping,
    "options": _mapping,
    "stopping": _whole,
    "tests": _tests,
    "measures": _measures,
    "hypotheses": _hypotheses,
    "outcomes": _outcomes,
    "exclusions": _exclusions,
}


def _rule_words(rule: Mapping[str, Any]) -> str:
    details = ", ".join(
        f"{key} {_shown(value)}"
        for key, value in rule.items()
        if key != "rule" and value is not None
    )
    return f"{rule['rule']} ({details})" if details else str(rule["rule"])


def _rank_text(rank: str | None) -> str:
    return "as nothing" if rank is None else f"as {rank}"


def _field_name(field: str) -> str:
    return {
        "about": "whom verdicts are about",
        "roles": "role",
        "options": "option",
        "stopping": "stopping rule",
        "multiplicity": "multiplicity rule",
    }.get(field, field)


def _shown(value: Any) -> str:
    if value is None or value == []:
        return "nothing"
    if isinstance(value, list):
        return ", ".join(_shown(part) for part in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_shown(part)}" for key, part in value.items() if part is not None)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _plain(value: Any) -> Any:
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value


def _first_word(path: Path) -> str:
    return (path.read_text(encoding="utf-8").split() or [""])[0] if path.is_file() else ""
