"""How simulated people behave whatever the study is about: the one source for `believable power`
and `believable simulate`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Conduct:
    """How people behave whatever the study is about.

    drop_out   share who leave somewhere before the end
    careless   share who do not pay attention: they get checks wrong and answer at random
    hasty      share who rush through in a fraction of the time
    """

    drop_out: float = 0.12
    careless: float = 0.06
    hasty: float = 0.03

    @property
    def care(self) -> float:
        """Share who pay attention."""
        return 1 - self.careless


#: The assumptions of `believable power` and `believable simulate` by default.
CONDUCT = Conduct()
