"""How steep the hinge is at weights 0, where a free offset leaves the rows of the larger class a choice.

With all weights 0 the best offset puts the rows of the larger class on the hinge's corner, where each may push with any
share of its weight, if only both classes push equally. Weights stay 0 as long as some shares leave no column a slope
steeper than the penalty. The best shares solve a linear program: the largest slope is least. Columns join the program
when they are steeper than it knows. Shares that it did not finish still tell a penalty at which all weights are 0.
"""

import numpy as np
import scipy.optimize
import scipy.sparse

from ... import _core
from ...foundation.types import Floats, Mask
from .elastic_net_objective import Columns, ElasticNetObjective
from .elastic_net_proof import balancing_factors

MAX_ENTRIES = 2_000_000  # of the program: rows of the larger class times columns
JOIN = 20  # columns at once
NEAR = 1e-6  # of the slope: the program is solved as far


def hinge_slopes(net: ElasticNetObjective) -> tuple[Floats, float]:
    """The slopes at weights 0, offsets last, for shares that make the largest least; and what all rows push."""
    signs = net.labels.signs
    assert signs is not None
    pulls = np.ones(net.count) if net.weights is None else net.weights.copy()
    if not net.offset_value or net.penalize_offset:
        return _slopes(net, pulls * signs), float(pulls.sum())
    alike = pulls * balancing_factors(pulls, signs > 0)
    corner = alike < pulls
    found = _slopes(net, alike * signs)
    if corner.any() and found[:-1].any():
        found = _CornerRows(net, pulls, corner).flattest(found)
    return found, float(alike.sum())


def _slopes(net: ElasticNetObjective, pull: Floats) -> Floats:
    q = np.empty(net.size)
    _core.transpose_product(net.problem, pull, q)
    return q


class _CornerRows:
    """The linear program over the shares of the rows on the corner."""

    def __init__(self, net: ElasticNetObjective, pulls: Floats, corner: Mask) -> None:
        assert net.labels.signs is not None
        self.net, self.signs, self.corner = net, net.labels.signs.astype(np.float64), np.flatnonzero(corner)
        self.most = pulls[self.corner]
        self.others = np.where(corner, 0.0, pulls)

    def flattest(self, slopes: Floats) -> Floats:
        """The slopes of the best shares that were found, from those where all push alike."""
        best, chosen = slopes, np.empty(0, np.uint32)
        while (len(chosen) + JOIN) * len(self.corner) <= MAX_ENTRIES:
            steep = np.argsort(-np.abs(slopes[:-1]), kind="stable")[:JOIN].astype(np.uint32)
            before, chosen = len(chosen), np.union1d(chosen, steep)
            solved = self._solve(chosen) if len(chosen) > before else None
            if solved is None:
                break
            shares, least = solved
            slopes = _slopes(self.net, self._pull(shares))
            best = min(best, slopes, key=_steepest)
            if _steepest(slopes) <= least * (1 + NEAR):
                break
        return best

    def _pull(self, shares: Floats) -> Floats:
        pull = self.others.copy()
        pull[self.corner] = shares
        return pull * self.signs

    def _solve(self, chosen: Columns) -> tuple[Floats, float] | None:
        """What each row on the corner pushes, and the largest slope of these columns; None where there is no answer."""
        total, count = float(self.others.sum()), len(self.corner)
        given = _slopes(self.net, self.others * self.signs)[chosen]
        values = scipy.sparse.csr_array((self._columns(chosen) * self.signs[self.corner, None]).T)
        size = float(np.abs(values.data).max(initial=0.0)) or 1.0
        level = scipy.sparse.csr_array(np.full((len(chosen), 1), -1.0))
        found = scipy.optimize.linprog(
            np.append(np.zeros(count), 1.0),
            A_ub=scipy.sparse.bmat([[values / size, level], [-values / size, level]], format="csr"),
            b_ub=np.concatenate([-given, given]) / size,
            A_eq=np.append(np.ones(count), 0.0)[None],
            b_eq=[total],
            bounds=np.column_stack([np.zeros(count + 1), np.append(self.most, np.inf)]),
            method="highs",
        )
        if found.status != 0:
            return None
        shares = np.clip(found.x[:-1], 0.0, self.most)
        return self._balanced(shares, total), float(found.x[-1]) * size

    def _balanced(self, shares: Floats, total: float) -> Floats:
        """Shares that add up to what the smaller class pushes, which rounding may have changed."""
        pushed = float(shares.sum())
        if pushed > total:
            return shares * (total / pushed)
        room = self.most - shares
        return shares + room * ((total - pushed) / float(room.sum()))

    def _columns(self, chosen: Columns) -> Floats:
        """The numbers of these columns in the rows on the corner."""
        units = np.zeros((len(chosen), self.net.columns))
        units[np.arange(len(chosen)), chosen] = 1.0
        values = _core.scores(self.net.rows, units, np.zeros(len(chosen)), self.net.threads)[0]
        return values.reshape(self.net.count, -1)[self.corner]


def _steepest(slopes: Floats) -> float:
    return float(np.abs(slopes[:-1]).max(initial=0.0))
