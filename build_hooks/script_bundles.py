"""Bundles of the browser scripts, made by esbuild: a page of the installed package asks for one to
three files instead of up to forty.

A clone serves its sources as they are, without a build. The wheel and the source archive bring the
bundles in addition to the sources: scripts of other packages import the sources by their addresses.
`web/bundles.py` reads the index that is written here.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = Path("src/believable")
#: Inside the package.
FOLDER = PurePosixPath("web/static/bundles")
INDEX = "index.json"
#: Set to `no`, the package is built without bundles.
SWITCH = "BELIEVABLE_BUNDLES"

_CORE = "web/static/participant"
_TRACING = "instruments/{btrace,gtrace,ranktrace}/widget.js"
_WATCHING = "pages/{watch,compare}/page.js"
#: Bundle → modules that it exports, as patterns. A page takes `session`, at most one of those that
#: show stimuli, and what it annotates or plays with. `session` is first, and small bundles are
#: before larger ones: see `web/bundles.py`.
MODULES = {
    "session": (
        f"{_CORE}/main.js",
        "pages/{break,device,practice}/page.js",
        "instruments/*/widget.js",
    ),
    "video": (_WATCHING, "players/video/player.js"),
    "signal": (_WATCHING, "players/signal/player.js"),
    "recording": (_WATCHING, "players/{video,replay}/player.js"),
    "tracing": (_TRACING, "instruments/tracing/practice.js"),
    "flags": ("instruments/flags/{widget,practice}.js",),
    "game": ("web/static/play/{game,rendered}.js", "worlds/*/static/page.js"),
}
#: Scripts that run by themselves: those that a template names.
PAGES = (
    f"{_CORE}/{{arrival,forget,landing,start}}.js",
    "web/static/gallery/gallery.js",
    "web/static/console/{copy,monitor,results,review,sessions,watch}.js",
    "web/static/console/coding/{desk,live,resolve}.js",
)
#: The script that a page contains: an address of a map relative to a page leads nowhere.
INSIDE_A_PAGE = "participant-arrival"


def find_esbuild(root: Path) -> Path:
    """The program itself, which needs no Node.js to run."""
    folder = root / "node_modules" / "@esbuild"
    found = [*folder.glob("*/bin/esbuild"), *folder.glob("*/esbuild.exe")]
    if not found:
        raise RuntimeError(
            f"{folder}: esbuild is missing. It bundles the browser scripts of the package. Run"
            " `npm ci` in the clone (Node.js 20 or newer) and build again. Without Node.js, set"
            f" {SWITCH}=no: the package then serves its scripts one by one, as a clone does."
        )
    return found[0]


def expand(patterns: Iterable[str], package: Path) -> list[Path]:
    """The files that the patterns name. `{a,b}` stands for either name."""
    files: dict[Path, None] = {}
    for pattern in patterns:
        if choice := re.search(r"{(.*)}", pattern):
            names = (pattern.replace(choice[0], name) for name in choice[1].split(","))
            found = [file for name in names for file in package.glob(name)]
        else:
            found = sorted(package.glob(pattern))
        if not found:
            raise RuntimeError(f"{package / pattern}: there is no such script. Correct {__file__}.")
        files |= dict.fromkeys(found)
    return list(files)


def address_of(file: Path, package: Path) -> str:
    """Where the server has the script: see `served_folders` in `web/module_graph.py`."""
    inside = file.relative_to(package).as_posix().removeprefix("web/static/")
    return "/static/" + re.sub(r"^(worlds/[^/]+)/static/", r"\1/", inside)


def export_name(address: str) -> str:
    return re.sub(r"\W", "_", address.removeprefix("/static/").removesuffix(".js"))


def list_bundles(package: Path) -> dict[str, list[Path]]:
    bundles = {name: expand(patterns, package) for name, patterns in MODULES.items()}
    elsewhere = {*bundles["tracing"], *bundles["flags"]}
    bundles["session"] = [file for file in bundles["session"] if file not in elsewhere]
    pages = expand(PAGES, package)
    return bundles | {
        "-".join(file.relative_to(package / "web/static").with_suffix("").parts): [file]
        for file in pages
    }


def write_bundles(root: Path, folder: Path) -> None:
    """Writes every bundle with a source map, under a name with its hash, and the index: file →
    address of a module → name under which the file exports it ("" if it only runs).
    """
    package, index = root / PACKAGE, {}
    with tempfile.TemporaryDirectory() as scratch:
        bundles = list_bundles(package)
        for name, files in bundles.items():
            (Path(scratch) / f"{name}.js").write_text(_entry(name, files, package), "utf-8")
        command = [
            *(find_esbuild(root), *sorted(Path(scratch).glob("*.js"))),
            *("--bundle", "--minify", "--format=esm", "--target=es2022"),
            *("--sourcemap=external", "--sources-content=false", "--log-level=warning"),
            *("--external:/console/*", f"--tsconfig={root / 'tsconfig.json'}"),
            f"--outdir={Path(scratch) / 'out'}",
        ]
        subprocess.run([*map(str, command)], check=True)
        for name, files in bundles.items():
            made = Path(scratch) / "out" / f"{name}.js"
            file = _store(made, package, folder)
            index[file] = {
                address: export_name(address) if name in MODULES else ""
                for address in (address_of(module, package) for module in files)
            }
    (folder / INDEX).write_text(json.dumps(index, indent=1) + "\n", encoding="utf-8")


def _entry(name: str, files: Iterable[Path], package: Path) -> str:
    lines = []
    for file in files:
        exported = export_name(address_of(file, package))
        kept = f"* as {exported} from " if name in MODULES else ""
        lines.append(f"{'export' if kept else 'import'} {kept}{json.dumps(file.as_posix())};\n")
    return "".join(lines)


def _store(made: Path, package: Path, folder: Path) -> str:
    """Copies a bundle and its map, in which sources are named by their addresses: two builds of the
    same sources are equal.
    """
    code = made.read_text(encoding="utf-8")
    name = f"{made.stem}-{hashlib.sha256(code.encode()).hexdigest()[:12]}.js"
    source_map: Mapping[str, Any] = json.loads(made.with_suffix(".js.map").read_text("utf-8"))
    sources = [(made.parent / source).resolve() for source in source_map["sources"]]
    named = [
        address_of(source, package.resolve())
        if source.is_relative_to(package.resolve())
        else source.name
        for source in sources
    ]
    text = json.dumps({**source_map, "sources": named}, separators=(",", ":"))
    (folder / f"{name}.map").write_text(text, encoding="utf-8")
    mapped = "" if made.stem == INSIDE_A_PAGE else f"//# sourceMappingURL={name}.map\n"
    (folder / name).write_text(code + mapped, encoding="utf-8")
    return name


class ScriptBundles(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the bundles to what is built. A source archive has them already."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self.scratch: tempfile.TemporaryDirectory[str] | None = None
        root = Path(self.root)
        has_them = (root / PACKAGE / FOLDER / INDEX).is_file()
        if version == "editable" or has_them or os.environ.get(SWITCH) == "no":
            return
        self.scratch = tempfile.TemporaryDirectory()
        write_bundles(root, Path(self.scratch.name))
        inside = PACKAGE if self.target_name == "sdist" else PurePosixPath(PACKAGE.name)
        build_data["force_include"][self.scratch.name] = f"{inside}/{FOLDER}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self.scratch is not None:
            self.scratch.cleanup()
