"""The server's secret key: what makes tokens, codes, media names and recruiter hashes unguessable."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from believable.core.errors import InvalidInput, NotFound

KEY_FILE = "secret.key"
KEY_VARIABLE = "BELIEVABLE_KEY_FILE"
KEY_BYTES = 32


def load_key(data_dir: Path, environment: Mapping[str, str] = os.environ) -> bytes:
    """The key in `data_dir/secret.key`, made on first use, or in the file that BELIEVABLE_KEY_FILE names (never made)."""
    given = environment.get(KEY_VARIABLE)
    if given is not None:
        path = Path(given)
        if not path.is_file():
            raise NotFound(
                f"{KEY_VARIABLE}: there is no file {given!r}. Point it to the key, or unset it to use {KEY_FILE}."
            )
        return _read(path)
    path = data_dir / KEY_FILE
    if not path.exists():
        _create(path)
    return _read(path)


def _read(path: Path) -> bytes:
    text = path.read_text(encoding="ascii", errors="replace").strip()
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) < KEY_BYTES:
        raise InvalidInput(
            f"{path.name}: expected at least {2 * KEY_BYTES} hexadecimal digits. Restore the file from a backup."
        )
    return key


def _create(path: Path) -> None:
    """Atomically, so that processes starting together end up with one key: the first link wins."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(KEY_BYTES) + "\n")
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink()
