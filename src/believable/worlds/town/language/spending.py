"""Limits on the speed and cost of requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from believable.worlds.town.language.model import ModelRefused, ModelRequest

#: A token of English has about four characters. Assuming fewer never underestimates a prompt.
CHARACTERS_PER_TOKEN = 3


@dataclass(frozen=True, slots=True)
class TokenPrices:
    """In the currency of the spend limit, per million tokens."""

    million_in: float = 0.0
    million_out: float = 0.0

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in * self.million_in + tokens_out * self.million_out) / 1_000_000

    def most(self, request: ModelRequest) -> float:
        """Return the highest possible cost of an answer."""
        return self.cost(len(request.prompt) // CHARACTERS_PER_TOKEN + 50, request.most_tokens)


@dataclass(slots=True)
class SpendLimit:
    """Refuses a request that could exceed the limit."""

    prices: TokenPrices
    limit: float | None
    spent: float = 0.0

    def require(self, request: ModelRequest) -> None:
        most = self.prices.most(request)
        if self.limit is not None and self.spent + most > self.limit:
            raise ModelRefused(
                f"spend limit: {self.spent:.4f} of {self.limit:g} are spent and the next answer may"
                f" cost {most:.4f}. Everything so far is kept: raise --spend-limit and run the same"
                " command again to go on."
            )


class RateLimit:
    """Spreads requests evenly, at most `per_minute`."""

    def __init__(
        self, per_minute: float | None, now_s: Callable[[], float], sleep: Callable[[float], None]
    ) -> None:
        self._interval_s = 60 / per_minute if per_minute else 0.0
        self._now_s, self._sleep = now_s, sleep
        self._next_s = now_s()

    def wait(self) -> None:
        early_s = self._next_s - self._now_s()
        if early_s > 0:
            self._sleep(early_s)
        self._next_s = max(self._now_s(), self._next_s) + self._interval_s
