"""Runs the browser modules' own tests with node, and checks what travels to the browser."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import believable
from believable.instruments import INSTRUMENTS
from build_hooks.bare_scripts import without_comments

HERE = Path(__file__).parent
SOURCE = Path(believable.__file__).parent
CORE = sorted((SOURCE / "web/static/participant").glob("*.js"))
WIDGETS = sorted((SOURCE / "instruments").glob("*/*.js"))
PLAYERS = sorted((SOURCE / "players").glob("*/*.js"))
GAME = [
    *sorted((SOURCE / "web/static/play").glob("*.js")),
    *sorted((SOURCE / "worlds").glob("*/static/*.js")),
]
PAGES = sorted((SOURCE / "pages").glob("*/*.js"))
#: Only on pages of games whose pictures the server makes.
RENDERED = {"rendered", "pictures", "controls"}
MODULES = [*CORE, *WIDGETS, *PLAYERS, *GAME, *PAGES]
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(
    NODE is None, reason="node is not installed: install Node.js 18 or later"
)


def node(*arguments: str, stdin: str | None = None) -> str:
    assert NODE is not None
    done = subprocess.run(
        [NODE, *arguments], input=stdin, capture_output=True, text=True, timeout=120
    )
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
    texts = (
        ["a" * n for n in lengths]
        + ["äöü🙂\n" * n for n in (1, 13, 500)]
        + ["\x00", "believable/1 x"]
    )
    module = (SOURCE / "web/static/participant/sha256.js").as_uri()
    script = (
        f"import {{ sha256 }} from {json.dumps(module)};"
        "let all = ''; for await (const part of process.stdin) all += part;"
        "console.log(JSON.stringify(JSON.parse(all).map(sha256)));"
    )
    hashes = json.loads(node("--input-type=module", "-e", script, stdin=json.dumps(texts)))
    assert hashes == [hashlib.sha256(text.encode()).hexdigest() for text in texts]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as it is installed on a server: built from this checkout and unpacked."""
    room = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(room)]
    subprocess.run(command, cwd=HERE.parents[1], check=True, capture_output=True)
    (built,) = room.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        archive.extractall(room)
    return room / "believable"


def test_the_wheel_has_every_script_once_and_bare(wheel: Path) -> None:
    sources = {path.relative_to(SOURCE) for path in SOURCE.rglob("*.js")}
    assert {path.relative_to(wheel) for path in wheel.rglob("*.js")} == sources
    for path in sources:
        assert (wheel / path).read_text() == without_comments((SOURCE / path).read_text())
    assert sum((wheel / path).stat().st_size for path in sources) < 0.8 * sum(
        (SOURCE / path).stat().st_size for path in sources
    )


@needs_node
@pytest.mark.parametrize("module", MODULES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_module_of_the_wheel_is_still_a_module(module: Path, wheel: Path, tmp_path: Path) -> None:
    bare = tmp_path / "module.mjs"
    bare.write_text((wheel / module.relative_to(SOURCE)).read_text())
    node("--check", str(bare))
    assert "/**" not in bare.read_text()
    assert "@type" not in bare.read_text()


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
#: What the tracing instruments share; their practice page is one of its scripts. Marking (`flags`)
#: has a practice of its own.
SHARED, OWN_PRACTICE = "tracing", {"flags"}
#: The landing page is a document of its own: a session loads none of its scripts.
LANDING = {"landing", "desktop"}
#: Pages with several players annotate nothing and open nothing beside them. What is annotated is
#: not shown on the full screen.
SEVERAL = {"stills", "full_screen"}
ANNOTATED = {"annotate", "actionlog", "beside", "overlay", "overlaylog", "overlayplan"}
LIMIT_BYTES = 60_000


def travelling_bytes(modules: list[Path], wheel: Path) -> int:
    """What travels from an installed package: the files of the wheel, compressed."""
    return sum(
        len(gzip.compress((wheel / module.relative_to(SOURCE)).read_bytes())) for module in modules
    )


def player_scripts(player: str) -> list[Path]:
    """All players use parts of the video player."""
    scripts = folders(SOURCE / "players")
    return list(dict.fromkeys([*scripts[player], *scripts["video"]]))


def test_the_scripts_of_a_page_with_several_players_stay_under_60_kb(wheel: Path) -> None:
    """The kinds of questions such pages ask and both players."""
    core = [module for module in CORE if module.stem not in ANNOTATED | LANDING]
    assert {module.stem for module in core} > SEVERAL
    kinds = ("certainty", "clip_rating", "preference", "choice", "likert", "number", "long_text")
    widgets = [script for kind in kinds for script in folders(SOURCE / "instruments")[kind]]
    page = folders(SOURCE / "pages")["compare"]
    assert (
        travelling_bytes([*core, *page, *widgets, *player_scripts("replay")], wheel) < LIMIT_BYTES
    )


def test_the_scripts_of_a_page_with_a_game_stay_under_60_kb(wheel: Path) -> None:
    core = [module for module in CORE if module.stem not in ANNOTATED | SEVERAL | LANDING]
    painting = [
        one for one in folders(SOURCE / "players")["replay"] if one.stem in ("painter", "scene")
    ]
    drawn = [module for module in GAME if module.stem not in RENDERED]
    rendered = [
        module
        for module in [*GAME, *CORE]
        if module.parent.name == "play" or module.stem == "full_screen"
    ]
    assert len(drawn) + len(RENDERED) == len(GAME)
    # 35,000 until a page was left by one request and two who speak could both be read; 35,200 until
    # scripts that do not arrive were asked for again; 36,600 until the sounds of games became a
    # file of their own, which 3D games load, too; 36,700 until the end of a round freed the mouse
    # although the last picture had not come.
    assert travelling_bytes([*core, *drawn, *painting], wheel) < 36_900
    assert travelling_bytes([*core, *rendered], wheel) < 35_000


@pytest.mark.parametrize("player", folders(SOURCE / "players"))
@pytest.mark.parametrize("annotating", sorted(ANNOTATING))
def test_the_scripts_of_any_page_stay_under_60_kb(
    player: str, annotating: str, wheel: Path
) -> None:
    """More than any one page loads: every question kind at once, the device check, a player, an
    annotating instrument and its practice. What a page that annotates nothing weighs before
    compression: see the browser tests.
    """
    widgets = folders(SOURCE / "instruments")
    kinds = [name for name in widgets if name not in ANNOTATING | {SHARED}] + [annotating]
    imports_shared = any(f"../{SHARED}/" in script.read_text() for script in widgets[annotating])
    assert imports_shared == (annotating not in OWN_PRACTICE)
    kinds += [SHARED] if imports_shared else []
    core = [module for module in CORE if module.stem not in SEVERAL | LANDING]
    questions = [script for kind in kinds for script in widgets[kind]]
    pages = [
        script
        for kind, scripts in folders(SOURCE / "pages").items()
        if kind != "compare"
        for script in scripts
    ]
    assert (
        travelling_bytes([*core, *pages, *questions, *player_scripts(player)], wheel) < LIMIT_BYTES
    )


def test_the_lock_of_the_type_checker_names_no_registry() -> None:
    root = HERE.parents[1]
    lock = json.loads((root / "package-lock.json").read_text())
    wanted = json.loads((root / "package.json").read_text())["devDependencies"]
    packages = {
        name.removeprefix("node_modules/"): entry
        for name, entry in lock["packages"].items()
        if name
    }
    assert {name: packages[name]["version"] for name in wanted} == wanted
    assert all("resolved" not in entry and entry["integrity"] for entry in packages.values())
