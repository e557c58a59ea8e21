"""The loss of each row by its scores: what a training that did not see these rows costs on them."""

import numpy as np

from ...foundation.types import Codes, Floats
from ...parts.losses import LOSSES


def row_losses(loss: str, scores: Floats, codes: Codes, joint: bool) -> Floats:
    """The loss that training minimises, row by row: of one-vs-rest planes the sum of theirs.

    >>> row_losses("hinge", np.array([[0.5], [0.5]]), np.array([1, 0], np.int32), joint=False).tolist()
    [0.5, 1.5]
    >>> scores = np.array([[2.0, 1.5, 0.0]])
    >>> [row_losses("hinge", scores, np.array([0], np.int32), joint).tolist() for joint in (True, False)]
    [[0.5], [3.5]]
    """
    every, value = np.arange(len(codes)), LOSSES[loss].value
    if scores.shape[1] == 1:
        return value(np.where(codes == 1, scores[:, 0], -scores[:, 0]))
    if not joint:
        own = np.arange(scores.shape[1]) == codes[:, np.newaxis]
        total: Floats = value(np.where(own, scores, -scores)).sum(axis=1)
        return total
    if loss == "logistic":
        softmax: Floats = np.logaddexp.reduce(scores, axis=1) - scores[every, codes]
        return softmax
    rivals = scores.copy()
    rivals[every, codes] = -np.inf
    return value(scores[every, codes] - rivals.max(axis=1))
