"""The names that parameters take, as types: editors complete them, and type checkers refuse others.

A test holds each type equal to the dict of parts that it names.
"""

from typing import Literal

Order = Literal["cyclic", "shuffle-once", "shuffle", "random-mistake", "working-set", "batch"]
Schedule = Literal["constant", "1/t", "1/sqrt(t)", "pegasos"]
PassiveAggressiveStep = Literal["pa", "pa1", "pa2"]
Covariance = Literal["diagonal", "full"]
Keep = Literal["last", "average", "best", "vote"]
Criterion = Literal["mistakes", "loss", "gradient", "weights"]
Penalty = Literal["l2", "l1", "elasticnet"]
LogisticPenalty = Literal["l2", "l1", "elasticnet", "jeffreys"]
MarginLoss = Literal["hinge", "squared-hinge", "modified-huber"]
KernelName = Literal["linear", "polynomial", "gaussian", "precomputed"]
Solver = Literal["optimum", "gd", "sgd"]
MultiClass = Literal["ovr", "joint", "auto"]
Balanced = Literal["balanced"]
Auto = Literal["auto"]
ClassPairs = Literal["ovr", "ovo"]
AlgorithmName = Literal[
    "auto",
    "perceptron",
    "averaged",
    "pocket",
    "passive-aggressive",
    "alma",
    "second-order",
    "arow",
    "svm",
    "logistic",
]
