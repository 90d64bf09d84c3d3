"""`protocol.yaml` is ordinary YAML, and what is wrong in it is named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from believable.contracts.protocol_file import read_protocol
from believable.contracts.registries import PROTOCOLS
from believable.core.errors import StudyError

MOODS = """\
# Any YAML will do.
protocol:
  about: >
    How people feel,
    in two minutes.
  learn: Whether they are glad.
  version: 1
  analysis: The share of glad people.
role face:
  about: The face that was chosen.
  required: yes it is
  kinds:
    - smiley
outcome glad:
  title: Glad
  about: The share of glad people.
  tests:
    - {name: margin, about: A margin., type: number, default: 0.1}
option level:
  about: The level.
  type: number
  default: 0.5
source acme2026:
  title: Faces
  note: Nowhere yet.
"""


def read(tmp_path: Path, text: str) -> object:
    (tmp_path / "moods").mkdir(exist_ok=True)
    (tmp_path / "moods" / "protocol.yaml").write_text(text)
    return read_protocol("acme.moods", str(tmp_path / "moods" / "__init__.py"))


def test_ordinary_yaml_is_read(tmp_path: Path) -> None:
    moods = read(tmp_path, MOODS.replace("required: yes it is", "required: true"))
    assert moods.name == "moods"  # type: ignore[attr-defined]
    declaration = moods.declaration  # type: ignore[attr-defined]
    assert moods.about == "How people feel, in two minutes.\n"  # type: ignore[attr-defined]
    assert declaration.role("face").kinds == ("smiley",)
    assert declaration.outcome("glad").tests[0].default == 0.1
    assert [source.key for source in moods.cites] == ["acme2026"]  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["trace", "replay", "clips", "hntt", "qa"])
def test_our_files_say_the_same_to_a_parser_of_yaml(name: str) -> None:
    ours = PROTOCOLS[name]
    read_again = read_protocol(f"elsewhere.{name}", str(ours.folder / "__init__.py"))
    assert (read_again.declaration, read_again.cites) == (ours.declaration, ours.cites)
    assert (read_again.about, read_again.learn) == (ours.about, ours.learn)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("", "", "moods/protocol.yaml:11 role face.required: expected true or false."),
        (
            "learn:",
            "lern:",
            "protocol.yaml:6 protocol.lern: unknown key 'lern'. Did you mean 'learn'",
        ),
        ("role face", "rule face", "unknown block 'rule face'."),
        (
            "version: 1",
            "version: one",
            "protocol.yaml:7 protocol.version: expected a whole number.",
        ),
        ("  title: Glad\n", "", "protocol.yaml:14 outcome glad: `title` is missing."),
        ("type: number, default", "type: numbr, default", "expected number or integer or"),
        ("    - smiley", "    - 7", "role face.kinds: expected a list, each text."),
        ("protocol:", "protocols:", "there is no block `protocol`"),
        ("about: The level.", "about: {", "protocol.yaml:"),
        ("version: 1", "version: 1\n  version: 2", "version"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    with pytest.raises(StudyError) as refused:
        read(tmp_path, MOODS.replace(old, new, 1) if old else MOODS)
    assert complaint in str(refused.value)
