"""The optimum with an l1 penalty by a proximal Newton method, with the duality gap as proof.

A step models the smooth part of the objective by its gradient g and Hessian H, and keeps the l1 penalty as it is: it
goes to the minimum of g.d + 1/2 d.H d + l1 ||w + d||_1, as far as the objective falls (Lee, Sun and Saunders, SIAM
Journal on Optimization, 2014; Yuan, Ho and Lin, JMLR 2012). Only some columns take part, the working set: those with a
weight, and those whose gradient shows that a weight would help. One pass over all rows finds the latter, so that most
columns of wide data are never copied.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ... import _core
from ...engine.resume import NO_BOOKMARK, Bookmark, Tree
from ...foundation.errors import TooLarge
from ...foundation.types import Floats
from ..gap_solver import GapSolver
from ..newton.iterate import Iterate
from ..newton.line_search import falls_enough, line_search
from .elastic_net_objective import ElasticNetObjective
from .elastic_net_proof import lower_bound
from .quadratic_step import least_of_model
from .working_columns import WorkingColumns

QUADRATIC_ACCURACY = 1e-3  # of a step: what a single coordinate may still promise beside the square of the last fall
FINAL_SHARE = 0.1  # of the tolerance: a step that promises no more is worth a proof
MAX_STALLS = 3  # so many proofs in a row that rounding keeps from improving are final
HIDDEN_FALL = 1e-12  # of the objective, relative to it: rounding may hide a smaller one
MAX_HIDDEN_RISE = 1e-14  # of the objective, relative to it, that rounding explains
FIRST_DAMPING, MIN_DAMPING = 1e-3, 1e-6
SAVED = ("steps", "damping", "stalls", "fall", "left", "complete", "scores_exact", "primal", "dual", "best")


class ProximalNewton(GapSolver):
    """A problem with an l1 penalty that is solved step by step.

    >>> from rosenblatt.engine.class_problems import whole_problem
    >>> from rosenblatt.foundation.matrices import as_rows
    >>> problem = whole_problem(np.array([0, 0, 1, 1], dtype=np.int32), classes=2)
    >>> rows = as_rows([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]])
    >>> solver = ProximalNewton(ElasticNetObjective(rows, problem, "logistic", np.inf, l1=0.5))
    >>> solver.minimise(1e-9, 100)
    'gap'
    >>> (solver.best[:2] != 0).tolist()
    [True, False]
    """

    objective: ElasticNetObjective
    max_stalls = MAX_STALLS
    _gradient: Floats | None

    def __init__(self, objective: ElasticNetObjective, start: Floats | None = None) -> None:
        self.objective = objective
        z = objective.constant_weights() if start is None else start
        self.working = WorkingColumns(objective)
        self.steps = self.stalls = 0
        self.fall = np.inf  # of the objective, as the last model promised it
        self.left = np.inf  # what may still be there to fall
        self.complete = False  # whether no column outside the working set should join it, as far as known
        self.damping = 0.0  # of the Hessian: the share of the largest possible curvature in that of each row
        self.scores_exact = True  # computed from the weights, not updated step by step
        self.primal, self.dual, self.best = np.inf, 0.0, z
        self._move_to(objective.at(z))

    @property
    def best_offsets(self) -> Floats:
        """The offsets of the best weights. A constant added to all of them changes nothing where they are free."""
        offsets, objective = super().best_offsets, self.objective
        return offsets - offsets.mean() if objective.planes > 1 and not objective.penalize_offset else offsets

    @property
    def gradient(self) -> Floats:
        """The gradient of the smooth part at the present weights, computed when it is asked for."""
        if self._gradient is None:
            self._gradient = self.objective.gradient(self.iterate)
        return self._gradient

    # The method

    def minimise(
        self, tol: float, max_iter: int, pause: Callable[[], None] = lambda: None, bookmark: Bookmark = NO_BOOKMARK
    ) -> str:
        """Steps until the gap is at most tol times the objective. Returns why they ended: "gap", "max_iter" or
        "precision". `pause` is called between steps and may raise.
        """
        saved = bookmark.take()
        if saved is not None:
            self._restore(saved)
        while True:
            pause()
            bookmark.save_if_due(self._saved, lambda: self.objective.passes, step=True)
            if self._is_settled(tol):
                before = self.gap
                self.prove()
                if self.gap <= tol * self.primal:
                    return "gap"
                self.stalls = self.stalls + 1 if not self.gap < before else 0
                if self.stalls == self.max_stalls:
                    return "precision"
                self._go_on()
            if self.steps >= max_iter:
                return "max_iter"
            self._take_step()

    def prove(self) -> None:
        """Compute the scores from the weights, the objective, and a lower bound of it."""
        if not self.scores_exact:
            self._move_to(self.objective.at(self.iterate.z))
            self.scores_exact = True
        value = self.objective.scale * self._objective_value()
        if value < self.primal:
            self.primal, self.best = value, self.iterate.z.copy()
        bound = lower_bound(self.objective, self.iterate, lambda: self.gradient)
        self.dual = max(self.dual, self.objective.scale * bound)

    def _is_settled(self, tol: float) -> bool:
        """Whether steps promise no more, and no column outside the working set should join it.

        It grows with every step until it should have all columns that matter. Then its own steps go on, and only at
        their end all columns are looked at again.
        """
        ended = self.left <= self._least_fall(tol)
        if self.complete and not ended:
            return False
        settled = self.working.update(self.iterate.z, lambda: self.gradient, tol)
        self.complete = settled or self.working.has_all_near
        return settled and ended

    def _objective_value(self) -> float:
        """The objective of the present weights, divided by `scale`."""
        return self.iterate.value

    def _least_fall(self, tol: float) -> float:
        """A step that promises no more is worth a proof."""
        return FINAL_SHARE * tol * self.iterate.value

    def _go_on(self) -> None:
        """What changes after a proof that does not suffice: nothing, as the next steps will be shorter."""

    def _take_step(self) -> None:
        part, places = self.working.objective, self.working.coordinates
        z = self.iterate.z[places]
        gradient = self.gradient if part is self.objective else part.gradient(replace(self.iterate, z=z))
        step, slope = self._direction(part, z, gradient)
        if not np.isfinite(slope):
            raise TooLarge
        self.steps += 1
        before, self.fall, damped = self.fall, -slope, self.damping > 0
        p = np.zeros(self.objective.size)
        p[places] = step
        new = self._moved(part, p, slope) if slope < 0 else None
        whole = new is not None and bool((new.z == self.iterate.z + p).all())
        hidden = self.fall <= HIDDEN_FALL * self.iterate.value
        self.damping = next_damping(self.damping, whole or hidden)
        self.left = self._left_after(before, whole and not damped)
        self.scores_exact = new is None or (whole and self.working.has_weights)
        if new is None and hidden:
            self.fall, new = 0.0, self._hidden_step(p)
            self.left = 0.0
        if new is not None:
            last = self.iterate
            self._move_to(new)
            self.objective.release(last)

    def _moved(self, part: ElasticNetObjective, p: Floats, slope: float) -> Iterate | None:
        """The iterate after the step, or as much of it as lowers the objective enough; None where rounding hides that.

        Where only columns of the working set have weights, the scores are those of the weights after the whole step.
        """
        objective, places = self.objective, self.working.coordinates
        if not self.working.has_weights:
            along = part.scores(p[places])
            new = line_search(objective, self.iterate, p, along, slope)
            part.release_buffers(along)
            return new
        z = self.iterate.z + p
        new = objective.with_scores(z, part.scores(z[places]))
        if falls_enough(self.iterate, new, 1.0, slope):
            return new
        along = new.scores - self.iterate.scores
        objective.release(new)
        return line_search(objective, self.iterate, p, along, slope, 0.5)

    def _left_after(self, before: float, newton_step: bool) -> float:
        """What may still be there to fall after a step. Newton steps of one plane converge quadratically: the fall
        before a step is to its fall at least as its fall is to the next.
        """
        known = newton_step and self.objective.planes == 1 and self.fall < before < np.inf
        return self.fall * (self.fall / before) if known else self.fall

    def _hidden_step(self, p: Floats) -> Iterate:
        """The iterate after a step that gains less than rounding shows; without it where the objective rises."""
        new = self.objective.at(self.iterate.z + p)
        if new.value <= self.iterate.value * (1 + MAX_HIDDEN_RISE):
            return new
        self.objective.release(new)
        return self.objective.at(self.iterate.z)

    def _direction(self, part: ElasticNetObjective, z: Floats, gradient: Floats) -> tuple[Floats, float]:
        """The step of the model, and how far the objective would fall by it if its smooth part were linear."""
        value = self.iterate.value
        promised = min(self.fall / value, 1.0) if value else 0.0
        accuracy = QUADRATIC_ACCURACY * promised * promised * value / len(z)
        model = self.objective.with_more_curvature(self.iterate, self.damping)
        step: Floats = least_of_model(part, model, z, gradient, accuracy) - z
        if part is not self.objective:
            self.objective.passes += part.passes
            part.passes = 0
        longer = part.l1_weights * (np.abs(z + step) - np.abs(z))
        return step, _core.dot(gradient, step) + float(longer.sum())

    def _move_to(self, iterate: Iterate) -> None:
        if not np.isfinite(iterate.value):
            raise TooLarge
        self.iterate, self._gradient = iterate, None

    # Checkpoints

    def _saved(self) -> Tree:
        """The tree of a checkpoint. Its keys are part of the file format."""
        place = {"z": self.iterate.z, "scores": self.iterate.scores, "passes": self.objective.passes}
        return {**place, "chosen": self.working.chosen, **{name: getattr(self, name) for name in SAVED}}

    def _restore(self, saved: Tree) -> None:
        self._move_to(self.objective.with_scores(saved["z"], saved["scores"]))
        self.objective.passes = saved["passes"]
        self.working.choose(saved["chosen"], saved["z"])
        for name in SAVED:
            setattr(self, name, saved[name])


def next_damping(damping: float, whole_step: bool) -> float:
    """Less damping after a whole step, more after one that had to be shortened, up to 1, where every step falls.

    Rows on the wrong side pull hard and bend little, so that an undamped model may send their columns far away.

    >>> next_damping(0.0, whole_step=False), next_damping(0.5, whole_step=False), next_damping(1e-6, whole_step=True)
    (0.001, 1.0, 0.0)
    """
    if whole_step:
        return damping / 8 if damping > MIN_DAMPING else 0.0
    return min(1.0, max(FIRST_DAMPING, 8 * damping))
