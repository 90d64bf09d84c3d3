"""The items of a deathmatch, and how they respawn.

The engine keeps an item that was taken as a thing that cannot be seen, and does not say so. Each
kind of item is therefore replaced by one of ours, which differs in one point: while it is away, it
looks straight up.
"""

from __future__ import annotations

#: After this time a taken item is there again.
RESPAWN_S = 30
#: Our kinds of items have the engine's names with this before them.
LYING = "Lying"
#: How far up an item looks while it is away.
HIDDEN_DEG = 90

#: Items by the engine's numbers, with the names it has for them.
ITEMS = {
    2001: "Shotgun",
    82: "SuperShotgun",
    2002: "Chaingun",
    2003: "RocketLauncher",
    2004: "PlasmaRifle",
    2006: "BFG9000",
    2005: "Chainsaw",
    2007: "Clip",
    2008: "Shell",
    2049: "ShellBox",
    2048: "ClipBox",
    2010: "RocketAmmo",
    2046: "RocketBox",
    2047: "Cell",
    17: "CellPack",
    8: "Backpack",
    2011: "Stimpack",
    2012: "Medikit",
    2014: "HealthBonus",
    2015: "ArmorBonus",
    2018: "GreenArmor",
    2019: "BlueArmor",
    2013: "Soulsphere",
    83: "Megasphere",
    2023: "Berserk",
}
NAMES = frozenset(ITEMS.values())
#: On which number a weapon lies.
SLOTS = {
    "Chainsaw": 1,
    "Shotgun": 3,
    "SuperShotgun": 3,
    "Chaingun": 4,
    "RocketLauncher": 5,
    "PlasmaRifle": 6,
    "BFG9000": 7,
}
#: The weapon in hand, by the engine's numbers; two kinds of shotguns share one.
WEAPON_NAMES = {
    1: "Fist",
    2: "Pistol",
    3: "Shotgun",
    4: "Chaingun",
    5: "RocketLauncher",
    6: "PlasmaRifle",
    7: "BFG9000",
}
_TICS_PER_S = 35


def actors_of_items() -> str:
    """Our kinds of items in the engine's language."""
    return "".join(_actor(name) for name in sorted(NAMES))


def _actor(name: str) -> str:
    slot = f"  Weapon.SlotNumber {SLOTS[name]}\n" if name in SLOTS else ""
    return f"""\
actor {LYING}{name} : {name} replaces {name}
{{
{slot}  States
  {{
  HideDoomish:
    TNT1 A 0 A_SetPitch({HIDDEN_DEG})
    TNT1 A {RESPAWN_S * _TICS_PER_S}
    TNT1 A 0 A_SetPitch(0)
    TNT1 A 0 A_RestoreSpecialPosition
    TNT1 A 1 A_RestoreSpecialDoomThing
    Stop
  }}
}}
"""
