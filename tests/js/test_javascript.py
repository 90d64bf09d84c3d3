"""Runs the browser modules' own tests with node, and checks what travels to the browser."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest

import believable
from believable.instruments import INSTRUMENTS
from believable.web.files import without_comments

HERE = Path(__file__).parent
SOURCE = Path(believable.__file__).parent
CORE = sorted((SOURCE / "web/static/participant").glob("*.js"))
WIDGETS = sorted((SOURCE / "instruments").glob("*/*.js"))
PLAYERS = sorted((SOURCE / "players").glob("*/*.js"))
GAME = sorted((SOURCE / "web/static/play").glob("*.js"))
MODULES = [*CORE, *WIDGETS, *PLAYERS, *GAME]
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed: install Node.js 18 or later")


def node(*arguments: str, stdin: str | None = None) -> str:
    assert NODE is not None
    done = subprocess.run([NODE, *arguments], input=stdin, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@needs_node
@pytest.mark.parametrize("file", sorted(HERE.glob("*.test.mjs")), ids=lambda path: path.stem)
def test_the_modules_own_tests(file: Path) -> None:
    output = node("--test", "--test-reporter=tap", str(file))
    assert "# fail 0" in output
    assert "# pass 0" not in output


@needs_node
def test_sha256_agrees_with_the_standard_library() -> None:
    lengths = [*range(0, 70), 111, 112, 119, 120, 127, 128, 1000, 65_537]
    texts = ["a" * n for n in lengths] + ["äöü🙂\n" * n for n in (1, 13, 500)] + ["\x00", "believable/1 x"]
    module = (SOURCE / "web/static/participant/sha256.js").as_uri()
    script = (
        f"import {{ sha256 }} from {json.dumps(module)};"
        "let all = ''; for await (const part of process.stdin) all += part;"
        "console.log(JSON.stringify(JSON.parse(all).map(sha256)));"
    )
    hashes = json.loads(node("--input-type=module", "-e", script, stdin=json.dumps(texts)))
    assert hashes == [hashlib.sha256(text.encode()).hexdigest() for text in texts]


@needs_node
@pytest.mark.parametrize("module", MODULES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_module_without_its_comments_is_still_a_module(module: Path, tmp_path: Path) -> None:
    stripped = tmp_path / "module.mjs"
    stripped.write_text(without_comments(module.read_text()))
    node("--check", str(stripped))
    assert "/**" not in stripped.read_text()
    assert "@type" not in stripped.read_text()


@pytest.mark.parametrize("module", MODULES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_module_is_type_checked_and_small(module: Path) -> None:
    text = module.read_text()
    assert text.startswith("// @ts-check\n")
    assert len(text.splitlines()) <= 300


def folders(root: Path) -> dict[str, list[Path]]:
    return {
        folder.name: sorted(folder.glob("*.js"))
        for folder in sorted(root.iterdir())
        if any(folder.glob("*.js"))
    }


ANNOTATING = {one.name for one in INSTRUMENTS if one.use == "annotate"}
#: What the annotating instruments share; their practice page is one of its scripts.
SHARED = ["tracing"]
#: Pages with several players annotate nothing and open nothing beside them.
SEVERAL = {"several", "together", "stills"}
#: A page of its own, with neither player nor annotation.
DEVICE = {"device"}
ANNOTATED = {"annotate", "actionlog", "beside", "overlay", "overlaylog", "overlayplan"}
LIMIT_BYTES = 60_000


def travelling_bytes(modules: list[Path]) -> int:
    """Compressed, as they travel."""
    return sum(len(gzip.compress(without_comments(module.read_text()).encode())) for module in modules)


def player_scripts(player: str) -> list[Path]:
    """All players use parts of the video player."""
    scripts = folders(SOURCE / "players")
    return list(dict.fromkeys([*scripts[player], *scripts["video"]]))


def test_the_scripts_of_a_page_with_several_players_stay_under_60_kb() -> None:
    """The kinds of questions such pages ask and both players."""
    core = [module for module in CORE if module.stem not in ANNOTATED | DEVICE | {"landing"}]
    assert {module.stem for module in core} > SEVERAL
    kinds = ("certainty", "clip_rating", "preference", "choice", "likert", "number", "long_text")
    widgets = [script for kind in kinds for script in folders(SOURCE / "instruments")[kind]]
    assert travelling_bytes([*core, *widgets, *player_scripts("replay")]) < LIMIT_BYTES


def test_the_scripts_of_a_page_with_a_game_stay_under_60_kb() -> None:
    core = [module for module in CORE if module.stem not in ANNOTATED | DEVICE | SEVERAL | {"landing"}]
    painting = [one for one in folders(SOURCE / "players")["replay"] if one.stem in ("painter", "scene")]
    assert GAME
    page = [*core, *GAME, *painting]
    assert sum(len(gzip.compress(without_comments(module.read_text()).encode())) for module in page) < 35_000


@pytest.mark.parametrize("player", folders(SOURCE / "players"))
@pytest.mark.parametrize("annotating", sorted(ANNOTATING))
def test_the_scripts_of_any_page_stay_under_60_kb(player: str, annotating: str) -> None:
    """More than any one page loads: every question kind at once, the device check, a player, an annotating instrument and its
    practice. Pages that annotate nothing stay below it before compression, see the browser tests.
    """
    widgets = folders(SOURCE / "instruments")
    kinds = [name for name in widgets if name not in ANNOTATING] + [annotating]
    assert set(SHARED) < set(kinds)
    core = [module for module in CORE if module.stem not in SEVERAL]
    assert {module.stem for module in core} > DEVICE
    questions = [script for kind in kinds for script in widgets[kind]]
    assert travelling_bytes([*core, *questions, *player_scripts(player)]) < LIMIT_BYTES
