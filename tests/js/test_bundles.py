"""The bundles of the browser scripts that the wheel brings: complete, few per page, and light."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import believable
from believable.contracts.registries import INSTRUMENTS, PAGES, PLAYERS, WORLDS
from believable.players import SIGNAL
from believable.web import bundles
from believable.web.bundles import ADDRESS, file_of, find_bundled, find_successor, page_script
from believable.web.module_graph import MAIN, preload_files, served_folders
from build_hooks import script_bundles
from tests.js.test_javascript import needs_node, node

ROOT = Path(__file__).parents[2]
SOURCE = Path(believable.__file__).parent
TEMPLATES = SOURCE / "web" / "templates"
WATCH, COMPARE = "/static/pages/watch/page.js", "/static/pages/compare/page.js"
GAME, RENDERED = "/static/play/game.js", "/static/play/rendered.js"


def widget(name: str) -> str:
    return f"/static/instruments/{name}/widget.js"


def player(name: str) -> str:
    return f"/static/players/{name}/player.js"


QUESTIONS = (widget("likert"), widget("long_text"))
#: What a page loads, and how many bytes that were, compressed, when each module was a file.
LOADED = {
    "questions": (QUESTIONS, 16_584),
    "video": ((WATCH, player("video"), *QUESTIONS), 25_370),
    "video and trace": ((WATCH, player("video"), widget("ranktrace")), 32_006),
    "signal and trace": ((WATCH, player("signal"), widget("btrace")), 30_117),
    "recording": ((WATCH, player("replay"), *QUESTIONS), 32_045),
    "recording and flags": ((WATCH, player("replay"), widget("flags")), 39_607),
    "videos": ((COMPARE, player("video"), *QUESTIONS), 26_650),
    "video and recording": ((COMPARE, player("video"), player("replay"), *QUESTIONS), 35_000),
    "practice of a trace": (
        (
            "/static/pages/practice/page.js",
            widget("ranktrace"),
            "/static/instruments/tracing/practice.js",
        ),
        26_281,
    ),
    "maze": ((GAME, "/static/worlds/maze/page.js"), 33_664),
    "game with pictures": ((GAME, RENDERED), 27_304),
}


def build_wheel(folder: Path, **environment: str) -> Path:
    """The package as it is installed: built from this clone and unpacked."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(
        command, cwd=ROOT, check=True, capture_output=True, env={"PATH": "", **environment}
    )
    (built,) = folder.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        archive.extractall(folder)
    return folder / "believable"


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture
def bundled(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The server's view of the wheel."""
    folder = wheel / script_bundles.FOLDER
    monkeypatch.setattr(bundles, "FOLDER", folder)
    clear_caches()
    yield folder
    clear_caches()


def clear_caches() -> None:
    bundles._bundles.cache_clear()
    page_script.cache_clear()


def test_every_script_that_a_page_can_name_is_in_a_bundle(bundled: Path) -> None:
    ours = [world for world in WORLDS if (world.folder / "static" / "page.js").is_file()]
    named = {
        MAIN,
        RENDERED,
        *(widget(instrument.name) for instrument in INSTRUMENTS),
        *(f"/static/instruments/{one.practice}" for one in INSTRUMENTS if one.practice),
        *(f"/static/players/{one.name}/{one.module}" for one in (*PLAYERS, SIGNAL)),
        *(script for kind in PAGES if (script := kind.script_address)),
        *(f"/static/worlds/{world.name}/page.js" for world in ours),
    }
    assert len(named) > 25
    assert [
        address for address, found in find_bundled(named).items() if not found.startswith(ADDRESS)
    ] == []
    texts = [file.read_text(encoding="utf-8") for file in TEMPLATES.rglob("*.html")]
    in_templates = {
        name for text in texts for name in re.findall(r"script_file\('([^']+\.js)'", text)
    }
    assert len(in_templates) > 10
    assert [name for name in in_templates if not page_script(name).startswith(ADDRESS)] == []
    by_hand = re.compile(r'<script[^>]* src="/static/')
    assert [text for text in texts if by_hand.search(text)] == []


@pytest.mark.parametrize("page", LOADED)
def test_a_page_asks_for_at_most_three_files_and_is_not_heavier_than_its_modules(
    page: str, bundled: Path
) -> None:
    scripts, most_bytes = LOADED[page]
    files = preload_files((MAIN, *scripts))
    assert len(files) <= 3
    bodies = [(bundled / file.removeprefix(ADDRESS)).read_bytes() for file in files]
    assert sum(len(gzip.compress(body, mtime=0)) for body in bodies) < most_bytes


def test_scripts_of_other_packages_keep_their_addresses(bundled: Path) -> None:
    mine = widget("smiley")
    found = find_bundled((MAIN, mine, widget("likert")))
    assert found[mine] == mine
    assert file_of(found[MAIN]) == file_of(found[widget("likert")])
    assert found[widget("likert")].endswith("#instruments_likert_widget")
    assert mine in preload_files((MAIN, mine))


def test_a_page_uses_the_bundle_that_it_has_already(bundled: Path) -> None:
    (recording,) = {
        file_of(address) for address in find_bundled((WATCH, player("replay"))).values()
    }
    located = f"{recording}#players_replay_player"
    assert file_of(find_bundled((WATCH, located))[WATCH]) == recording
    assert file_of(find_bundled((WATCH, player("video")))[WATCH]) != recording


def test_a_page_from_before_an_update_gets_the_bundle_of_today(bundled: Path) -> None:
    today = file_of(find_bundled((MAIN,))[MAIN])
    assert find_successor(f"{ADDRESS}session-000000000000.js") == today
    for address in (today, f"{ADDRESS}nothing-000000000000.js", f"{ADDRESS}index.json", MAIN):
        assert find_successor(address) is None


@needs_node
def test_every_bundle_is_a_module_that_exports_what_the_index_says(
    bundled: Path, tmp_path: Path
) -> None:
    index = json.loads((bundled / "index.json").read_text(encoding="utf-8"))
    assert {file.name for file in bundled.glob("*.js")} == set(index)
    for file, modules in index.items():
        copy = tmp_path / f"{file}.mjs"
        copy.write_bytes((bundled / file).read_bytes())
        node("--check", str(copy))
        exported = re.findall(r"\bas (\w+)", (bundled / file).read_text(encoding="utf-8"))
        assert set(filter(None, modules.values())) <= set(exported), file


def test_maps_lead_to_the_sources_that_the_package_serves(bundled: Path, wheel: Path) -> None:
    folders = dict(served_folders())
    maps = sorted(bundled.glob("*.js.map"))
    assert [file.name.removesuffix(".map") for file in maps] == sorted(
        file.name for file in bundled.glob("*.js")
    )
    sources = {source for file in maps for source in json.loads(file.read_text())["sources"]}
    own = [source for source in sources if source.startswith("/static/")]
    assert len(own) > 80
    for source in own:
        address = next((one for one in folders if source.startswith(f"{one}/")), None)
        world = re.fullmatch(r"/static/worlds/(\w+)/(.*)", source)
        file = (
            SOURCE / "worlds" / world[1] / "static" / world[2]
            if world
            else folders[address or ""] / source.removeprefix(f"{address}/")
        )
        assert file.is_file(), source
        assert (wheel / file.relative_to(SOURCE)).read_bytes() == file.read_bytes()


def test_a_clone_serves_its_modules_as_they_are() -> None:
    assert find_bundled((MAIN, WATCH)) == {MAIN: MAIN, WATCH: WATCH}
    assert page_script(MAIN) == MAIN


def test_without_esbuild_the_build_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"npm ci.*BELIEVABLE_BUNDLES=no"):
        script_bundles.find_esbuild(tmp_path)


@pytest.mark.slow
def test_a_wheel_without_bundles_serves_the_modules(tmp_path: Path) -> None:
    wheel = build_wheel(tmp_path, BELIEVABLE_BUNDLES="no")
    assert not (wheel / script_bundles.FOLDER).exists()
    assert (wheel / "web/static/participant/main.js").is_file()


@pytest.mark.slow
def test_a_wheel_from_a_source_archive_has_the_same_bundles(wheel: Path, tmp_path: Path) -> None:
    """The archive brings the bundles, so nothing is needed to build from it."""
    build = [sys.executable, "-m", "hatchling", "build"]
    subprocess.run(
        [*build, "-t", "sdist", "-d", str(tmp_path)], cwd=ROOT, check=True, capture_output=True
    )
    (archive,) = tmp_path.glob("*.tar.gz")
    subprocess.run(["tar", "xf", str(archive), "-C", str(tmp_path)], check=True)
    (unpacked,) = (path for path in tmp_path.iterdir() if path.is_dir())
    assert not (unpacked / "node_modules").exists()
    subprocess.run(
        [*build, "-t", "wheel", "-d", str(tmp_path)], cwd=unpacked, check=True, capture_output=True
    )
    (built,) = tmp_path.glob("*.whl")
    folder = f"believable/{script_bundles.FOLDER}/"
    with zipfile.ZipFile(built) as content:
        names = [name for name in content.namelist() if name.startswith(folder)]
        assert {name.removeprefix(folder) for name in names} == {
            file.name for file in (wheel / script_bundles.FOLDER).iterdir()
        }
        for name in names:
            original = wheel / script_bundles.FOLDER / name.removeprefix(folder)
            assert content.read(name) == original.read_bytes()
