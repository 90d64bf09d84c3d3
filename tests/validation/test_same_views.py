"""Pictures of the same view are compared, others are not."""

from __future__ import annotations

import numpy as np

from validation.same_views import Views, matched_differences


def test_only_pictures_of_one_place_and_view_are_compared() -> None:
    others = Views(
        place=np.array([[0.0, 0, 0], [0.5, 0, 0], [0.0, 0, 0], [5.0, 0, 0]]),
        yaw=np.array([179.0, -179.0, 90.0, 179.0]),
        light=np.array([10.0, 20.0, 99.0, 99.0]),
        edges=np.array([1.0, 3.0, 9.0, 9.0]),
    )
    own = Views(
        np.array([[0.0, 0, 0], [9.0, 9, 9]]),
        np.array([-180.0, 0.0]),
        np.array([18.0, 7.0]),
        np.array([1.5, 7]),
    )
    # Two are near and look nearly the same way, over the half turn: 18 − 15 and 1.5 − 2. Nobody is
    # near the second picture.
    assert matched_differences(own, others).tolist() == [[3.0, -0.5]]
