"""Put the declared plan of a study on record, with documents to upload."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from believable.analysis import preregistration, registered
from believable.analysis.power_record import read_power
from believable.analysis.registered import Registration
from believable.analysis.resolution import resolve
from believable.app.options import option, options, use_case
from believable.app.settings import whole_definition
from believable.app.study_data import StudyData, StudyOptions, load_study, utc_now
from believable.core.errors import BelievableError, InvalidInput
from believable.core.whole_files import write_whole
from believable.store.collected import count
from believable.study.definition import Definition

DOCUMENTS: Mapping[str, Callable[..., str]] = {
    "osf.md": preregistration.osf,
    "aspredicted.md": preregistration.aspredicted,
}


@options
class PreregisterOptions(StudyOptions):
    again: bool = option(
        "Register a changed plan as well; the earlier registration is kept.", default=False
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Preregistration:
    """The registered plan. `written` is empty if the same plan was registered before."""

    registration: Registration
    written: tuple[Path, ...]

    def as_json(self) -> object:
        known = self.registration
        return {"hash": known.hash, "registered_on": known.registered_on, "written": self.written}


@use_case(PreregisterOptions)
def preregister(options: PreregisterOptions) -> Preregistration:
    """Put the declared plan of a study on record.

    Writes preregistration/ into the study folder: plan.json with its SHA-256, definition.json with
    the study as it is now (wordings, pages, digests of media), and the plan as Markdown in the
    shape of the OSF form and of AsPredicted, to be uploaded there. From then on results are marked
    against that hash, and a study that was changed before its first session counts as a deviation.
    The same plan again changes nothing; a changed one is refused unless --again is given.
    """
    study = options.study_data()
    folder = study.folder
    definition = load_study(folder)
    if definition.study.analysis is None:
        raise InvalidInput(
            f"{folder}/study.yaml: it declares no analysis. Add an `analysis:` block, then"
            " preregister it."
        )
    plan = resolve(definition.study.analysis, definition.study)
    before = registered.read(folder)
    collected = _real_sessions(study)
    whole = _with_media(study, definition, options)
    registration = registered.register(
        plan,
        folder,
        registered_on=utc_now(),
        again=options.again,
        sessions_before=collected,
        definition=whole.to_json(),
    )
    target = folder / registered.FOLDER
    # documents may be missing if a disk was full
    if before == registration and all((target / name).is_file() for name in DOCUMENTS):
        if registration.definition not in (None, whole.to_json()):
            options.say(
                "Note: the study itself differs from the one that was registered, which the report"
                " will count as a deviation. To register it as it is now, and keep the first, add"
                " --again."
            )
        return Preregistration(registration=registration, written=())
    powered = read_power(folder)
    for name, document in DOCUMENTS.items():
        text = document(definition, plan, registration, collected=collected, powered=powered)
        write_whole(target / name, text)
    if collected:
        options.say(
            f"Note: {collected} real sessions had begun already; the documents and the report"
            " say so."
        )
    written = tuple(target / name for name in DOCUMENTS)
    return Preregistration(registration=registration, written=written)


def _with_media(
    study: StudyData, definition: Definition, options: PreregisterOptions
) -> Definition:
    """The definition with its media, by which a later change shows; without them if they cannot be
    prepared yet.
    """
    try:
        with options.counting("Preparing media") as progress:
            return whole_definition(study.folder, study.settings.media_dir, progress)
    except BelievableError as error:
        options.say(
            "Note: the stimuli are not part of the registration, because they cannot be prepared"
            f" yet: {error}"
        )
        return definition


def _real_sessions(study: StudyData) -> int | None:
    """The number of real sessions; None if the study was never served."""
    if not study.has_database:
        return None
    with study.open() as store:
        return int(store.read(lambda conn: count(conn, study.name, simulated=False)))
