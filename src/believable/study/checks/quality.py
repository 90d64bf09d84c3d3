"""Checks of devices and quality tests: they test something, and gates that can never act are named."""

from __future__ import annotations

from believable.study.outline import outline
from believable.study.read import Reading
from believable.study.records import Device, Qa


def check_quality(reading: Reading) -> None:
    tests = []
    for entry in outline(reading.study.timeline):
        place = reading.place(entry.item)
        if reading.broken(place.path):
            continue
        if isinstance(entry.item, Device) and not (entry.item.wheel or entry.item.headphones):
            cure = "Ask for the wheel, the headphones or both; or remove it."
            reading.report(place, "the device check checks nothing.", cure)
        if isinstance(entry.item, Qa):
            tests.append(entry.item)
    for test in tests[:-1]:
        idle = test.gate != "record" and tests[-1].gate == "record" and test.skip_if is None
        if idle and tests[-1].skip_if is None:
            node = reading.place(test).get("gate") or reading.place(test)
            message = f"gate {test.gate} never acts: the gate of the last quality test is record."
            cure = "Write it at the last quality test."
            reading.report(node, message, cure, severity="warning")
