"""Runs the browser modules' own tests with node."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest

import believable

HERE = Path(__file__).parent
SOURCE = Path(believable.__file__).parent
MODULES = sorted(SOURCE.rglob("*.js"))
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


@pytest.mark.parametrize("module", MODULES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_module_is_type_checked_and_small(module: Path) -> None:
    text = module.read_text()
    assert text.startswith("// @ts-check\n")
    assert len(text.splitlines()) <= 500


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
