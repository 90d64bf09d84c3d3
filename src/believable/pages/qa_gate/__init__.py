"""Quality tests in front of any study, in one line of its timeline: `- qa_gate`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from believable.contracts.page import PageKind
from believable.contracts.trial import Annotation, TrialBase
from believable.pages.device import Device
from believable.pages.qa import Qa


class QaGate(TrialBase):
    """A device check and the quality tests of annotators, as a gate in front of what follows; one
    line is enough: `- qa_gate`.

    It expands to the trials `ID_device`, `ID_visual` and `ID_auditory` (with the id of the gate,
    `qa_gate` without one). Participants below the threshold on the mean of the tests are screened
    out, unless `gate` says otherwise.
    """

    hidden_keys = frozenset({"kind", "annotate"})
    annotates_with = "ranktrace"

    kind: Literal["qa_gate"] = "qa_gate"
    tests: tuple[Literal["visual", "auditory"], ...] = Field(
        default=("visual", "auditory"), min_length=1
    )
    """Which tests, in this order. The headphones are checked where one is auditory."""
    wheel: bool = True
    """Whether a mouse wheel is needed."""
    duration_s: int = Field(default=60, ge=10, le=600)
    """How long each test takes, in seconds."""
    signal_seed: int = 1
    """The signal of the first test follows from it, of the next one from the next number."""
    gate: Literal["screen_out", "warn", "record"] = "screen_out"
    """A participant below the threshold is screened out, is informed and continues, or just
    continues."""
    threshold: float = Field(default=0.0, ge=-1, le=1)
    """The mean score that is still good enough."""
    annotate: Annotation

    @property
    def stands_for(self) -> tuple[TrialBase, ...]:
        """The gate is that of the last test, at which it acts."""
        sound = "auditory" in self.tests
        device = Device(
            id=f"{self.id}_device", skip_if=self.skip_if, wheel=self.wheel, headphones=sound
        )
        tests = [
            Qa(
                id=f"{self.id}_{test}",
                skip_if=self.skip_if,
                test=test,
                signal_seed=self.signal_seed + number,
                duration_s=self.duration_s,
                gate=self.gate if number == len(self.tests) - 1 else "record",
                threshold=self.threshold,
                annotate=self.annotate,
            )
            for number, test in enumerate(self.tests)
        ]
        return (device, *tests) if device.parts else tuple(tests)


QA_GATE = PageKind(name="qa_gate", record=QaGate, folder=Path(__file__).parent)
