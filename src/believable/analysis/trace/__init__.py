"""`trace`: time-continuous believability, and whether it goes with the final choice."""

from believable.analysis.trace.results import (
    OPTIONS,
    OUTCOMES,
    PROTOCOL,
    ROLES,
    analyse,
    clean,
    main,
    methods,
)

__all__ = ["OPTIONS", "OUTCOMES", "PROTOCOL", "ROLES", "analyse", "clean", "main", "methods"]
