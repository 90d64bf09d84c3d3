"""The share of glad people, with its interval."""

from __future__ import annotations

import numpy as np

from acme_believable.moods import DECLARATION
from believable.analysis.data import Data
from believable.analysis.findings import Finding, Section
from believable.analysis.numbers import estimate_words
from believable.analysis.procedure import Verb
from believable.analysis.protocol import Main, ProtocolAnalysis
from believable.analysis.settled_plan import Plan
from believable.stats.counts import proportion
from believable.stats.estimate import Estimate


def glad_share(data: Data) -> Estimate:
    faces = [face for face in data.text_by_session("face") if face is not None]
    return proportion(sum(face == "glad" for face in faces), len(faces))


def analyse(data: Data, plan: Plan, rng: np.random.Generator) -> tuple[Section, ...]:
    share = glad_share(data)
    sentence = f"The share of glad people was {estimate_words(share)}."
    return (
        Section(
            name="moods",
            title="Moods",
            findings=(
                Finding(outcome="glad", title="Glad people", sentence=sentence, estimate=share),
            ),
        ),
    )


def main(data: Data, plan: Plan, rng: np.random.Generator) -> Main:
    return {"glad": glad_share(data)}


def methods(data: Data, plan: Plan, verb: Verb) -> str:
    return (
        f"The share of people who {verb('chose', 'will choose')} the glad face is given with its"
        " Wilson interval."
    )


ANALYSIS = ProtocolAnalysis(declaration=DECLARATION, analyse=analyse, main=main, methods=methods)
