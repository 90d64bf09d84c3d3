"""The part of a study by which judges are assigned to the agents, or the pairs of agents, that need
them: an arm, or a block over pairs.
"""

from __future__ import annotations

from collections.abc import Sequence

from believable.contracts.trial import Block
from believable.core.errors import InvalidInput
from believable.study.judge_shares import JudgeContrast
from believable.study.levels import settings
from believable.study.records import Study


class NotSequential(InvalidInput):
    """Why a plan cannot be stopped by evidence. `key` is the key of `stopping` to blame."""

    def __init__(self, key: str, message: str, cure: str) -> None:
        super().__init__(f"analysis.stopping.{key}: {message} {cure}")
        self.key, self.message, self.cure = key, message, cure


def block_of_pairs(study: Study, contrasts: Sequence[JudgeContrast]) -> Block:
    """The block from which each judge gets the pairs that still need judges."""

    def refuse(why: str, cure: str) -> NotSequential:
        return NotSequential("assign", why, f"{cure} Or remove `assign`.")

    blocks = pair_blocks(study)
    if len(contrasts) < 2 or len(blocks) != 1:
        raise refuse(
            f"judges are assigned to pairs by one block over pairs, and there are {len(blocks)} of"
            f" them with {len(contrasts)} weighed pairs.",
            "Write `over: pair` in one block.",
        )
    (block,) = blocks
    if block.order == "latin_square" or block.sample is None:
        raise refuse(
            f"the block {block.id!r} gives each judge pairs that its order settles.",
            f"Write `order: random` and `sample: 10` into {block.id!r}.",
        )
    if study.draw == "shared":
        raise refuse(
            "with `draw: shared`, nothing is drawn when a session starts.", "Write `draw: pool`."
        )
    return block


def pair_blocks(study: Study) -> list[Block]:
    """The blocks over pairs of conditions."""
    found = (item for item, _ in settings(study, study.timeline))
    blocks = [item for item in found if isinstance(item, Block) and item.over == "pair"]
    return list({block.id: block for block in blocks}.values())


def arm_of_agents(study: Study, contrasts: Sequence[JudgeContrast]) -> str:
    agents = {contrast.name for contrast in contrasts}
    if len(agents) < 2:
        raise NotSequential(
            "assign",
            "there is one agent, so that no assignment can follow the evidence.",
            "Remove `assign`.",
        )
    for name, arm in study.arms.items():
        if set(arm) == agents:
            return name
    raise NotSequential(
        "assign",
        "judges are assigned to agents by an arm, and no arm has the agents"
        f" ({', '.join(sorted(agents))}) as its levels.",
        f"Add `arms: {{agent: [{', '.join(sorted(agents))}]}}`, or remove `assign`.",
    )
