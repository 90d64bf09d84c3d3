"""A small story, so that the world works without a file: a key, a locked chest, a lamp."""

from __future__ import annotations

from collections.abc import Sequence

from believable.worlds.story.text_environment import StoryAnswer

_WAYS = {
    "hall": {"north": "garden", "east": "kitchen", "up": "attic"},
    "garden": {"south": "hall"},
    "kitchen": {"west": "hall"},
    "attic": {"down": "hall"},
}
_LOOKS = {
    "hall": "You are in the hall of a small house. Doors lead north and east, a ladder up.",
    "garden": "You are in the garden. The hall is south.",
    "kitchen": "You are in the kitchen. The hall is west.",
    "attic": "You are in the attic. A chest is here. The ladder leads down.",
}
_THINGS = {"lamp": "hall", "key": "garden", "bread": "kitchen"}
_CARRIED, _DARK = "", "It is too dark to see anything. The ladder leads down."
_SHORT = {"n": "north", "s": "south", "e": "east", "w": "west", "u": "up", "d": "down"}
_UNKNOWN = "You do not know how to do that."


class LittleHouse:
    """Take the lamp and the key, and unlock the chest in the attic. Each of the three earns a
    point."""

    def __init__(self) -> None:
        self._room = "hall"
        self._things = dict(_THINGS)
        self._earned: set[str] = set()

    def reset(self, seed: int) -> StoryAnswer:
        self.__init__()  # type: ignore[misc]
        return StoryAnswer(text=self._look(), score=0, over=False, commands=self._commands())

    def step(self, command: str) -> StoryAnswer:
        words = [_SHORT.get(word, word) for word in command.lower().split() if word != "the"]
        verb, thing = (words[0] if words else ""), words[-1] if words else ""
        if verb == "go":
            verb = thing
        text = self._do(verb, thing)
        over = "chest" in self._earned
        return StoryAnswer(
            text=text, score=len(self._earned), over=over, commands=() if over else self._commands()
        )

    def close(self) -> None:
        """Nothing is held."""

    def _do(self, verb: str, thing: str) -> str:
        if verb in _WAYS[self._room]:
            self._room = _WAYS[self._room][verb]
            return self._look()
        if verb == "look":
            return self._look()
        if verb == "inventory":
            carried = [name for name, place in self._things.items() if place == _CARRIED]
            return f"You carry: {', '.join(carried) or 'nothing'}."
        if verb == "take":
            return self._take(thing)
        if verb in ("unlock", "open") and thing == "chest":
            return self._unlock()
        return "You cannot go there." if verb in _SHORT.values() else _UNKNOWN

    def _take(self, thing: str) -> str:
        if self._things.get(thing) != self._room or not self._lit:
            return "You see no such thing here."
        self._things[thing] = _CARRIED
        if thing in ("lamp", "key"):
            self._earned.add(thing)
        return f"You take the {thing}."

    def _unlock(self) -> str:
        if self._room != "attic" or not self._lit:
            return "You see no such thing here."
        if self._things["key"] != _CARRIED:
            return "The chest is locked."
        self._earned.add("chest")
        return "The key turns. In the chest is a letter with your name on it. You have won."

    @property
    def _lit(self) -> bool:
        return self._room != "attic" or self._things["lamp"] == _CARRIED

    def _look(self) -> str:
        if not self._lit:
            return _DARK
        here = [name for name, place in self._things.items() if place == self._room]
        return " ".join([_LOOKS[self._room], *(f"A {name} is here." for name in here)])

    def _commands(self) -> Sequence[str]:
        here = [name for name, place in self._things.items() if place == self._room and self._lit]
        chest = ["unlock chest"] if self._room == "attic" and self._lit else []
        return ("look", "inventory", *_WAYS[self._room], *(f"take {name}" for name in here), *chest)
