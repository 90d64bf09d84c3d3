"""What changed between two versions of a codebook, and what becomes of labels made under the older one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from believable.coding.labels import Mark
from believable.study.codebook import Code, Codebook

Policy: TypeAlias = Literal["keep", "review", "drop"]
POLICIES: tuple[Policy, ...] = ("keep", "review", "drop")
POLICY_WORDS: Mapping[Policy, str] = {
    "keep": "keep them as they are",
    "review": "keep them, and put them up for review",
    "drop": "take them off; the texts are to be coded again",
}

#: Fields that say what a code means; keywords, examples and names do not.
MEANING = ("definition", "direction", "side", "excludes", "wins_over", "parent", "other")


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to a code: added, removed, redefined (its meaning changed) or reworded (only names and hints did)."""

    code: str
    kind: Literal["added", "removed", "redefined", "reworded"]
    fields: tuple[str, ...] = ()

    @property
    def touches_labels(self) -> bool:
        return self.kind in ("removed", "redefined")


def changes(old: Codebook, new: Codebook) -> tuple[Change, ...]:
    """In the order of the new codebook; removed codes last."""
    found = []
    for code in new.codes:
        before = old.by_id.get(code.id)
        if before is None:
            found.append(Change(code.id, "added"))
        elif fields := _differing(before, code):
            kind: Literal["redefined", "reworded"] = "redefined" if set(fields) & set(MEANING) else "reworded"
            found.append(Change(code.id, kind, fields))
    return (*found, *(Change(code.id, "removed") for code in old.codes if code.id not in new.by_id))


def _differing(a: Code, b: Code) -> tuple[str, ...]:
    return tuple(name for name in Code.model_fields if getattr(a, name) != getattr(b, name))


def carried(mark: Mark, policies: Mapping[str, Policy]) -> tuple[Mark, bool]:
    """The mark under the new version, and whether it is to be looked at again. `policies` per touched code."""
    wanted = {policies[label.code] for label in mark.labels if label.code in policies}
    if "drop" in wanted:
        kept = tuple(label for label in mark.labels if policies.get(label.code) != "drop")
        mark = replace(mark, labels=kept, done=False)
    return mark, bool(wanted - {"keep"})
