"""Whose sessions a page shows: those that were asked for, else people, or simulated ones as long as nobody has come."""

from __future__ import annotations

from collections.abc import Iterable

from believable.core.errors import InvalidInput
from believable.store import monitor
from believable.web.console.desk import Visit


async def pool_to_show(visit: Visit, study: str, allowed: Iterable[str]) -> str:
    """`real`, `simulated` or `preview`. A pool named in the address or the form is taken as it is."""
    names = tuple(allowed)
    asked = visit.query("pool") or visit.form.get("pool", "")
    if asked:
        if asked not in names:
            raise InvalidInput(f"pool: expected {' or '.join(names)}, got {asked[:20]!r}. Use the page's tabs.")
        return asked
    sizes = await visit.read(lambda conn: monitor.pool_sizes(conn, study))
    return "simulated" if sizes["simulated"] and not sizes["real"] else "real"
