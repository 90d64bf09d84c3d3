"""How places look: what walls, floors, ceilings and lamps go together. All names are in
Freedoom.
"""

from __future__ import annotations

from dataclasses import dataclass

from believable.worlds.doom.floor_plan import SKY


@dataclass(frozen=True, slots=True, kw_only=True)
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
        name="hangar",
        wall="STARTAN3",
        accent="COMPUTE1",
        floor="FLOOR4_8",
        rim="FLOOR5_1",
        ceiling="CEIL5_1",
        riser="STEP6",
        glow="TLITE6_5",
        lamp=FLOOR_LAMP,
        light=216,
    ),
    RoomTheme(
        name="laboratory",
        wall="TEKGREN2",
        accent="COMPSTA1",
        floor="FLAT14",
        rim="FLOOR1_1",
        ceiling="CEIL3_5",
        riser="STEP1",
        glow="TLITE6_1",
        lamp=TECH_LAMP,
        light=208,
    ),
    RoomTheme(
        name="vault",
        wall="STONE2",
        accent="GSTLION",
        floor="FLAT1",
        rim="FLAT5_4",
        ceiling="CEIL3_3",
        riser="STEP5",
        glow="FLAT22",
        lamp=BLUE_TORCH,
        light=176,
    ),
    RoomTheme(
        name="cellar",
        wall="BRICK7",
        accent="BRICKLIT",
        floor="FLOOR0_1",
        rim="FLAT5_2",
        ceiling="FLAT5_1",
        riser="STEP3",
        glow="CEIL1_2",
        lamp=RED_TORCH,
        light=168,
    ),
    RoomTheme(
        name="foundry",
        wall="METAL2",
        accent="SUPPORT3",
        floor="FLAT4",
        rim="FLAT23",
        ceiling="CEIL5_2",
        riser="STEP4",
        glow="TLITE6_6",
        lamp=SHORT_LAMP,
        light=184,
    ),
    RoomTheme(
        name="chapel",
        wall="MARBLE2",
        accent="MARBFACE",
        floor="FLOOR7_2",
        rim="DEM1_6",
        ceiling="FLOOR6_2",
        riser="MARBLE1",
        glow="TLITE6_5",
        lamp=GREEN_TORCH,
        light=184,
    ),
    RoomTheme(
        name="library",
        wall="PANEL6",
        accent="PANBOOK",
        floor="FLAT5_1",
        rim="FLAT5_2",
        ceiling="CEIL1_1",
        riser="STEP3",
        glow="CEIL1_2",
        lamp=CANDELABRA,
        light=184,
    ),
    RoomTheme(
        name="depot",
        wall="BROWN1",
        accent="CRATE1",
        floor="FLOOR3_3",
        rim="FLOOR0_3",
        ceiling="CEIL4_2",
        riser="STEP2",
        glow="TLITE6_4",
        lamp=TECH_LAMP,
        light=192,
    ),
    RoomTheme(
        name="cistern",
        wall="GRAY7",
        accent="GRAYBIG",
        floor="FLAT20",
        rim="FLOOR0_6",
        ceiling="CEIL4_1",
        riser="STEP4",
        glow="FLAT2",
        lamp=FLOOR_LAMP,
        light=192,
    ),
)
OPEN_AIR = (
    RoomTheme(
        name="meadow",
        wall="ROCK4",
        accent="SP_ROCK1",
        floor="GRASS1",
        rim="RROCK19",
        ceiling=SKY,
        riser="ASHWALL7",
        glow=SKY,
        lamp=BIG_TREE,
        light=232,
    ),
    RoomTheme(
        name="courtyard",
        wall="BIGBRIK1",
        accent="BIGBRIK2",
        floor="FLOOR5_4",
        rim="RROCK10",
        ceiling=SKY,
        riser="STEP5",
        glow=SKY,
        lamp=DEAD_TREE,
        light=232,
    ),
    RoomTheme(
        name="quarry",
        wall="ASHWALL4",
        accent="ROCK5",
        floor="RROCK13",
        rim="RROCK16",
        ceiling=SKY,
        riser="ROCKRED1",
        glow=SKY,
        lamp=FIRE_BARREL,
        light=224,
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
