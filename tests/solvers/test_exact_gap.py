"""Every duality gap that is claimed with an l1 penalty is true: computed again in fractions, or with 60 digits."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import LinearSVM, LogisticRegression
from rosenblatt.engine.class_problems import whole_problem
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.solvers.elastic_net.elastic_net_objective import ElasticNetTerms
from rosenblatt.solvers.elastic_net.hinge_net import HingeNet, HingeNetObjective

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


@given(seed=st.integers(0, 10**6), C=st.sampled_from([0.125, 1.0, 8.0]), ratio=st.sampled_from([1.0, 0.5]))
@settings(max_examples=25, deadline=None)
def test_gaps_of_the_squared_hinge_hold_in_fractions(seed, C, ratio):
    X, y = small_rows(seed)
    model = LinearSVM(loss="squared-hinge", penalty="elasticnet", l1_ratio=ratio, C=C).fit(X, y)
    claim = Claim(X, y, (model.coef_[0], model.intercept_[0]), C, ratio)
    slack = [max(Fraction(0), 1 - m) for m in claim.margins]
    primal = claim.primal([value * value for value in slack])
    dual = claim.dual([2 * value for value in slack], lambda a: a - a * a / 4)
    assert float(primal) == pytest.approx(model.objective_, rel=1e-12)
    assert 0 <= primal - dual <= (Fraction(model.duality_gap_) + ROUNDING) * primal


@given(seed=st.integers(0, 10**6), C=st.sampled_from([0.125, 1.0, 8.0]), ratio=st.sampled_from([1.0, 0.5]))
@settings(max_examples=25, deadline=None)
def test_gaps_of_the_hinge_hold_in_fractions(seed, C, ratio):
    X, y = small_rows(seed)
    terms, problem = ElasticNetTerms.of(C, ratio), whole_problem((y > 0).astype(np.int32), classes=2)
    objective = HingeNetObjective(as_rows(X), problem, "hinge", terms.C, l1=terms.l1, scale=terms.scale)
    solver = RecordedProofs(objective)
    assert solver.minimise(1e-8, 500) == "gap"
    claim = Claim(X, y, (solver.best[:3], solver.best[3]), C, ratio)
    primal = claim.primal([max(Fraction(0), 1 - m) for m in claim.margins])
    dual = max(claim.dual([Fraction(a) for a in shares], lambda a: a) for shares in solver.seen)
    assert 0 <= primal - dual <= Fraction(solver.gap) + ROUNDING * primal


class RecordedProofs(HingeNet):
    """Remembers the shares of every proof: the bound is that of the best ones, which need not be the last."""

    def prove(self):
        super().prove()
        self.seen = [*getattr(self, "seen", []), self.objective.shares(self.iterate)]


@given(seed=st.integers(0, 10**6), C=st.sampled_from([0.125, 1.0, 8.0]), ratio=st.sampled_from([1.0, 0.5]))
@settings(max_examples=25, deadline=None)
def test_gaps_of_logistic_regression_hold_with_60_digits(seed, C, ratio):
    X, y = small_rows(seed)
    model = LogisticRegression(penalty="elasticnet", l1_ratio=ratio, C=C).fit(X, y)
    with localcontext() as context:
        context.prec = 60
        claim = Claim(X, y, (model.coef_[0], model.intercept_[0]), C, ratio, Decimal)
        margins = claim.margins
        primal = claim.primal([(1 + (-m).exp()).ln() for m in margins])
        dual = claim.dual([1 / (1 + m.exp()) for m in margins], entropy)
        assert 0 <= primal - dual <= (Decimal(model.duality_gap_) + Decimal(10) ** -12) * primal


def entropy(a):
    return sum((-p * p.ln() for p in (a, 1 - a) if p > 0), Decimal(0))
