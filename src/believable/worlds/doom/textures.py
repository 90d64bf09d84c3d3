"""How places look: what walls, floors, ceilings and lamps go together. All names are in
Freedoom.
"""

from __future__ import annotations

from dataclasses import dataclass

from believable.worlds.doom.floor_plan import SKY


@dataclass(frozen=True, slots=True)
class RoomTheme:
    """The looks of a room. `accent` is a second wall, `rim` the floor along the walls, `lamp` the
    thing in corners by its number, `glow` the lights in the ceiling.
    """

    name: str
    wall: str
    accent: str
    floor: str
    rim: str
    ceiling: str
    riser: str
    glow: str
    lamp: int
    light: int

    @property
    def open_air(self) -> bool:
        return self.ceiling == SKY


TECH_LAMP, SHORT_LAMP, FLOOR_LAMP, CANDELABRA = 85, 86, 2028, 35
BLUE_TORCH, GREEN_TORCH, RED_TORCH, FIRE_BARREL = 44, 45, 46, 70
GREEN_PILLAR, RED_PILLAR, HEART_PILLAR, SKULL_PILLAR, TECH_PILLAR = 30, 32, 36, 37, 48
EVIL_EYE, FLOATING_SKULL, DEAD_TREE, BIG_TREE, STALAGMITE = 41, 42, 43, 54, 47

INDOOR = (
    RoomTheme(
        "hangar",
        "STARTAN3",
        "COMPUTE1",
        "FLOOR4_8",
        "FLOOR5_1",
        "CEIL5_1",
        "STEP6",
        "TLITE6_5",
        FLOOR_LAMP,
        216,
    ),
    RoomTheme(
        "laboratory",
        "TEKGREN2",
        "COMPSTA1",
        "FLAT14",
        "FLOOR1_1",
        "CEIL3_5",
        "STEP1",
        "TLITE6_1",
        TECH_LAMP,
        208,
    ),
    RoomTheme(
        "vault",
        "STONE2",
        "GSTLION",
        "FLAT1",
        "FLAT5_4",
        "CEIL3_3",
        "STEP5",
        "FLAT22",
        BLUE_TORCH,
        176,
    ),
    RoomTheme(
        "cellar",
        "BRICK7",
        "BRICKLIT",
        "FLOOR0_1",
        "FLAT5_2",
        "FLAT5_1",
        "STEP3",
        "CEIL1_2",
        RED_TORCH,
        168,
    ),
    RoomTheme(
        "foundry",
        "METAL2",
        "SUPPORT3",
        "FLAT4",
        "FLAT23",
        "CEIL5_2",
        "STEP4",
        "TLITE6_6",
        SHORT_LAMP,
        184,
    ),
    RoomTheme(
        "chapel",
        "MARBLE2",
        "MARBFACE",
        "FLOOR7_2",
        "DEM1_6",
        "FLOOR6_2",
        "MARBLE1",
        "TLITE6_5",
        GREEN_TORCH,
        184,
    ),
    RoomTheme(
        "library",
        "PANEL6",
        "PANBOOK",
        "FLAT5_1",
        "FLAT5_2",
        "CEIL1_1",
        "STEP3",
        "CEIL1_2",
        CANDELABRA,
        184,
    ),
    RoomTheme(
        "depot",
        "BROWN1",
        "CRATE1",
        "FLOOR3_3",
        "FLOOR0_3",
        "CEIL4_2",
        "STEP2",
        "TLITE6_4",
        TECH_LAMP,
        192,
    ),
    RoomTheme(
        "cistern",
        "GRAY7",
        "GRAYBIG",
        "FLAT20",
        "FLOOR0_6",
        "CEIL4_1",
        "STEP4",
        "FLAT2",
        FLOOR_LAMP,
        192,
    ),
)
OPEN_AIR = (
    RoomTheme(
        "meadow", "ROCK4", "SP_ROCK1", "GRASS1", "RROCK19", SKY, "ASHWALL7", SKY, BIG_TREE, 232
    ),
    RoomTheme(
        "courtyard",
        "BIGBRIK1",
        "BIGBRIK2",
        "FLOOR5_4",
        "RROCK10",
        SKY,
        "STEP5",
        SKY,
        DEAD_TREE,
        232,
    ),
    RoomTheme(
        "quarry", "ASHWALL4", "ROCK5", "RROCK13", "RROCK16", SKY, "ROCKRED1", SKY, FIRE_BARREL, 224
    ),
)
#: Things by which a room is known again, each used once.
LANDMARKS = (
    GREEN_PILLAR,
    RED_PILLAR,
    HEART_PILLAR,
    SKULL_PILLAR,
    TECH_PILLAR,
    EVIL_EYE,
    FLOATING_SKULL,
    BIG_TREE,
    BLUE_TORCH,
    GREEN_TORCH,
    RED_TORCH,
    FIRE_BARREL,
    TECH_LAMP,
    CANDELABRA,
    DEAD_TREE,
    STALAGMITE,
    FLOOR_LAMP,
    31,
    33,
    2035,
)
#: What lies at the bottom of pits.
DEPTHS = ("LAVA1", "NUKAGE1", "BLOOD1", "SLIME01")
