"""The study file of trained agents: conditions are named after the agents, and the texts describe
the clips.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from believable.contracts.protocol import ShownAgents
from believable.protocols.variants import CHANGES, change_study, changes_in

PERSON, STANDIN = "human", "standin_human"
#: The agent of the ready study, which others replace.
READY_AGENT = "navigator"


def person_of(shown: ShownAgents) -> str:
    """The name of the condition of people: scripted replacements are marked as such."""
    return STANDIN if shown.humans is None else PERSON


def settle_study(folder: Path, shown: ShownAgents, pairs: int) -> None:
    """Before there are stimuli: conditions, hypotheses, pages, how many pairs each judge sees."""
    path = folder / "study.yaml"
    person = person_of(shown)
    first, *others = shown.agents
    text = path.read_text("utf-8").replace(f"condition: {READY_AGENT}", f"condition: {first}")
    path.write_text(re.sub(rf"\b{STANDIN}\b", person, text), encoding="utf-8")
    subject = "the stand-in for a person" if shown.humans is None else "people"
    agents = "the agent" if not others else "each agent"
    page: dict[str, Any] = {}
    if others or shown.people_pairs:
        # Whatever two a scenario has: with controls and several agents these are not always the
        # same conditions.
        page["of"] = [{}, {}]
    block: dict[str, Any] = {"each": {"pairs": page}} if page else {}
    if others:
        block["sample"] = pairs + shown.people_pairs + shown.mismatched
    changes: dict[str, Any] = {
        "conditions": [person, *shown.agents],
        "analysis": {
            "hypotheses": {
                "H1": {
                    "text": (
                        f"Judges tell {subject} from {agents}; mean accuracy differs from one half."
                    )
                },
                "H2": {
                    "text": (
                        f"{agents.capitalize()} passes, since the interval of the median accuracy"
                        " contains one half."
                    )
                },
            }
        },
    }
    if block:
        changes["timeline"] = {"trials": block}
    if shown.humans is not None:
        changes["demonstration"] = None
    change_study(path, changes)
    _copy_pages(folder, shown)


def mark_mismatched(folder: Path, scenarios: Sequence[str]) -> None:
    """The analysis receives the pairs of that control."""
    if scenarios:
        change_study(
            folder / "study.yaml", {"analysis": {"options": {"mismatched": list(scenarios)}}}
        )


def _copy_pages(folder: Path, shown: ShownAgents) -> None:
    """Pages of a study of agents, with the changes for people and controls on top."""
    place = Path(__file__).parent / "agent_pages"
    named = {
        "people": shown.humans is not None,
        "mismatched": shown.mismatched > 0,
        "people_pairs": shown.people_pairs > 0,
    }
    for layer in (place, *(place / name for name, chosen in named.items() if chosen)):
        for page in sorted(layer.glob("*.md")):
            shutil.copyfile(page, folder / "pages" / page.name)
        if (layer / CHANGES).is_file():
            change_study(folder / "study.yaml", changes_in(layer / CHANGES))
