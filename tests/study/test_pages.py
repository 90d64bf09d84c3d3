"""Pages come from the study folder and from nowhere else."""

from __future__ import annotations

import pytest

from believable.study.load import MAX_PAGE_BYTES

PAGE = "- text: {page: %s}\n- finish:\n"


def test_pages_per_language(loaded):
    text = """\
    believable: 1
    title: "1"
    seed: 1
    languages: [en, de]
    timeline:
      - text: {page: {en: pages/en.md, de: pages/de.md}}
      - finish:
    """
    definition = loaded(text=text, pages={"pages/en.md": "Hello", "pages/de.md": "Hallo"})
    assert definition.pages == {"pages/de.md": "Hallo", "pages/en.md": "Hello"}
    assert definition.study.timeline[0].page.in_language("de") == "pages/de.md"


@pytest.mark.parametrize(
    "path",
    ["../secret.md", "/etc/passwd", "pages/../../secret.md", "'C:/secret.md'", "'..\\secret.md'"],
)
def test_paths_that_lead_out_are_refused(errors, path):
    written = path.strip("'")
    assert errors(PAGE % path) == [
        f"timeline[0].text.page: {written!r} leads out of the study folder. "
        "Copy the file into the folder and give its path from there, with forward slashes."
    ]


def test_links_that_lead_out_are_refused(write, errors, tmp_path, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "secret.md"
    outside.write_text("secret")
    (tmp_path / "link.md").symlink_to(outside)
    assert "leads out of the study folder" in errors(PAGE % "link.md")[0]


def test_stimuli_that_lead_out_are_refused(errors):
    text = (
        "believable: 1\ntitle: x\nseed: 1\nstimuli: [{id: a, file: ../a.mp4}]\ntimeline: [watch,"
        " finish]\n"
    )
    assert [line.partition(":")[0] for line in errors(text=text)] == ["stimuli[0].file"]


def test_pages_that_cannot_be_used(errors, tmp_path):
    (tmp_path / "latin1.md").write_bytes(b"ok\nGr\xf6\xdfe\n")
    assert errors(PAGE % "latin1.md") == [
        "timeline[0].text.page: 'latin1.md' is not UTF-8 (line 2). Save it as UTF-8."
    ]
    (tmp_path / "empty.md").write_text(" \n")
    assert errors(PAGE % "empty.md") == [
        "timeline[0].text.page: 'empty.md' is empty. Write the page."
    ]
    (tmp_path / "big.md").write_text("x" * (MAX_PAGE_BYTES + 1))
    assert errors(PAGE % "big.md") == [
        "timeline[0].text.page: 'big.md' has 1,000,001 bytes, the limit is 1,000,000. Shorten it."
    ]
    assert errors(PAGE % "pages") == [
        "timeline[0].text.page: there is no file 'pages'. Choose one of: pages/consent.md."
    ]
