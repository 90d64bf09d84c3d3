"""Numbers in, small result records out: agreement, resampling, tests, models, pairs, power,
indices.

Every function is pure. Results carry full precision, an interval, the number of observations and
the name of the method; what cannot be computed is `None` with a reason, never NaN and never a
silent zero.
"""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    """Load a module on first use: `believable.stats.location.wilcoxon(...)` needs no import."""
    path = f"{__name__}.{name}"
    try:
        return import_module(path)
    except ModuleNotFoundError as error:
        if error.name != path:
            raise
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None


def __dir__() -> list[str]:
    return sorted(module.name for module in iter_modules(__path__))
