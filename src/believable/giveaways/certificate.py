"""The blinding certificate: the result of the giveaway finder, kept in the study folder as
`giveaways.json`.

The checklist, the report and the release read it. Artifacts above chance stop a launch until a
reason is written down; the certificate is void as soon as a stimulus changes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from believable.core.errors import InvalidInput
from believable.core.whole_files import refuse_outside_links, write_whole
from believable.study.records import Stimulus

if TYPE_CHECKING:  # the finder loads scipy, which servers do without
    from believable.giveaways.finder import Giveaways

FORMAT = "believable-giveaways/1"
FILE = "giveaways.json"
#: A file is known by its size and this number of bytes at both ends.
_ENDS = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """One run of the finder.

    looked_on  date and time in UTC
    stimuli    digest of the stimuli that were looked at
    pairs      pairs of each two conditions, as (first, second, pairs)
    features   the number of artifacts and of behavior features that were compared
    artifacts  sentences about those above chance; `behavior` likewise
    accepted   the written reason for a launch in spite of artifacts
    """

    looked_on: str
    stimuli: str
    n_stimuli: int
    pairs: tuple[tuple[str, str, int], ...]
    features: tuple[int, int]
    artifacts: tuple[str, ...]
    behavior: tuple[str, ...]
    least_p: float | None
    accepted: str = ""

    @property
    def stops_launch(self) -> bool:
        return bool(self.artifacts) and not self.accepted

    @property
    def sentence(self) -> str:
        """One sentence without names of conditions, for reports."""
        day = self.looked_on[:10]
        n_pairs = sum(count for _, _, count in self.pairs)
        looked = f"{self.features[0]} artifacts compared in {n_pairs} pairs on {day}"
        if not self.pairs:
            return f"Nothing to compare on {day}: no two conditions share scenarios."
        if self.least_p is not None and self.least_p > 0.05:
            return f"{looked}: too few pairs for a test (p is {self.least_p:.2g} or more)."
        if not self.artifacts:
            return f"{looked}: none tells conditions apart above chance."
        count = len(self.artifacts)
        verb = "tells" if count == 1 else "tell"
        accepted = f" Accepted, because: {self.accepted}" if self.accepted else ""
        return f"{looked}: {count} {verb} conditions apart above chance.{accepted}"


def certify(giveaways: Giveaways, *, stimuli: str, looked_on: str) -> Certificate:
    """Return the certificate of these giveaways."""
    guesses = [
        guess
        for compared in giveaways.compared
        for guess in (compared.artifact, compared.behavior)
        if guess is not None
    ]
    return Certificate(
        looked_on=looked_on,
        stimuli=stimuli,
        n_stimuli=giveaways.n_stimuli,
        pairs=tuple((pair.first, pair.second, pair.pairs) for pair in giveaways.compared),
        features=(
            max(
                (len(pair.artifact.features) for pair in giveaways.compared if pair.artifact),
                default=0,
            ),
            max(
                (len(pair.behavior.features) for pair in giveaways.compared if pair.behavior),
                default=0,
            ),
        ),
        artifacts=(*map(str, giveaways.of("artifact")), *giveaways.orders),
        behavior=tuple(map(str, giveaways.of("behavior"))),
        least_p=min((guess.least_p for guess in guesses), default=None),
    )


def digest_stimuli(folder: Path, stimuli: Sequence[Stimulus]) -> str:
    """Return a digest that changes with the files and with their meaning in the study."""
    digest = hashlib.sha256()
    for stimulus in sorted(stimuli, key=lambda each: each.id):
        path = folder / stimulus.file
        about = [stimulus.id, stimulus.condition, stimulus.match_group]
        digest.update(json.dumps(about).encode())
        if not path.is_file():
            continue
        with path.open("rb") as file:
            size = path.stat().st_size
            digest.update(size.to_bytes(8, "big") + file.read(_ENDS))
            if size > 2 * _ENDS:
                file.seek(-_ENDS, 2)
                digest.update(file.read())
    return digest.hexdigest()


def write_certificate(folder: Path, certificate: Certificate) -> Path:
    """Keep the latest run in the study folder."""
    path = refuse_outside_links(folder, FILE)
    tree = {"format": FORMAT, **asdict(certificate)}
    write_whole(path, json.dumps(tree, indent=2, ensure_ascii=False) + "\n")
    return path


def read_certificate(folder: Path) -> Certificate | None:
    """The latest run; None if there was none. A file that is not ours is refused."""
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
        if tree.pop("format") != FORMAT:
            raise KeyError("format")
        kept = Certificate(**tree)
        return replace(
            kept,
            pairs=tuple((first, second, int(count)) for first, second, count in kept.pairs),
            features=(int(kept.features[0]), int(kept.features[1])),
            artifacts=tuple(map(str, kept.artifacts)),
            behavior=tuple(map(str, kept.behavior)),
        )
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        raise InvalidInput(
            f"{path}: expected the file that `believable giveaways` writes ({FORMAT}). Run it"
            " again."
        ) from None


def current(folder: Path, stimuli: Sequence[Stimulus]) -> Certificate | None:
    """The certificate, if it is about these stimuli as they are."""
    kept = read_certificate(folder)
    if kept is None or kept.stimuli != digest_stimuli(folder, stimuli):
        return None
    return kept


def certificate_sentence(folder: Path | None) -> str:
    """The sentence for a report of the study in a folder; empty without a certificate."""
    kept = None if folder is None else read_certificate(folder)
    return "" if kept is None else kept.sentence
