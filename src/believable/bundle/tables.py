"""The tables of a bundle, declared in `columns.yaml`: their columns, types and meanings. Writer,
reader, codebook and package follow this.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from believable.core.data_files import read_blocks

Cell = str | int | float | bool | None
#: Text columns that contain days, such as 2026-11-18.
DAY_COLUMNS = frozenset(("started_on", "decided_on", "first_used_on", "revised_on"))
Row = Mapping[str, Cell]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One column. `type` is a Frictionless type: string, integer, number or boolean. `required`
    columns are never empty.
    """

    name: str
    type: str
    about: str
    required: bool = False
    one_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleTable:
    """One table. `key` names the columns that identify a row; `refers` whether `session` points to
    the participants.
    """

    name: str
    about: str
    fields: tuple[Field, ...]
    key: tuple[str, ...] = ()
    refers: bool = True

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.fields)

    def with_fields(self, more: Sequence[Field]) -> BundleTable:
        return replace(self, fields=(*self.fields, *more))


_DECLARED = read_blocks(Path(__file__).with_name("columns.yaml"))


def _field(name: str, entry: Sequence[str] | None) -> Field:
    if entry is None:
        return SHARED[name]
    kind, about, *one_of = entry
    return Field(
        name=name,
        type=kind.removesuffix("!"),
        about=about,
        required=kind.endswith("!"),
        one_of=tuple(one_of),
    )


#: Columns that several tables have.
SHARED = {name: _field(name, entry) for name, entry in _DECLARED["everywhere"].items()}


def declare_table(table: str, pace: str = "", **more: Iterable[Field]) -> BundleTable:
    """The table of this name, as declared. Rounds differ from world to world, in their pace and
    their columns.
    """
    entries = dict(_DECLARED[table])
    about, key, refers = entries.pop("about"), entries.pop("key", ""), entries.pop("refers", True)
    fields: list[Field] = []
    for name, entry in entries.items():
        fields += more[name] if name in more else [_field(name, entry)]
    paced = tuple(replace(field, about=field.about.replace("{pace}", pace)) for field in fields)
    return BundleTable(name=table, about=about, fields=paced, key=tuple(key.split()), refers=refers)


#: Every bundle has these.
TABLES = tuple(
    declare_table(table)
    for table in (
        "participants",
        "trials",
        "answers",
        "traces",
        "flags",
        "reactions",
        "views",
        "shown",
        "actions",
        "exclusions",
    )
)
BY_NAME = {table.name: table for table in TABLES}
PARTICIPANTS = BY_NAME["participants"]
#: Bundles that were exported from a study have it.
VERSIONS = declare_table("versions")
#: Bundles of studies that draw clips by their views have it.
DRAWS = declare_table("draws")
#: Only bundles of coded studies have these.
CODING_TABLES = tuple(declare_table(table) for table in ("codes", "code_labels", "code_final"))

RECRUITER_HASH = Field(
    name="recruiter_hash", type="string", about="Keyed hash of the recruiter's participant id."
)


def arm_field(arm: str) -> Field:
    return Field(
        name=f"arm_{arm}",
        type="string",
        about=f"Level of the arm `{arm}` this participant was assigned to.",
    )


def order_field(block: str) -> Field:
    return Field(
        name=f"order_{block}",
        type="integer",
        about=f"Row of the Latin square of block `{block}`, from 0.",
    )
