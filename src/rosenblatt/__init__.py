"""rosenblatt: the perceptron and its family of linear classifiers.

It learns fast, it proves what it says, it shows what it does. Names are imported when they are first used, so that
`import rosenblatt` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_PUBLIC = {
    "Perceptron": "classifiers",
    "AveragedPerceptron": "classifiers",
    "PocketPerceptron": "classifiers",
    "PassiveAggressive": "classifiers",
    "LinearSVM": "classifiers",
    "LogisticRegression": "classifiers",
    "BayesRule": "bayes",
    "KernelPerceptron": "classifiers",
    "KnownDistribution": "known",
    "Polynomial": "features",
    "RandomFourier": "features",
    "Lab": "lab.widget",
    "Recipe": "recipe",
    "Status": "stops",
    "StructuralRisk": "structural",
    "TableEncoder": "table_encoder",
    "audit": "prove.audit",
    "cross_validated_risk": "cross_validation",
    "empirical_risk": "prove.risk",
    "fit": "tables",
    "held_out_risk": "prove.held_out_risk",
    "regularization_path": "path",
    "load": "modelfile",
    "margins": "prove.distance",
    "max_margin": "prove.margin",
    "minimum_mistakes": "prove.fewest",
    "mistake_bound": "prove.mistakes",
    "save": "modelfile",
    "separability": "prove.separability",
    "separating_degree": "prove.degree",
    "signed_distance": "prove.distance",
    "to_onnx": "onnx",
    "vc_bound": "prove.vc",
    "vc_dimension": "prove.vc",
    "vc_sample_size": "prove.vc",
}

__all__ = ["__version__", *_PUBLIC]

if TYPE_CHECKING:
    from .bayes import BayesRule as BayesRule
    from .classifiers import AveragedPerceptron as AveragedPerceptron
    from .classifiers import KernelPerceptron as KernelPerceptron
    from .classifiers import LinearSVM as LinearSVM
    from .classifiers import LogisticRegression as LogisticRegression
    from .classifiers import PassiveAggressive as PassiveAggressive
    from .classifiers import Perceptron as Perceptron
    from .classifiers import PocketPerceptron as PocketPerceptron
    from .cross_validation import cross_validated_risk as cross_validated_risk
    from .features import Polynomial as Polynomial
    from .features import RandomFourier as RandomFourier
    from .known import KnownDistribution as KnownDistribution
    from .lab.widget import Lab as Lab
    from .modelfile import load as load
    from .modelfile import save as save
    from .onnx import to_onnx as to_onnx
    from .path import regularization_path as regularization_path
    from .prove.audit import audit as audit
    from .prove.degree import separating_degree as separating_degree
    from .prove.distance import margins as margins
    from .prove.distance import signed_distance as signed_distance
    from .prove.fewest import minimum_mistakes as minimum_mistakes
    from .prove.held_out_risk import held_out_risk as held_out_risk
    from .prove.margin import max_margin as max_margin
    from .prove.mistakes import mistake_bound as mistake_bound
    from .prove.risk import empirical_risk as empirical_risk
    from .prove.separability import separability as separability
    from .prove.vc import vc_bound as vc_bound
    from .prove.vc import vc_dimension as vc_dimension
    from .prove.vc import vc_sample_size as vc_sample_size
    from .recipe import Recipe as Recipe
    from .stops import Status as Status
    from .structural import StructuralRisk as StructuralRisk
    from .table_encoder import TableEncoder as TableEncoder
    from .tables import fit as fit


def __getattr__(name: str) -> Any:
    if name == "plots":
        return import_module(".plots", __name__)
    if name in _PUBLIC:
        return getattr(import_module(f".{_PUBLIC[name]}", __name__), name)
    raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "plots"])
