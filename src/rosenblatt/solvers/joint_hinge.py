"""The hinge of joint classes (Crammer and Singer, JMLR 2001) at its optimum, with the duality gap as proof.

    minimise  P(w, b) = C sum_i s_i (max_k (score_ik + [k != y_i]) - score_iy) + |w|^2 / 2

where the offsets b are free, or penalised like the weights. Every row has shares of the classes, which are at least 0
and add up to 1. All shares a, with q_k = C sum_i s_i ([k = y_i] - a_ik) x_i, give a lower bound of every P:

    D(a) = C sum_i s_i (1 - a_iy) - |q|^2 / 2,  sum_i s_i a_ik = sum of s_i over class k where offsets are free.

So the gap P - D bounds how far the weights are above the optimum. The method is that of two classes
(docs/decisions/0009-the-hinge-optimum.md): Newton steps on the augmented Lagrangian, whose multipliers are the shares.
A step solves with the Hessian, or by conjugate gradients while many classes share a row. Where the Hessian is too
large, `joint_hinge_descent.py` moves the shares of one row at a time.
"""

from .hinge_newton import HingeNewton
from .joint_hinge_proof import JointHingeProof


class JointHingeNewton(HingeNewton, JointHingeProof):
    """A joint hinge problem that is solved by Newton steps.

    >>> import numpy as np
    >>> from rosenblatt.foundation.matrices import as_rows
    >>> from rosenblatt.solvers.newton.joint_hinge_objective import JointHinge
    >>> from rosenblatt.engine.class_problems import whole_problem
    >>> problem = whole_problem(np.array([0, 1, 2], dtype=np.int32), classes=3)
    >>> solver = JointHingeNewton(JointHinge(as_rows([[0.0, 1.0], [1.0, 0.0], [-1.0, -1.0]]), problem, C=10.0))
    >>> solver.minimise(1e-9, 100)
    'gap'
    >>> solver.best[:6].reshape(3, 2).round(3).tolist()
    [[-0.333, 0.667], [0.667, -0.333], [-0.333, -0.333]]
    """
