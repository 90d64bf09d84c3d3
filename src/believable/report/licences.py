"""Licences that a released dataset may have, in one sentence each. The licence itself is what its address says."""

from __future__ import annotations

from dataclasses import dataclass

from believable.core.registry import Registry


@dataclass(frozen=True, slots=True)
class Licence:
    """`name` is its SPDX identifier."""

    name: str
    title: str
    address: str
    about: str


LICENCES: Registry[Licence] = Registry(
    "licence",
    (
    Licence(
        "CC-BY-4.0", "Creative Commons Attribution 4.0 International", "https://creativecommons.org/licenses/by/4.0/",
        "Anybody may use, change and share it, also commercially, if they name the source.",
    ),
    Licence(
        "CC0-1.0", "Creative Commons Zero 1.0 Universal", "https://creativecommons.org/publicdomain/zero/1.0/",
        "Anybody may do anything with it; naming the source is good manners, not a duty.",
    ),
    Licence(
        "CC-BY-SA-4.0", "Creative Commons Attribution-ShareAlike 4.0 International",
        "https://creativecommons.org/licenses/by-sa/4.0/",
        "Anybody may use, change and share it if they name the source and share what they make of it alike.",
    ),
    Licence(
        "CC-BY-NC-4.0", "Creative Commons Attribution-NonCommercial 4.0 International",
        "https://creativecommons.org/licenses/by-nc/4.0/",
        "Anybody may use, change and share it for other than commercial purposes if they name the source.",
    ),
    Licence(
        "ODbL-1.0", "Open Data Commons Open Database License 1.0", "https://opendatacommons.org/licenses/odbl/1-0/",
        "Anybody may use, change and share the database if they name the source and keep it open.",
    ),
    ),
)  # fmt: skip


def licence_text(licence: Licence, holders: str) -> str:
    """What stands in the release's LICENSE file."""
    return (
        f"Licence of this dataset and its report: {licence.title} ({licence.name})\n\n"
        f"Rights: {holders}\n\n{licence.about}\n\nThe full and binding text: {licence.address}\n"
    )
