"""`moods`: how do people feel?"""

from __future__ import annotations

from believable.contracts.protocol import Declaration, Outcome, Protocol, Role
from believable.core.citation import Citation

DECLARATION = Declaration(
    name="moods",
    about="People choose a face; the share of glad ones.",
    roles=(
        Role(
            name="face",
            about="The face chosen.",
            defaults=("mood.face", "face"),
            required=True,
            kinds=("smiley",),
        ),
    ),
    outcomes=(
        Outcome(name="glad", title="Glad people", about="Share of people who chose the glad face."),
    ),
    options=(),
)

MOODS = Protocol(
    name="moods",
    about="One question with three faces. Less than a minute.",
    learn="How many people are glad.",
    package=__name__,
    version=1,
    declaration=DECLARATION,
    cites=(
        Citation(
            key="acme", title="The moods protocol", note="Not published: it exists for tests."
        ),
    ),
)
