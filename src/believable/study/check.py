"""Everything that can be wrong with a study beyond the form of its records."""

from __future__ import annotations

from believable.study.checks.blocks import check_blocks
from believable.study.checks.codebooks import check_codebooks
from believable.study.checks.declared import check_declared
from believable.study.checks.languages import check_languages
from believable.study.checks.mixtures import check_mixtures
from believable.study.checks.play import check_play
from believable.study.checks.players import check_players
from believable.study.checks.quality import check_quality
from believable.study.checks.recruiting import check_arms, check_recruiting
from believable.study.checks.rules import check_rules
from believable.study.checks.several import check_several
from believable.study.checks.stimuli import check_stimuli
from believable.study.checks.supply import check_supply
from believable.study.checks.timeline import check_timeline
from believable.study.kinds import QuestionKinds
from believable.study.read import Reading


def check(reading: Reading, kinds: QuestionKinds, *, now_ms: int) -> None:
    """Report every problem into `reading`. Each check leaves alone what an earlier one found broken."""
    check_languages(reading)
    check_timeline(reading)
    check_stimuli(reading)
    check_players(reading)
    check_quality(reading)
    check_play(reading)
    check_several(reading)
    check_mixtures(reading)
    check_blocks(reading)
    check_rules(reading, kinds)
    check_recruiting(reading, now_ms=now_ms)
    check_supply(reading)
    check_arms(reading)
    check_codebooks(reading, kinds)
    check_declared(reading)
