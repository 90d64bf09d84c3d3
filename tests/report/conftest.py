"""The made-up analysis that uses every kind of record."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from believable.analysis.findings import Analysis


def load_sample() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "report_sample", Path(__file__).with_name("sample.py")
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def analysis() -> Analysis:
    made: Analysis = load_sample().sample_analysis()
    return made


@pytest.fixture(scope="session")
def people() -> Analysis:
    """The same with people instead of simulated participants."""
    made: Analysis = load_sample().sample_analysis(simulated=False)
    return made
