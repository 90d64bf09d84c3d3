"""Plant the faults that no test noticed once, each at a place where data turn into a claim.

    python -m tests.mutants.named

A fault is a file, a piece of its text, the text put in its place, and the tests that must fail.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.run import copy_checkout, first_failure


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedFault:
    about: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def plant(self, copy: Path) -> Path:
        """Change the file in a copy of the checkout."""
        target = copy / "src" / "believable" / self.file
        text = target.read_text("utf-8")
        if text.count(self.old) != 1:
            raise SystemExit(f"{self.file}: expected {self.old!r} once, update the fault.")
        target.write_text(text.replace(self.old, self.new), "utf-8")
        return target


FAULTS = (
    NamedFault(
        about="another margin in the equivalence test of hntt",
        file="protocols/hntt/agent_verdict.py",
        old="low=chance - margin",
        new="low=chance - 2 * margin",
        tests=("tests/protocols/hntt/test_analysis.py",),
    ),
    NamedFault(
        about="clips are not resampled",
        file="protocols/hntt/clip_behaviour.py",
        old="clips = rng.multinomial(columns, np.full(columns, 1 / columns), size=resamples)",
        new="clips = np.ones((resamples, columns))",
        tests=("tests/protocols/hntt/test_clip_behaviour.py",),
    ),
    NamedFault(
        about="the numeric choice 1 is not read",
        file="analysis/shown_pairs.py",
        old="    side[answers.number == 1] = 1\n",
        new="",
        tests=("tests/protocols/hntt/test_navigation_judgements.py",),
    ),
    NamedFault(
        about="the factor of strafing is inverted",
        file="worlds/doom/navigation/declarations.py",
        old="vx += forward * cos + right * sin * STRAFE / RUN",
        new="vx += forward * cos + right * sin * RUN / STRAFE",
        tests=("tests/worlds/doom/navigation/test_navigation_agents.py",),
    ),
    NamedFault(
        about="anything said earlier counts as an answer",
        file="worlds/town/rule_checker/action_checks.py",
        old="abs(said.t0_ms - action.t0_ms) <= ANSWER_MS",
        new="said.t0_ms - action.t0_ms <= ANSWER_MS",
        tests=("tests/worlds/town/test_rule_checker.py",),
    ),
    NamedFault(
        about="goods that are put back stay unpaid",
        file="worlds/town/rule_checker/action_checks.py",
        old="max(0, person.unpaid[thing] - 1)",
        new="person.unpaid[thing]",
        tests=("tests/worlds/town/test_rule_checker.py",),
    ),
    NamedFault(
        about="pages are kept without their language",
        file="web/participant/session.py",
        old="            view.definition.hash,\n            view.language,\n            scripts,",
        new="            view.definition.hash,\n            scripts,",
        tests=("tests/web/participant/test_session.py",),
    ),
    NamedFault(
        about="the allowance of inputs grows without limit",
        file="web/participant/round_course.py",
        old="min(self._at_once, self._left + (now_s - self._since_s) * self._per_s)",
        new="(self._left + (now_s - self._since_s) * self._per_s)",
        tests=("tests/web/participant/test_input_allowance.py",),
    ),
    NamedFault(
        about="a later commit hides that deleted data have to be scrubbed",
        file="store/writer.py",
        old="self._unscrubbed |= bool",
        new="self._unscrubbed = bool",
        tests=("tests/store/test_erase.py",),
    ),
)


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    missed = []
    with tempfile.TemporaryDirectory(prefix="named-mutants-") as folder:
        copy = copy_checkout(Path(folder))
        for fault in FAULTS:
            before = (copy / "src" / "believable" / fault.file).read_text("utf-8")
            target = fault.plant(copy)
            by = first_failure(copy, fault.tests)
            target.write_text(before, "utf-8")
            print(
                f"{'noticed ' if by else 'SURVIVED'} {fault.about}{f' by {by}' if by else ''}",
                flush=True,
            )
            missed += [] if by else [fault.about]
    print(f"{len(FAULTS) - len(missed)} of {len(FAULTS)} noticed")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
