"""Data and plan of a simulated ladder."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from believable.analysis.data import Data
from believable.analysis.resolution import resolve
from believable.analysis.run import prepared, study_of
from believable.analysis.settled_plan import Plan
from believable.bundle.read import Bundle


@pytest.fixture
def resolved() -> Callable[[Bundle], tuple[Data, Plan]]:
    def make(bundle: Bundle) -> tuple[Data, Plan]:
        study = study_of(bundle)[1]
        assert study is not None
        assert study.analysis is not None
        plan = resolve(study.analysis, study)
        return prepared(bundle, plan, study), plan

    return make
