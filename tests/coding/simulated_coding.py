"""The rows of a coding that simulated coders made of simulated texts, without a database."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from believable.bundle.session_records import CodingRows
from believable.coding.coded_bundle import (
    CoderVerdict,
    code_rows,
    final_marks,
    final_rows,
    label_rows,
)
from believable.coding.phrases import CODERS, CodingSettings, read_reason, simulated_coder
from believable.coding.responses import Response
from believable.coding.samples import RoundPlan, assign, draw
from believable.core import seeds
from believable.study.codebook import Codebook, resolve_codebook


def simulate_coding(
    book: Codebook,
    responses: Sequence[Response],
    *,
    phrases: str,
    seed: int,
    settings: CodingSettings | None = None,
) -> CodingRows:
    """The rows of a coding that two simulated coders made of simulated texts. `phrases` names the
    ready codebook the texts were made from (`believable.coding.phrases`).
    """
    how, whole = settings or CodingSettings(), resolve_codebook(book)
    numbered = dict(enumerate(_shuffled(responses, seed), start=1))
    items = [response.item(number) for number, response in numbered.items()]
    plans = (
        (1, RoundPlan(kind="agreement", n=min(how.agreement, len(items)))),
        (2, RoundPlan(kind="split", n=None, per_judge=how.per_judge, overlap=how.overlap)),
    )
    labels: list[dict[str, str | int | float | bool | None]] = []
    coded: dict[int, list[CoderVerdict]] = {}
    samples: dict[tuple[int, int], str] = {}
    for number, plan in plans:
        rng = seeds.generator(seed, "simulated coding", number)
        free = [item for item in items if item.number not in coded]
        for task in assign(draw(free, plan, rng), CODERS, plan, rng):
            truth = read_reason(phrases, numbered[task.number].text)
            own = seeds.generator(seed, "simulated coder", task.coder, number, task.number)
            mark = replace(simulated_coder(whole, truth, own, error=how.error), done=True)
            coded.setdefault(task.number, []).append(CoderVerdict(number, task.coder, 1, mark))
            sample = plan.kind if plan.kind != "split" else "overlap" if task.shared else "single"
            samples[number, task.number] = sample
            rows = label_rows(
                book.id,
                task.number,
                numbered[task.number],
                mark,
                coder=task.coder,
                round_number=number,
                sample=sample,
                version=1,
                suggested=False,
                review=False,
            )
            labels += [dict(row) for row in rows]
    held = final_marks(
        {text: tuple(verdicts) for text, verdicts in coded.items()},
        {},
        rule="random_coder",
        seed=seed,
    )
    names = {name: name for name in CODERS}
    return CodingRows(
        tuple(code_rows(whole, 1)),
        tuple(labels),
        tuple(final_rows(book.id, held, numbered, names, samples)),
    )


def _shuffled(responses: Sequence[Response], seed: int) -> list[Response]:
    ordered = sorted(responses, key=lambda response: response.place)
    random.Random(seeds.derive(seed, "order of texts")).shuffle(ordered)
    return ordered
