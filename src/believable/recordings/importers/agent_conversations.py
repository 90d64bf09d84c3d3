"""Read the conversations of translated forks of Generative Agents: one text per simulated step,
with several conversations in it.

A fork writes each conversation as a heading with its place, an empty line, and one line per
utterance:

    地点：Hobbs Cafe，counter

    Maria Lopez：Hello.
    Klaus Mueller：Hi,
    nice to see you.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

#: (speaker, text) of each utterance.
Lines = tuple[tuple[str, str], ...]

_COLON = re.compile("[:：]")


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation: the place that its heading names (empty if it has none) and its
    utterances.
    """

    place: str
    lines: Lines

    @property
    def speakers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(speaker for speaker, _ in self.lines))


@dataclass(frozen=True, slots=True)
class StepText:
    """The text of one step: its conversations, and the lines that belong to no speaker."""

    conversations: tuple[Conversation, ...]
    unassigned: tuple[str, ...]


def split_utterance(line: str, names: Sequence[str]) -> tuple[str, str] | None:
    """Return (speaker, text) if the line begins with the name of a person and a colon."""
    if colon := _COLON.search(line):
        speaker = line[: colon.start()].strip()
        if speaker in names:
            return speaker, line[colon.end() :].strip()
    return None


def split_conversations(text: str, names: Sequence[str]) -> StepText:
    """Split the text of a step at its headings.

    A line with a colon that names no person is a heading if it follows an empty line or begins the
    text. Any other line without a speaker continues the utterance before it. A line that neither is
    a heading nor follows an utterance is unassigned.
    """
    conversations: list[Conversation] = []
    unassigned: list[str] = []
    place, lines, is_open = "", list[tuple[str, str]](), False

    def close() -> None:
        if lines:
            conversations.append(Conversation(place, tuple(lines)))
        elif is_open:
            unassigned.append(place)

    after_gap = True
    for line in (raw.strip() for raw in text.splitlines()):
        if not line:
            after_gap = True
            continue
        utterance = split_utterance(line, names)
        if utterance is not None:
            lines.append(utterance)
        elif after_gap and _COLON.search(line):
            close()
            place, lines, is_open = _COLON.split(line, maxsplit=1)[1].strip(), [], True
        elif lines:
            speaker, said = lines[-1]
            lines[-1] = speaker, f"{said}\n{line}"
        else:
            unassigned.append(line)
        after_gap = False
    close()
    return StepText(tuple(conversations), tuple(unassigned))


def schedule_conversations(
    conversations: Sequence[Conversation], frames: int
) -> Iterator[tuple[Conversation, range]]:
    """Yield each conversation with its frames within a step.

    Conversations of different people take place at the same time. A conversation begins after every
    earlier one that shares a speaker with it, so no speaker is in two at once.
    """
    slots: list[int] = []
    for conversation in conversations:
        earlier = [
            slot + 1
            for slot, other in zip(slots, conversations, strict=False)
            if set(other.speakers) & set(conversation.speakers)
        ]
        slots.append(max(earlier, default=0))
    count = max(slots, default=0) + 1
    for conversation, slot in zip(conversations, slots, strict=True):
        yield conversation, range(frames * slot // count, frames * (slot + 1) // count)
