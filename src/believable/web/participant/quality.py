"""What the browser gets of device checks and quality tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from believable.collect.desk import SessionView
from believable.collect.quality import signal_of
from believable.players import SIGNAL
from believable.study.quality import HEARD, WHEEL, parts, tones, warned
from believable.study.records import Device, Qa, Trial

_STYLE = "/static/participant/device.css"


def device_parts(trial: Trial) -> tuple[str, ...]:
    """What the page checks."""
    return parts(trial) if isinstance(trial, Device) else ()


def styles(trial: Trial) -> list[str]:
    if isinstance(trial, Qa):
        return [f"/static/players/{SIGNAL.name}/{SIGNAL.style}"]
    return [_STYLE] if isinstance(trial, Device) else []


def modules(trial: Trial) -> dict[str, str]:
    return {SIGNAL.name: f"/static/players/{SIGNAL.name}/{SIGNAL.module}"} if isinstance(trial, Qa) else {}


def words(trial: Trial, texts: Mapping[str, str]) -> str | None:
    """The built-in text of a quality test."""
    return texts[f"qa.text.{trial.test}"] if isinstance(trial, Qa) else None


def prompt(trial: Trial, texts: Mapping[str, str]) -> str | None:
    return texts[f"qa.prompt.{trial.test}"] if isinstance(trial, Qa) else None


def notice(session: SessionView, texts: Mapping[str, str]) -> str | None:
    """What is said after a quality test that did not go well, where the study wants it said."""
    return texts["qa.warning"] if warned(session.plan, session.closed, session.position) else None


def trial_json(session: SessionView) -> dict[str, Any]:
    """`device`: how many tones to play, now and on later attempts, and whether the wheel is wanted. `signal`: the corners of what
    is shown."""
    trial = session.trial.trial
    if isinstance(trial, Device):
        heard = HEARD in parts(trial)
        attempts = range(session.attempts + 1, max(trial.attempts, session.attempts + 1) + 1)
        count, *later = (tones(session.seed, session.trial.key, one) if heard else None for one in attempts)
        drafts = {part: session.drafts[part] for part in parts(trial) if part in session.drafts}
        return {"device": {"tones": count, "later": later, "wheel": WHEEL in parts(trial)}, "drafts": drafts}
    if isinstance(trial, Qa):
        signal = signal_of(trial)
        corners = [[0, signal.pieces[0].start_level], *([one.end_ms, one.end_level] for one in signal.pieces)]
        return {"signal": {"test": trial.test, "duration_ms": signal.duration_ms, "corners": corners}}
    return {}
