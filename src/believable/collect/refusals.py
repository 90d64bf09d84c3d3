"""Why somebody may not take part, now or at all: a code for the page, words for the log."""

from __future__ import annotations

from typing import Literal, TypeAlias

from believable.core.errors import Refused

Reason: TypeAlias = Literal[
    "closed", "paused", "full", "taken", "used", "desktop", "identity", "resume", "withdrawn"
]

_WORDS: dict[Reason, str] = {
    "closed": "this study is closed.",
    "paused": "this study is paused. Try the same link again later.",
    "full": "this study has enough participants.",
    "taken": "this participant has taken part already.",
    "used": "this personal link has been used. Continue with the link of the session itself.",
    "desktop": "this study needs a desktop or laptop computer. Open the link there.",
    "identity": "the link lacks the recruiter's participant id. Enter through the recruiting platform.",
    "resume": "this study does not allow a session to be continued once it was left.",
    "withdrawn": "this session was withdrawn and everything of it deleted.",
}


class Refusal(Refused):
    """`code` chooses the page's words (`refused.<code>.title` and `.text`)."""

    def __init__(self, code: Reason) -> None:
        super().__init__(_WORDS[code])
        self.code = code
