"""Writing a bundle's folder: streaming, hashing on the way, and appearing whole or not at all."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import shutil
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from believable.bundle import package
from believable.bundle.cells import csv_line, line_writer, neutralise
from believable.bundle.frames import load_parquet
from believable.bundle.left_out import LeaveOut, TablesOnDisk, with_included
from believable.bundle.package import EVENTS, PAGAN, PARQUET, STRAYS, Content
from believable.bundle.read import Bundle
from believable.bundle.session_records import EventRecord, StrayRecord, StudyRecord, day
from believable.bundle.tables import BundleTable, Cell
from believable.core.errors import InvalidInput
from believable.core.whole_files import (
    check_replaceable,
    disk_error,
    replace_folder,
    whole_file,
    writing,
)

#: Zip entries carry a time; this one says nothing and never changes.
ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)

PAGAN_HEADER = (
    "OriginalName",
    "DatabaseName",
    "Participant",
    "SessionID",
    "Timestamp",
    "VideoTime",
    "Value",
)


class HashedFile(io.RawIOBase):
    """A file that knows its length and SHA-256 when it is closed."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file: BinaryIO = path.open("wb")
        self._sha256 = hashlib.sha256()
        self.length = 0

    def writable(self) -> bool:
        return True

    def write(self, data: object, /) -> int:
        content = bytes(data)  # type: ignore[call-overload]
        self._sha256.update(content)
        self.length += len(content)
        return self._file.write(content)

    def close(self) -> None:
        try:
            if not self.closed:
                self._file.close()
        finally:
            super().close()

    def pass_on(self) -> None:
        """Give everything to the operating system, so that other readers of the file see it."""
        self._file.flush()

    @property
    def digest(self) -> str:
        return self._sha256.hexdigest()


class TableFile:
    """One CSV table, written row by row."""

    def __init__(self, folder: Path, path: str, table: BundleTable) -> None:
        self.path, self.table, self.rows = path, table, 0
        self.raw = HashedFile(folder / path)
        self._buffer = io.BufferedWriter(self.raw, 1 << 18)
        self._buffer.write(csv_line(list(table.columns)).encode())
        self._line = line_writer(table.fields)

    def write(self, row: Mapping[str, Cell]) -> None:
        self._buffer.write(self._line(row).encode())
        self.rows += 1

    def flush(self) -> None:
        """Everything written up to now can be read from the disk."""
        self._buffer.flush()
        self.raw.pass_on()

    def close(self) -> Content:
        with closing(self.raw):
            self._buffer.flush()
        return Content(
            path=self.path,
            bytes=self.raw.length,
            sha256=self.raw.digest,
            rows=self.rows,
            about=self.table.about,
            table=self.table,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PaganRow:
    """One change of an annotation, as the PAGAN platform exports it. Times in milliseconds: since
    1970, and in the video.
    """

    original_name: str
    database_name: str
    participant: str
    session_id: str
    timestamp_ms: int
    media_ms: float
    value: float


def pagan_line(row: PaganRow) -> str:
    """One line. Names are kept from being run by spreadsheets; PAGAN has one line per row, so line
    breaks become spaces.
    """
    names = (row.original_name, row.database_name, row.participant, row.session_id)
    cells = [" ".join(neutralise(name).split()) for name in names]
    return csv_line([*cells, str(row.timestamp_ms), _plain(row.media_ms), _plain(row.value)])


def _plain(number: float) -> str:
    return str(int(number)) if float(number).is_integer() else repr(float(number))


class PaganFile:
    """The traces once more, as the PAGAN platform exports them."""

    def __init__(self, folder: Path) -> None:
        self.rows = 0
        self.raw = HashedFile(folder / PAGAN)
        self._buffer = io.BufferedWriter(self.raw, 1 << 18)
        self._buffer.write(csv_line(list(PAGAN_HEADER)).encode())

    def write(self, row: Mapping[str, Any]) -> None:
        stimulus, session = row["stimulus"] or "", row["session"]
        line = pagan_line(
            PaganRow(
                original_name=stimulus,
                database_name=stimulus,
                participant=session,
                session_id=session,
                timestamp_ms=row["at_ms"],
                media_ms=row["media_ms"],
                value=row["value"],
            )
        )
        self._buffer.write(line.encode())
        self.rows += 1

    def close(self) -> Content:
        with closing(self.raw):
            self._buffer.flush()
        about = "The traces as the 7-column CSV of the PAGAN annotation platform."
        return Content(
            path=PAGAN, bytes=self.raw.length, sha256=self.raw.digest, rows=self.rows, about=about
        )


#: Text as JSON, in ASCII.
quoted = json.encoder.encode_basestring_ascii


class LinesFile:
    """Gzipped JSON lines whose bytes depend on nothing but the content."""

    def __init__(self, folder: Path, path: str, about: str) -> None:
        self.path, self.about, self.rows = path, about, 0
        self.raw = HashedFile(folder / path)
        self._gzip = gzip.GzipFile(
            filename="", mode="wb", compresslevel=4, fileobj=self.raw, mtime=0
        )
        self._buffer = io.BufferedWriter(self._gzip, 1 << 18)

    def write(self, lines: Sequence[str]) -> None:
        self._buffer.write("".join(lines).encode())
        self.rows += len(lines)

    def close(self) -> Content:
        with closing(self.raw):
            self._buffer.flush()
            self._gzip.close()
        return Content(
            path=self.path,
            bytes=self.raw.length,
            sha256=self.raw.digest,
            rows=self.rows,
            about=self.about,
        )


class BundleFolder:
    """A bundle being written. Used as a context: leaving it without an error puts the folder in
    place.
    """

    def __init__(
        self,
        folder: Path,
        study: StudyRecord,
        tables: Sequence[BundleTable],
        *,
        parquet: bool = False,
    ) -> None:
        self._target = folder
        self._study = study
        self._tables = tables
        self._part = folder.with_name(f".{folder.name}.{os.getpid()}.part")
        self._files: dict[str, str] = {}
        self._contents: list[Content] = []
        self._last_ms: int | None = None
        self._pagan: PaganFile | None = None
        # Loaded first, so that a missing library is reported before the work begins.
        self._parquet = load_parquet() if parquet else None

    def __enter__(self) -> BundleFolder:
        _must_be_ours(self._target)
        shutil.rmtree(self._part, ignore_errors=True)
        try:
            with writing(self._target):
                self._begin()
        except BaseException:
            shutil.rmtree(self._part, ignore_errors=True)
            raise
        return self

    def _begin(self) -> None:
        self._part.mkdir(parents=True)
        self._open = {
            table.name: TableFile(self._part, package.table_path(self._study, table), table)
            for table in self._tables
        }
        self._events = LinesFile(
            self._part,
            EVENTS,
            "Every event as the browser sent it, in the order of its hash chain.",
        )
        self._strays = LinesFile(
            self._part, STRAYS, "Events sent by tabs that had been taken over; outside the chains."
        )

    def row(self, table: str, row: Mapping[str, Cell]) -> None:
        self._open[table].write(row)
        if table == "traces":
            if self._pagan is None:
                self._pagan = PaganFile(self._part)
            self._pagan.write(row)

    def apply(self, leave_out: LeaveOut, definitions: Mapping[str, str]) -> None:
        """Let the analysis choose the rows to leave out, and write `included` and the exclusions
        accordingly.
        """
        for file in self._open.values():
            file.flush()
        tables = TablesOnDisk(
            self._part, {name: file.path for name, file in self._open.items()}, self._shapes
        )
        study = self._study
        left_out = leave_out(
            Bundle(
                folder=self._part,
                title=study.title,
                simulated=study.simulated,
                withdrawn=study.withdrawn,
                tables=tables,
                definitions=definitions,
            )
        )
        if left_out is None:
            return
        for name, counts in (
            ("participants", left_out.counts_session),
            ("judgements", left_out.counts_answer),
        ):
            rows = with_included(tables[name], counts) if name in tables else None
            if rows is not None:
                self._rewrite(name, rows)
        before = [left_out.exclusion(row) for row in tables["exclusions"].rows()]
        self._rewrite("exclusions", (*before, *left_out.rows))

    @property
    def _shapes(self) -> dict[str, BundleTable]:
        return {name: file.table for name, file in self._open.items()}

    def _rewrite(self, name: str, rows: Iterable[Mapping[str, Cell]]) -> None:
        """Write a table again, from rows that were read before."""
        old = self._open[name]
        old.raw.close()
        self._open[name] = TableFile(self._part, old.path, old.table)
        for row in rows:
            self._open[name].write(row)

    def events(self, session: str, events: Sequence[EventRecord]) -> None:
        before = f'{{"session":{quoted(session)},"seq":'
        self._events.write(
            [
                f'{before}{seq},"received_ms":{received_ms},"body":{quoted(body)}}}\n'
                for seq, body, received_ms in events
            ]
        )
        self._last_ms = (
            max([self._last_ms or 0, *[received_ms for _, _, received_ms in events]])
            if events
            else self._last_ms
        )

    def strays(self, session: str, strays: Sequence[StrayRecord]) -> None:
        before = f'{{"session":{quoted(session)},"epoch":'
        self._strays.write(
            [
                f'{before}{stray.epoch},"seq":{stray.seq},"received_ms":{stray.received_ms},'
                f'"body":{quoted(stray.body)}}}\n'
                for stray in strays
            ]
        )

    def text(self, path: str, text: str, about: str) -> None:
        """A further file, such as a study definition."""
        self.file(path, text.encode(), about)

    def file(self, path: str, content: bytes, about: str) -> None:
        """A further file as it is, such as a recording."""
        with closing(HashedFile(self._part / path)) as raw:
            raw.write(content)
        self._contents.append(
            Content(path=path, bytes=raw.length, sha256=raw.digest, rows=0, about=about)
        )

    def table(self, path: str, table: BundleTable, rows: Sequence[Mapping[str, Cell]]) -> None:
        """A further table outside `data/`, such as the codebook."""
        file = TableFile(self._part, path, table)
        for row in rows:
            file.write(row)
        self._contents.append(file.close())

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Whatever went wrong, while rows were written or now that the last of them reach the disk,
        leaves nothing behind.
        """
        try:
            with writing(self._target):
                if error is None:
                    self._finish()
            if isinstance(error, OSError):
                raise disk_error(error, self._target) from error
        finally:
            self._release()
            shutil.rmtree(self._part, ignore_errors=True)

    @property
    def _open_files(self) -> Iterator[TableFile | LinesFile | PaganFile]:
        yield from self._open.values()
        yield from (self._events, self._strays)
        if self._pagan is not None:
            yield self._pagan

    def _release(self) -> None:
        """Their contents are no longer needed; the system gets its descriptors back."""
        for file in self._open_files:
            with suppress(OSError):
                file.raw.close()

    def _write_parquet(self, parquet: Any) -> Iterator[Content]:
        """Write the tables once more as Parquet, read back from their CSV files."""
        paths = {name: file.path for name, file in self._open.items()}
        tables = TablesOnDisk(self._part, paths, self._shapes)
        for name in tables:
            path = f"{PARQUET}/{name}.parquet"
            with closing(HashedFile(self._part / path)) as raw:
                parquet.write_table(tables[name].to_arrow(), raw)
            about = f"The table `{name}` as Parquet, with the same values."
            yield Content(
                path=path, bytes=raw.length, sha256=raw.digest, rows=len(tables[name]), about=about
            )

    def _finish(self) -> None:
        contents = [*(file.close() for file in self._open_files), *self._contents]
        if self._parquet is not None:
            contents += [*self._write_parquet(self._parquet)]
        last_on = None if self._last_ms is None else day(self._last_ms)
        papers = {
            ".psychds-ignore": package.ignored_files(),
            "README.md": package.readme(self._study, contents),
            "CHANGES.md": package.changes(contents, last_on),
            "dataset_description.json": package.dataset_description(self._study, contents),
            "datapackage.json": package.datapackage(self._study, contents),
        }
        sums = {content.path: content.sha256 for content in contents}
        for path, text in papers.items():
            (self._part / path).write_bytes(text.encode())
            sums[path] = hashlib.sha256(text.encode()).hexdigest()
        (self._part / "SHA256SUMS").write_text(package.checksums(sums), "utf-8")
        _put_in_place(self._part, self._target)


def zip_folder(folder: Path, target: Path) -> Path:
    """The folder as one zip file whose bytes depend on nothing but the content."""
    with whole_file(target) as draft, zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(
                f"{folder.name}/{path.relative_to(folder).as_posix()}", ZIP_EPOCH
            )
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            with path.open("rb") as source, archive.open(entry, "w", force_zip64=True) as into:
                shutil.copyfileobj(source, into, 1 << 20)
    return target


def _must_be_ours(folder: Path) -> None:
    """Only an older bundle without added or changed files, or nothing, may be replaced."""
    description = folder / "datapackage.json"
    is_ours = description.is_file() and package.FORMAT in description.read_text("utf-8", "replace")
    check_replaceable(folder, "bundle", is_ours=is_ours)


def _put_in_place(part: Path, target: Path) -> None:
    try:
        replace_folder(part, target)
    except OSError as error:
        raise InvalidInput(
            f"{target}: the bundle could not be put in place ({error}). Choose another place."
        ) from error
