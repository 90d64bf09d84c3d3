"""Parameters written for people read back as the same record."""

from __future__ import annotations

import pytest
from ruamel.yaml import YAML

from believable.contracts.controls import Controls
from believable.contracts.fields import as_yaml
from believable.contracts.registries import INSTRUMENTS


@pytest.mark.parametrize("one", INSTRUMENTS, ids=lambda one: one.name)
def test_examples_read_back_as_they_are(one):
    for params in one.examples:
        assert one.params.model_validate(YAML(typ="safe").load(as_yaml(params))) == params


def test_it_is_written_as_a_person_would():
    assert as_yaml(Controls(seek=True, speeds=(1, 2.5))) == "seek: true\nspeeds:\n- 1\n- 2.5\n"
    assert as_yaml(Controls()) == "{}\n"
