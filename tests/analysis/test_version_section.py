"""Versions of a study, in groups that participants could distinguish."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from believable.analysis.version_section import session_kinds


def version(name: str, *, reaches: bool) -> Any:
    return SimpleNamespace(definition=name, reaches_participants=reaches)


def test_a_change_that_nobody_sees_stays_with_the_version_before_it() -> None:
    versions = [
        *(version("a", reaches=False), version("b", reaches=True), version("c", reaches=False)),
        *(version("d", reaches=True), version("e", reaches=False)),
    ]
    of_people = SimpleNamespace(values=np.array(["a", "c"], dtype=object))
    data = SimpleNamespace(people={"definition": of_people})
    kinds = session_kinds(cast(Any, data), versions)
    assert [[one.definition for one in kind] for kind in kinds] == [["a"], ["b", "c"]], (
        "nobody has seen d or e"
    )
