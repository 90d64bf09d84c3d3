"""The people of the town of a seed, with homes, work, relations and habits."""

from __future__ import annotations

import functools
from dataclasses import replace

from believable.core.errors import InvalidInput
from believable.core.seeds import generator
from believable.worlds.town.layout import HOMES, data_of, town_map
from believable.worlds.town.mind import Habit, Persona

FEWEST, MOST = 2, 8
#: The seed shifts the day of each person by at most this.
SHIFT_MINUTES = 15


@functools.lru_cache(maxsize=32)
def townsfolk(seed: int, people: int, town: str = "market") -> tuple[Persona, ...]:
    """Return the people, two to a house. Homes, relations and hours follow from the seed."""
    if not FEWEST <= people <= MOST:
        raise InvalidInput(
            f"people: the town has room for {FEWEST} to {MOST}, got {people}. Choose a number"
            " between."
        )
    rng = generator(seed, "people")
    rows = data_of(town, "townsfolk.yaml")[:people]
    order = list(range(people))
    rng.shuffle(order)
    layout = town_map(seed, town)
    homes = {rows[who]["id"]: place // 2 % HOMES for place, who in enumerate(order)}
    beds = {rows[who]["id"]: place % 2 for place, who in enumerate(order)}
    folk = []
    for row in rows:
        home = f"home{homes[row['id']] + 1}"
        shift = rng.randrange(-SHIFT_MINUTES, SHIFT_MINUTES + 1, 5)
        persona = Persona(
            id=row["id"],
            name=row["name"],
            age=row["age"],
            role=row["role"],
            about=row["about"],
            home=home,
            bed=layout.fixtures_of("bed", building=home)[beds[row["id"]]].id,
            workplace=row["workplace"],
            work_from=row["work"][0],
            work_to=row["work"][1],
            wakes=row["wakes"] + shift,
            sleeps=row["sleeps"] + shift,
            money=float(row["money"]),
            relations={},
            habits=tuple(
                Habit(name, minute + shift, minutes) for name, minute, minutes in row["habits"]
            ),
        )
        folk.append(persona)
    return tuple(replace(persona, relations=_relations(persona, folk, seed)) for persona in folk)


def _relations(persona: Persona, folk: list[Persona], seed: int) -> dict[str, str]:
    relations = {}
    for other in folk:
        if other.id == persona.id:
            continue
        pair = "-".join(sorted((persona.id, other.id)))
        if other.home == persona.home:
            relations[other.id] = "housemate"
        elif other.workplace == persona.workplace:
            relations[other.id] = "colleague"
        else:
            relations[other.id] = generator(seed, "relation", pair).choice(
                ("friend", "neighbour", "neighbour")
            )
    return relations
