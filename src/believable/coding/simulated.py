"""A whole coding by simulated coders: sample, two coders with errors, the random-coder rule. For simulated texts only."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from believable.bundle.coding import CodingRows
from believable.coding.phrases import read_reason, simulated_coder
from believable.coding.resolve import Coded, finals
from believable.coding.responses import Response
from believable.coding.rows import code_rows, final_rows, label_rows
from believable.coding.samples import Plan, assign, draw
from believable.core import seeds
from believable.study.codebook import Codebook, resolved

CODERS = ("coder_1", "coder_2")
#: Chance that a simulated coder goes wrong about a label.
ERROR = 0.05


@dataclass(frozen=True, slots=True)
class Settings:
    """`agreement` texts are coded by both for agreement, then `per_judge` of each judge with `overlap`."""

    agreement: int = 55
    per_judge: int | None = 3
    overlap: float = 0.25
    error: float = ERROR


def simulate_coding(
    book: Codebook,
    responses: Sequence[Response],
    *,
    phrases: str,
    seed: int,
    settings: Settings | None = None,
) -> CodingRows:
    """The rows of a coding that two simulated coders made of simulated texts. `phrases` names the ready codebook the texts
    were made from (`believable.coding.phrases`)."""
    how, whole = settings or Settings(), resolved(book)
    numbered = dict(enumerate(_shuffled(responses, seed), start=1))
    items = [one.item(number) for number, one in numbered.items()]
    plans = (
        (1, Plan("agreement", min(how.agreement, len(items)))),
        (2, Plan("split", None, how.per_judge, how.overlap)),
    )
    labels: list[dict[str, str | int | float | bool | None]] = []
    coded: dict[int, list[Coded]] = {}
    samples: dict[tuple[int, int], str] = {}
    for number, plan in plans:
        rng = seeds.generator(seed, "simulated coding", number)
        free = [item for item in items if item.number not in coded]
        for task in assign(draw(free, plan, rng), CODERS, plan, rng):
            truth = read_reason(phrases, numbered[task.number].text)
            own = seeds.generator(seed, "simulated coder", task.coder, number, task.number)
            mark = replace(simulated_coder(whole, truth, own, error=how.error), done=True)
            coded.setdefault(task.number, []).append(Coded(number, task.coder, 1, mark))
            sample = plan.kind if plan.kind != "split" else "overlap" if task.shared else "single"
            samples[number, task.number] = sample
            rows = label_rows(
                book.id, task.number, numbered[task.number], mark, coder=task.coder, round_number=number,
                sample=sample, version=1, suggested=False, review=False,
            )  # fmt: skip
            labels += [dict(row) for row in rows]
    held = finals({one: tuple(given) for one, given in coded.items()}, {}, rule="random_coder", seed=seed)
    names = {name: name for name in CODERS}
    return CodingRows(
        tuple(code_rows(whole, 1)), tuple(labels), tuple(final_rows(book.id, held, numbered, names, samples))
    )


def _shuffled(responses: Sequence[Response], seed: int) -> list[Response]:
    found = sorted(responses, key=lambda one: one.place)
    random.Random(seeds.derive(seed, "order of texts")).shuffle(found)
    return found
