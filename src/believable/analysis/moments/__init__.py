"""Where the moment is: traces, flags, actions and plan of each stimulus on one time line."""

from believable.analysis.moments.timeline import moments

__all__ = ["moments"]
