"""Every duality gap that is claimed with an l1 penalty is true: computed again in fractions, or with 60 digits."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.engine.class_problems import whole_problem
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.solvers.elastic_net.elastic_net_objective import ElasticNetObjective, ElasticNetTerms
from rosenblatt.solvers.elastic_net.hinge_net import HingeNet, HingeNetObjective
from rosenblatt.solvers.elastic_net.proximal_newton import ProximalNewton

ROUNDING = Fraction(1, 10**12)  # of the objective, in which a gap is given as a float


def small_rows(seed):
    random = np.random.default_rng(seed)
    X = random.integers(-4, 5, (9, 3)).astype(float)
    y = np.where(X[:, 0] + random.integers(-2, 3, 9) > 0, 1, -1)
    y[0], y[1] = 1, -1
    return X, y


def exact(values, number):
    return [[number(value) for value in row] for row in values]


class Claim:
    """The objective of a plane and the bound of shares, in exact numbers or many digits."""

    def __init__(self, X, y, model, C, ratio, number=Fraction):
        self.X, self.y, self.C, self.r = exact(X.tolist(), number), y.tolist(), number(C), number(ratio)
        self.w, self.b = [number(value) for value in model[0]], number(model[1])
        self.number = number

    @property
    def margins(self):
        scores = [sum(a * b for a, b in zip(self.w, x, strict=True)) + self.b for x in self.X]
        return [label * score for label, score in zip(self.y, scores, strict=True)]

    def primal(self, losses):
        square = sum(value * value for value in self.w)
        return self.C * sum(losses) + self.r * sum(map(abs, self.w)) + (1 - self.r) / 2 * square

    def dual(self, shares, conjugate):
        """The bound of these shares, balanced and, without a square, scaled until they are feasible."""
        pulls = {sign: sum(a for a, label in zip(shares, self.y, strict=True) if label == sign) for sign in (1, -1)}
        least = min(pulls.values())
        shares = [a * least / pulls[label] if pulls[label] else a * 0 for a, label in zip(shares, self.y, strict=True)]
        q = [
            self.C * sum(a * label * x[j] for a, label, x in zip(shares, self.y, self.X, strict=True)) for j in range(3)
        ]
        largest = max(map(abs, q))
        if self.r == 1:
            part = min(self.number(1), self.r / largest) if largest else self.number(1)
            return self.C * sum(conjugate(part * a) for a in shares)
        beyond = sum(max(self.number(0), abs(value) - self.r) ** 2 for value in q)
        return self.C * sum(map(conjugate, shares)) - beyond / (2 * (1 - self.r))


class Proofs(ProximalNewton):
    """Remembers the weights of every proof: the best of the bounds counts."""

    def prove(self):
        super().prove()
        self.proved = [*getattr(self, "proved", []), self.iterate.z.copy()]


class HingeProofs(HingeNet):
    """Remembers the shares of every proof."""

    def prove(self):
        super().prove()
        self.proved = [*getattr(self, "proved", []), self.objective.shares(self.iterate)]


def solve(seed, C, ratio, loss):
    """Rows, labels, and a solver that has ended, within 1e-8 of the optimum or as near as rounding allows."""
    X, y = small_rows(seed)
    terms, problem = ElasticNetTerms.of(C, ratio), whole_problem((y > 0).astype(np.int32), classes=2)
    objective, solver = (HingeNetObjective, HingeProofs) if loss == "hinge" else (ElasticNetObjective, Proofs)
    found = solver(objective(as_rows(X), problem, loss, terms.C, l1=terms.l1, scale=terms.scale))
    assert found.minimise(1e-8, 500) == "gap"
    return X, y, found


CASES = {
    "seed": st.integers(0, 10**6),
    "C": st.sampled_from([0.125, 1.0, 8.0]),
    "ratio": st.sampled_from([1.0, 0.5]),
}


@given(**CASES)
@settings(max_examples=25, deadline=None)
def test_gaps_of_the_squared_hinge_hold_in_fractions(seed, C, ratio):
    X, y, solver = solve(seed, C, ratio, "squared-hinge")
    claims = [Claim(X, y, (z[:3], z[3]), C, ratio) for z in (solver.best, *solver.proved)]
    slacks = [[max(Fraction(0), 1 - m) for m in claim.margins] for claim in claims]
    primal = claims[0].primal([value * value for value in slacks[0]])
    pairs = zip(claims, slacks, strict=True)
    dual = max(claim.dual([2 * value for value in slack], lambda a: a - a * a / 4) for claim, slack in pairs)
    assert 0 <= primal - dual <= Fraction(solver.gap) + ROUNDING * primal


@given(**CASES)
@settings(max_examples=25, deadline=None)
def test_gaps_of_the_hinge_hold_in_fractions(seed, C, ratio):
    X, y, solver = solve(seed, C, ratio, "hinge")
    claim = Claim(X, y, (solver.best[:3], solver.best[3]), C, ratio)
    primal = claim.primal([max(Fraction(0), 1 - m) for m in claim.margins])
    dual = max(claim.dual([Fraction(a) for a in shares], lambda a: a) for shares in solver.proved)
    assert 0 <= primal - dual <= Fraction(solver.gap) + ROUNDING * primal


@given(**CASES)
@settings(max_examples=25, deadline=None)
def test_gaps_of_logistic_regression_hold_with_60_digits(seed, C, ratio):
    X, y, solver = solve(seed, C, ratio, "logistic")
    with localcontext() as context:
        context.prec = 60
        claims = [Claim(X, y, (z[:3], z[3]), C, ratio, Decimal) for z in (solver.best, *solver.proved)]
        primal = claims[0].primal([(1 + (-m).exp()).ln() for m in claims[0].margins])
        dual = max(claim.dual([1 / (1 + m.exp()) for m in claim.margins], entropy) for claim in claims)
        assert 0 <= primal - dual <= Decimal(solver.gap) + Decimal(10) ** -12 * primal


def entropy(a):
    return sum((-p * p.ln() for p in (a, 1 - a) if p > 0), Decimal(0))
