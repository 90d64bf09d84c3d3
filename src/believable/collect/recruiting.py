"""Recruiting: reading a participant's identity from a link, and the address to which they are sent
at the end.

Ids are kept as keyed hashes only, so an address that needs them at the end takes them from the
participant's own browser.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from believable.contracts.page_parts import Closing
from believable.contracts.trial import TrialBase
from believable.core.ids import keyed_hash
from believable.study.platforms import PLATFORMS, id_parameter, parameters
from believable.study.records import Recruit

#: The value that MTurk sends while a worker only previews a task.
NOT_ACCEPTED = "ASSIGNMENT_ID_NOT_AVAILABLE"
#: Longer ids are invalid.
MAX_ID_CHARS = 256
#: The only hosts that `turkSubmitTo` may name: anything else would be an open redirect.
MTURK_HOSTS = frozenset({"www.mturk.com", "workersandbox.mturk.com"})

_UNFILLED = re.compile(r"^(\{\{%.*%\}\}|%[A-Z_]+%|\$\{.*\})$")
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


_PROLIFIC = "https://app.prolific.com/submissions/complete?cc={code}"
#: Platform → outcome → address. A SONA site's address is its own, so that it must be written out in
#: the study's `redirect`.
ADDRESSES: Mapping[str, Mapping[str, str]] = {
    "prolific": {"complete": _PROLIFIC, "screened_out": _PROLIFIC, "failed_checks": _PROLIFIC},
    # Connect's completion address approves people, so that only those who completed are sent there.
    "connect": {
        "complete": "https://connect.cloudresearch.com/participant/project/{projectId}/complete"
    },
    "mturk": {
        "complete": "{turkSubmitTo}/mturk/externalSubmit?assignmentId={assignmentId}&code={code}"
    },
}


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity in the link. `hash` is None when it does not say; `previews` when they only
    look.
    """

    hash: str | None
    extra: Mapping[str, str]
    previews: bool = False


def participant_hash(key: bytes, study_id: str, participant_id: str) -> str:
    """How a recruiter's participant id is kept. Another study gives another hash, so people cannot
    be followed.
    """
    return keyed_hash(key, "recruiter", study_id, participant_id.strip())


def extra_hash(key: bytes, study_id: str, parameter: str, value: str) -> str:
    return keyed_hash(key, "recruiter-extra", study_id, parameter, value.strip())


def _any_id(recruit: Recruit, query: Mapping[str, str]) -> str | None:
    """If each person may take part once, the id of any platform counts, even one that the study
    does not name.
    """
    known = (platform.id_parameter for platform in PLATFORMS.values())
    return (
        next((name for name in known if name and name in query), None)
        if recruit.repeats == "refuse"
        else None
    )


def identify(recruit: Recruit, query: Mapping[str, str], *, key: bytes, study_id: str) -> Identity:
    """Read the parameters of a link."""
    if recruit.platform == "mturk" and query.get("assignmentId") == NOT_ACCEPTED:
        return Identity(None, {}, previews=True)
    parameter = id_parameter(recruit) or _any_id(recruit, query)
    value = _value(query, parameter) if parameter else None
    extra = {
        name: extra_hash(key, study_id, name, identifier)
        for name in parameters(recruit)
        if name != parameter and (identifier := _value(query, name)) is not None
    }
    return Identity(None if value is None else participant_hash(key, study_id, value), extra)


def _value(query: Mapping[str, str], parameter: str) -> str | None:
    """An id, unless it is empty, absurdly long, or the platform's own unfilled placeholder."""
    value = query.get(parameter, "").strip()
    return value if value and len(value) <= MAX_ID_CHARS and not _UNFILLED.match(value) else None


def redirect(
    finish: TrialBase, recruit: Recruit, outcome: str, *, code: str | None, query: Mapping[str, str]
) -> str | None:
    """The address to which a participant is sent, or None: if nothing is set for this outcome, or
    if a parameter it needs is not known.
    """
    closing = finish.closing or Closing()
    platform = ADDRESSES.get(closing.platform or "", {})
    template = closing.addresses.get(outcome) or platform.get(outcome)
    if template is None:
        return None
    values = {
        name: identifier
        for name in parameters(recruit)
        if (identifier := _value(query, name)) is not None
    }
    if code is not None:
        values["code"] = code
    submit_to = values.pop("turkSubmitTo", None)
    if submit_to is not None and _is_mturk(submit_to):
        template = template.replace("{turkSubmitTo}", submit_to.rstrip("/"))
    if any(name not in values for name in _PLACEHOLDER.findall(template)):
        return None
    return _PLACEHOLDER.sub(lambda match: quote(values[match[1]], safe=""), template)


def _is_mturk(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme == "https" and parts.netloc in MTURK_HOSTS and parts.path in ("", "/")
