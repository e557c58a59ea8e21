"""Which estimates of a multinomial regression are infinite, by all extreme rays of the cone of separating planes.

Rows of small integers, exact in 64 bits. With as many independent columns as there are, the cone {d : a . d >= 0 for
every row and rival} holds no line, so each of its extreme rays is the only direction, but for its sign, that is
orthogonal to some rows whose number is one less than the coordinates. The likelihood rises along the sums of positive
multiples of all rays.
"""

from itertools import combinations

import numpy as np


def rival_rows(X, y, classes, base):
    """For each row and rival class: what the score of its own class minus the rival's is, as a function of d.

    The blocks are those of the classes but the base, with the intercept first.
    """
    X = np.column_stack([np.ones(len(X), int), X])
    rows = []
    for x, own in zip(X, y, strict=True):
        for rival in set(range(classes)) - {own}:
            blocks = np.zeros((classes, X.shape[1]), int)
            blocks[own], blocks[rival] = x, -x
            rows.append(np.delete(blocks, base, axis=0).ravel())
    return np.array(rows)


def determinants(stacks):
    """The determinants of many integer matrices, by their first rows."""
    if stacks.shape[1] == 1:
        return stacks[:, 0, 0]
    columns = range(stacks.shape[1])
    return sum((-1) ** k * stacks[:, 0, k] * determinants(np.delete(stacks[:, 1:], k, axis=2)) for k in columns)


def extreme_rays(rows):
    """The extreme rays of the cone rows . d >= 0, if it holds no line; some more than once."""
    size = rows.shape[1]
    chosen = rows[np.array(list(combinations(range(len(rows)), size - 1)))]
    minors = [(-1) ** k * determinants(np.delete(chosen, k, axis=2)) for k in range(size)]
    lines = np.column_stack(minors)
    lines = np.unique(lines[lines.any(axis=1)], axis=0)
    both = np.concatenate([lines, -lines])
    return both[(both @ rows.T >= 0).all(axis=1)]


def verdicts(X, y, classes=3, base=0):
    """The kind of each coefficient, block after block with the intercept first; and whether there is a ray."""
    rows = rival_rows(X, y, classes, base)
    rays = extreme_rays(rows)
    return [kind_of(values) for values in rays.T.tolist()], len(rays) > 0


def kind_of(values):
    """What the values of one coordinate on all rays say about its estimate."""
    up, down = any(value > 0 for value in values), any(value < 0 for value in values)
    return {(False, False): "finite", (True, False): "+inf", (False, True): "-inf", (True, True): "any"}[up, down]
