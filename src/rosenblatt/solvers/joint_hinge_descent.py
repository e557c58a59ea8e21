"""Coordinate descent on the dual of the joint hinge, for many columns: the shares of one row at a time.

A visit moves the shares of a row to their optimum, with those of all other rows fixed (Crammer and Singer, JMLR 2001;
Keerthi et al., KDD 2008). A free offset is penalised by its distance from a centre, which follows it after each pass.
Rows that their own class wins by far are left out until the others have converged.
"""

from collections.abc import Callable

import numpy as np

from .. import _core
from ..engine.resume import NO_BOOKMARK, Bookmark, Tree
from .joint_hinge_proof import JointHingeProof
from .newton.joint_hinge_objective import JointHinge

SLICE_VALUES = 1 << 22  # stored values times classes that a slice visits
SAVED = (
    *("z", "shares", "centres", "list", "violation", "position", "steps", "row_visits", "seen_gap", "reactivate_below"),
    *("primal", "dual", "best"),
)


class JointHingeDescent(JointHingeProof):
    """A joint hinge problem that is solved by passes over the rows. The bits do not depend on the slices.

    >>> from rosenblatt.foundation.matrices import as_rows
    >>> from rosenblatt.engine.class_problems import whole_problem
    >>> problem = whole_problem(np.array([0, 1, 2], dtype=np.int32), classes=3)
    >>> solver = JointHingeDescent(JointHinge(as_rows([[0.0, 1.0], [1.0, 0.0], [-1.0, -1.0]]), problem, C=10.0))
    >>> solver.minimise(1e-9, 1000)
    'gap'
    >>> solver.best[:6].reshape(3, 2).round(3).tolist()
    [[-0.333, 0.667], [0.667, -0.333], [-0.333, -0.333]]
    """

    unit = "epoch"  # of its steps
    position: int  # visits of the pass under way
    seen_gap: float  # the share of these visits in the gap

    def __init__(self, objective: JointHinge) -> None:
        super().__init__(objective)
        rows, codes = objective.rows, objective.labels.codes
        assert codes is not None
        self.z = np.zeros(objective.size)
        self.shares = np.zeros(rows.count * objective.planes)
        self.shares[np.arange(rows.count) * objective.planes + codes] = 1.0
        self.centres = np.zeros(objective.planes)  # of free offsets
        self.steps = self.row_visits = 0  # passes, and visits of rows in them
        self.reactivate_below = 1.0  # rows that were left out return after a pass with no wider violation
        self._start_pass(self._all_rows())

    @property
    def visits(self) -> int:
        return self.row_visits + self.objective.passes * self.objective.rows.count

    @property
    def epochs(self) -> int:
        return -(-self.row_visits // max(self.objective.rows.count, 1))

    def minimise(
        self, tol: float, max_iter: int, pause: Callable[[], None] = lambda: None, bookmark: Bookmark = NO_BOOKMARK
    ) -> str:
        """Passes until the gap is at most tol times the objective, or until max_iter epochs: "gap" or "max_iter"."""
        saved = bookmark.take()
        if saved is not None:
            self.objective.passes = saved["passes"]
            for name in SAVED:
                setattr(self, name, saved[name])
        while self.gap > tol * self.primal:
            pause()
            bookmark.save_if_due(self._saved, lambda: self.objective.passes, step=self.position == 0)
            if self.epochs >= max_iter:
                return "max_iter"
            self._visit_slice()
            if self.position == len(self.list):
                self._end_pass(tol)
        return "gap"

    def prove(self) -> None:
        self.compare(self.z, self.shares)

    def _visit_slice(self) -> None:
        objective = self.objective
        values = max(objective.rows.stored_values * objective.planes // max(objective.rows.count, 1), 1)
        part = slice(self.position, min(self.position + max(SLICE_VALUES // values, 1), len(self.list)))
        self.seen_gap += _core.joint_hinge_descent(
            objective.problem, objective.factor, self.list[part], self.z, self.shares, self.violation[part]
        )
        self.row_visits += part.stop - part.start
        self.position = part.stop

    def _end_pass(self, tol: float) -> None:
        """Follow free offsets, choose the rows of the next pass, and prove the gap if it seems to be small."""
        objective, everything = self.objective, len(self.list) == len(self._all_rows())
        self.steps += 1
        if objective.offset_value and not objective.penalize_offset:
            offsets = self.z[-objective.planes :]
            residual = offsets - self.centres
            self.centres = offsets.copy()
            offsets += residual
        if everything and (self.seen_gap <= 1.5 * tol * self.primal or self.steps % 16 == 1):
            self.prove()
        widest = float(self.violation.max(initial=0.0))
        if widest <= self.reactivate_below or self.steps % 16 == 0:
            self.reactivate_below *= 0.3 if everything else 1.0
            self._start_pass(self._all_rows())
        else:
            self._start_pass(np.sort(self.list[self.violation > -widest]))

    def _start_pass(self, rows: "np.ndarray[tuple[int], np.dtype[np.uint32]]") -> None:
        self.list = np.random.default_rng(self.steps).permutation(rows)
        self.violation = np.zeros(len(self.list))
        self.position, self.seen_gap = 0, 0.0

    def _all_rows(self) -> "np.ndarray[tuple[int], np.dtype[np.uint32]]":
        """The rows that have a weight."""
        weights, count = self.objective.weights, self.objective.rows.count
        rows = np.arange(count) if weights is None else np.flatnonzero(weights > 0)
        return rows.astype(np.uint32)

    def _saved(self) -> Tree:
        """The tree of a checkpoint. Its keys are part of the file format."""
        return {"passes": self.objective.passes, **{name: getattr(self, name) for name in SAVED}}
