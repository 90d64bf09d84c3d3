"""The minds of the town compared, with the same body and the same language model.

Violations per 100 actions of each person, above those of the routine mind: the same body, person,
seed and town on a fixed timetable. Intervals by bootstrap over towns, seeds and people. Rules that
minds are built on and manners that are in the code of neither are counted apart.

python -m validation.town_minds --folder FOLDER    both minds with the embedded stand-in, on held-out seeds of both towns
python -m validation.town_minds --shipped          the recorded runs of `replay`, answered by a large language model
python -m validation.town_minds --ablations        the neuro-symbolic mind without each of its parts
python -m validation.town_minds --ship generative=ANSWERS neurosymbolic=ANSWERS --answered 2026-11-19
                                                   writes the runs that come with `replay` from recorded answers
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from believable.protocols.replay.stimuli import ANSWERS, RUNS
from believable.recordings import file
from believable.recordings.recording import Recording
from believable.worlds.town.language.embedded import EmbeddedModel
from believable.worlds.town.language.model import LanguageModel, describe_model
from believable.worlds.town.language.opening import ModelSettings, open_model
from believable.worlds.town.language.sentence_embedding import SentenceModel
from believable.worlds.town.language.wording_engine import WordedText
from believable.worlds.town.layout import TOWNS
from believable.worlds.town.minds import mind_kind
from believable.worlds.town.recording import record_run
from believable.worlds.town.rule_checker.checker import add_findings, check_town
from believable.worlds.town.run import TownRun, TownSettings
from believable.worlds.town.run_folder import RECORDING_FILE, read_town, simulate

#: Seeds below this were used to make and try the minds.
FIRST_HELD_OUT = 31
BOOTSTRAPS = 4000
#: The settings of the runs that come with `replay`.
SHIPPED_SEED, SHIPPED_PEOPLE, SHIPPED_DAYS = 11, 3, 2
MINDS: Mapping[str, Mapping[str, str]] = {
    "generative": {"variant": "paper"},
    "neurosymbolic": {"model": "on"},
}
#: What is switched off in each row of the ablations.
ABLATIONS: Mapping[str, Mapping[str, str]] = {
    "whole": {},
    "no planner": {"planner": "off"},
    "no schedule": {"schedule": "off"},
    "no checks": {"checks": "off"},
    "no planner, no checks": {"planner": "off", "checks": "off"},
}
KINDS = ("rules", "manners")


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonRates:
    """Violations per 100 actions of one person in one run."""

    town: str
    seed: int
    person: str
    rules: float
    manners: float
    fulfilled: float
    actions: int

    @property
    def key(self) -> tuple[str, int, str]:
        return self.town, self.seed, self.person


def rates(recording: Recording, town: str) -> list[PersonRates]:
    rows = []
    for actor in recording.actors:
        found = check_town(recording, actor.id)
        hidden = sum(violation.hidden for violation in found.violations)
        rows.append(
            PersonRates(
                town=town,
                seed=recording.seed or 0,
                person=actor.id,
                rules=100 * (len(found.violations) - hidden) / found.actions,
                manners=100 * hidden / found.actions,
                fulfilled=found.intentions_fulfilled or 0.0,
                actions=found.actions,
            )
        )
    return rows


def live(settings: TownSettings, model: LanguageModel | None = None) -> Recording:
    run = TownRun(settings, mind_kind(settings.mind).create, model)
    while not run.over:
        run.advance()
    return record_run(run)


# ------------------------------------------------------------------------------------ intervals


def interval(values: Mapping[tuple[str, int, str], float]) -> str:
    """Return the mean and its 95 % interval. Towns, seeds and people are drawn again in turn; with
    one town or one seed the interval says nothing about others.
    """
    tree: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (town, seed, _), value in values.items():
        tree[town][seed].append(value)
    rng = np.random.default_rng(20)
    means = [_draw_mean(tree, rng) for _ in range(BOOTSTRAPS)]
    low, high = np.quantile(means, (0.025, 0.975))
    whole = np.mean([np.mean(list(itertools.chain(*seeds.values()))) for seeds in tree.values()])
    return f"{whole:.2f} [{low:.2f}, {high:.2f}]"


def _draw_mean(tree: Mapping[str, Mapping[int, list[float]]], rng: np.random.Generator) -> float:
    towns = list(tree)
    drawn = []
    for town in rng.choice(len(towns), len(towns)):
        seeds = tree[towns[town]]
        names = list(seeds)
        people = [seeds[names[seed]] for seed in rng.choice(len(names), len(names))]
        drawn.append(np.mean([rng.choice(values, len(values)).mean() for values in people]))
    return float(np.mean(drawn))


def table(rows: Mapping[str, Sequence[PersonRates]], base: Sequence[PersonRates]) -> Iterator[str]:
    """Yield a row for the body, one for each mind above it, and the difference of the minds."""
    heads = ("", "people", *KINDS, "intentions fulfilled", "actions a person")
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    level = {kind: {row.key: getattr(row, kind) for row in base} for kind in KINDS}
    cells = [interval(level[kind]) for kind in KINDS]
    yield f"| the body alone (routine) | {len(base)} | {' | '.join(cells)} | | {_actions(base)} |"
    above: dict[str, dict[str, dict[tuple[str, int, str], float]]] = {}
    for name, people in rows.items():
        above[name] = {
            kind: {row.key: getattr(row, kind) - level[kind][row.key] for row in people}
            for kind in KINDS
        }
        cells = [interval(above[name][kind]) for kind in KINDS]
        fulfilled = interval({row.key: row.fulfilled for row in people})
        yield (
            f"| {name}, above the body | {len(people)} | {' | '.join(cells)} | {fulfilled} |"
            f" {_actions(people)} |"
        )
    first, second = above.values()
    cells = [
        interval({key: first[kind][key] - second[kind][key] for key in first[kind]})
        for kind in KINDS
    ]
    names = " − ".join(name.partition(" (")[0] for name in rows)
    yield f"| {names} | {len(next(iter(rows.values())))} | {' | '.join(cells)} | | |"


def _actions(rows: Sequence[PersonRates]) -> str:
    return f"{np.mean([row.actions for row in rows]):.0f}"


# ----------------------------------------------------------------------------------------- runs


@dataclass(slots=True)
class FixedWords:
    """In place of the small language model, which decides nothing: every sentence ends alike, and a
    run takes minutes less.
    """

    def words(self, lead: str, *, grammar: str, seed: int, most_tokens: int) -> WordedText:
        return WordedText(" that is all?" if grammar.endswith("[?]") else " that is all.", 0, 0)

    def close(self) -> None:
        """Nothing is open."""


def compare_embedded(
    folder: Path, towns: Sequence[str], seeds: Sequence[int], people: int, days: int
) -> None:
    """Both minds with the embedded stand-in. Runs that are in the folder are not made again."""
    model = EmbeddedModel(SentenceModel.load(), FixedWords())  # type: ignore[arg-type]
    rows: dict[str, list[PersonRates]] = defaultdict(list)
    for town, seed in itertools.product(towns, seeds):
        for mind, options in {"routine": {}, **MINDS}.items():
            settings = TownSettings(
                seed=seed, people=people, days=days, mind=mind, options=options, town=town
            )
            out = folder / f"{mind}-{town}-{seed}"
            if not (out / RECORDING_FILE).is_file():
                begun = time.process_time()
                simulate(out, settings, None if mind == "routine" else model)
                print(  # noqa: T201
                    f"{out.name}: {time.process_time() - begun:.0f} s of processor",
                    file=sys.stderr,
                    flush=True,
                )
            name = mind if mind == "routine" else f"{mind} ({describe_model(model.name)})"
            rows[name].extend(rates(read_town(out), town))
    base = rows.pop("routine")
    print("\n".join(table(rows, base)))  # noqa: T201


def compare_shipped() -> None:
    rows = {}
    for mind in MINDS:
        recording = file.read(RUNS / f"{mind}.replay.json.gz")
        name = f"{mind} ({recording.provenance['language model']})"
        rows[name] = rates(recording, "market")
    settings = TownSettings(
        seed=SHIPPED_SEED, people=SHIPPED_PEOPLE, days=SHIPPED_DAYS, mind="routine"
    )
    print("\n".join(table(rows, rates(live(settings), "market"))))  # noqa: T201


def compare_ablations(towns: Sequence[str], seeds: Sequence[int], people: int, days: int) -> None:
    heads = ("mind", *KINDS, "intentions fulfilled")
    print(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|")  # noqa: T201
    for name, options in ABLATIONS.items():
        found = [
            row
            for town, seed in itertools.product(towns, seeds)
            for row in rates(
                live(
                    TownSettings(
                        seed=seed,
                        people=people,
                        days=days,
                        mind="neurosymbolic",
                        options=options,
                        town=town,
                    )
                ),
                town,
            )
        ]
        cells = [
            interval({row.key: getattr(row, kind) for row in found})
            for kind in (*KINDS, "fulfilled")
        ]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)  # noqa: T201


def ship(mind: str, answers: Path, answered: str) -> None:
    """Write recorded answers with their date, and the checked run that follows from them."""
    first, _, rest = answers.read_text("utf-8").partition("\n")
    head = json.dumps({**json.loads(first), "answered": answered}, ensure_ascii=False)
    target = ANSWERS / f"{mind}.answers.jsonl.gz"
    target.write_bytes(gzip.compress(f"{head}\n{rest}".encode(), 9, mtime=0))
    with tempfile.TemporaryDirectory() as out:
        file.write(repeat_shipped(mind, Path(out)), RUNS / f"{mind}.replay.json.gz")


def repeat_shipped(mind: str, out: Path) -> Recording:
    """Return a run of `replay`, lived again from its recorded answers."""
    settings = TownSettings(
        seed=SHIPPED_SEED, people=SHIPPED_PEOPLE, days=SHIPPED_DAYS, mind=mind, options=MINDS[mind]
    )
    answers = ANSWERS / f"{mind}.answers.jsonl.gz"
    simulate(out, settings, open_model(ModelSettings(kind="recorded", answers=answers), out))
    return add_findings(read_town(out))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=FIRST_HELD_OUT)
    parser.add_argument("--people", type=int, default=4)
    parser.add_argument("--days", type=int, default=1)
    parser.add_argument("--town", action="append", choices=list(TOWNS), default=[])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--shipped", action="store_true")
    parser.add_argument("--ablations", action="store_true")
    parser.add_argument("--ship", nargs=2, metavar="MIND=ANSWERS")
    parser.add_argument("--answered", default="")
    chosen = parser.parse_args()
    seeds = range(chosen.first_seed, chosen.first_seed + chosen.seeds)
    towns = chosen.town or list(TOWNS)
    if chosen.ship:
        for mind, _, answers in (written.partition("=") for written in chosen.ship):
            ship(mind, Path(answers), chosen.answered)
    elif chosen.shipped:
        compare_shipped()
    elif chosen.ablations:
        compare_ablations(towns, seeds, chosen.people, chosen.days)
    elif chosen.folder:
        compare_embedded(chosen.folder, towns, seeds, chosen.people, chosen.days)
    else:
        parser.error("expected --folder FOLDER, --shipped, --ablations or --ship")


if __name__ == "__main__":
    main()
