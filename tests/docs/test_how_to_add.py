"""The how-tos for parts are followed to the letter: their files are written as they are printed,
checked, and used in a study.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.programs import ROOT, run
from tests.test_plugins import answers

HOW_TO = ROOT / "docs" / "how-to"
_BLOCK = re.compile(r"^```\w+\n(?:#|//|<!--) (\S+/\S+\.\w+)(?: -->)?\n(.*?)^```$", re.S | re.M)
_ENTRY = re.compile(r"^```toml\n(\[project.entry-points.*?)^```$", re.S | re.M)

STUDY = """\
believable: 1
title: Faces
seed: 7
languages: [en]
timeline:
  - consent: {text: Take part., require: [agree]}
%s  - finish: {}
"""


def build(page: str, site: Path) -> set[str]:
    """Write the files of a how-to into a package below `site`, declared as it says. Returns their
    names inside the folder of the part.
    """
    text = (HOW_TO / page).read_text()
    files = _BLOCK.findall(text)
    for name, content in files:
        file = site / "acme_believable" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    (site / "acme_believable" / "__init__.py").write_text("")
    info = site / "acme_believable-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-believable\nVersion: 0.1\n")
    declared = "".join(_ENTRY.findall(text)).replace("[project.entry-points.", "[")
    (info / "entry_points.txt").write_text(declared.replace('"', ""))
    return {name.partition("/")[2] for name, _ in files}


@pytest.mark.parametrize(
    ("page", "files", "items", "check"),
    [
        (
            "add-an-instrument.md",
            {"__init__.py", "widget.html", "widget.js", "texts/en.yaml"},
            "  - form: {id: mood, questions: [{id: face, prompt: How?, smiley: {}}]}\n",
            "from believable.contracts.registries import INSTRUMENTS; from"
            " believable.contracts.instrument import check_instrument;"
            " check_instrument(INSTRUMENTS['smiley'])",
        ),
        (
            "add-a-page-kind.md",
            {"__init__.py", "page.js"},
            "  - poem: {text: Roses are red., pause_s: 0}\n"
            "  - form: {id: mood, questions: [{id: face, prompt: How?, likert: {points: 5}}]}\n",
            "from believable.contracts.registries import PAGES; from believable.contracts.page"
            " import check_page; check_page(PAGES['poem'])",
        ),
    ],
)
def test_what_a_how_to_prints_is_a_part_that_works(
    page: str, files: set[str], items: str, check: str, tmp_path: Path
) -> None:
    site, study = tmp_path / "site", tmp_path / "study"
    site.mkdir()
    study.mkdir()
    assert build(page, site) == files
    checked = run("-c", check, site=site)
    assert checked.returncode == 0, checked.stderr
    (study / "study.yaml").write_text(STUDY % items)
    sound = run("check", study, site=site)
    assert sound.returncode == 0, sound.stdout + sound.stderr
    assert answers(study, tmp_path / "bundle", site=site)
