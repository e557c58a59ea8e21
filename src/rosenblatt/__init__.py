"""rosenblatt: the perceptron and its family of linear classifiers.

It learns fast, it proves what it says, it shows what it does. Names are imported when they are first used, so that
`import rosenblatt` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .foundation.version import __version__ as __version__

_PUBLIC = {
    "Perceptron": "classifiers.perceptron",
    "AveragedPerceptron": "classifiers.averaged_perceptron",
    "PocketPerceptron": "classifiers.pocket_perceptron",
    "PassiveAggressive": "classifiers.passive_aggressive",
    "ALMA": "classifiers.alma",
    "SecondOrderPerceptron": "classifiers.second_order_perceptron",
    "AROW": "classifiers.arow",
    "LinearSVM": "classifiers.linear_svm",
    "LogisticRegression": "classifiers.logistic_regression",
    "BayesRule": "risk.bayes",
    "KernelPerceptron": "classifiers.kernel_perceptron",
    "VotedPerceptron": "classifiers.voted_perceptron",
    "KnownDistribution": "risk.known_distribution",
    "Polynomial": "parts.features",
    "RandomFourier": "parts.features",
    "Lab": "lab.notebook",
    "Recipe": "parts.recipe",
    "Status": "parts.stops",
    "StructuralRisk": "risk.structural_risk",
    "TableEncoder": "tables.table_encoder",
    "audit": "prove.mistakes.audit",
    "evaluate": "training.evaluate",
    "cross_validated_risk": "risk.cross_validation",
    "empirical_risk": "risk.empirical_risk",
    "exact_summary": "statistics.exact.exact_summary",
    "fit": "training.fit",
    "flac": "statistics.firth_predictions",
    "flic": "statistics.firth_predictions",
    "held_out_risk": "risk.held_out_risk",
    "regularization_path": "classifiers.regularization_path",
    "likelihood_ratio_test": "statistics.likelihood_ratio",
    "load": "model.file",
    "margins": "prove.margin.distances",
    "max_margin": "prove.margin.max_margin",
    "minimum_mistakes": "prove.mistakes.minimum_mistakes",
    "mistake_bound": "prove.mistakes.mistake_bound",
    "predict": "model.predict_table",
    "save": "model.file",
    "separability": "distributed.dask_separability",
    "separating_degree": "prove.separability.separating_degree",
    "signed_distance": "prove.margin.distances",
    "summary": "statistics.summary",
    "to_onnx": "model.onnx",
    "vc_bound": "risk.vc",
    "vc_dimension": "risk.vc",
    "vc_sample_size": "risk.vc",
}

_MODULES = {"plots": ".plots", "mlflow": ".model.mlflow_flavor"}  # names that are modules of functions

__all__ = ["__version__", *_PUBLIC]

if TYPE_CHECKING:
    from .classifiers.alma import ALMA as ALMA
    from .classifiers.arow import AROW as AROW
    from .classifiers.averaged_perceptron import AveragedPerceptron as AveragedPerceptron
    from .classifiers.kernel_perceptron import KernelPerceptron as KernelPerceptron
    from .classifiers.linear_svm import LinearSVM as LinearSVM
    from .classifiers.logistic_regression import LogisticRegression as LogisticRegression
    from .classifiers.passive_aggressive import PassiveAggressive as PassiveAggressive
    from .classifiers.perceptron import Perceptron as Perceptron
    from .classifiers.pocket_perceptron import PocketPerceptron as PocketPerceptron
    from .classifiers.regularization_path import regularization_path as regularization_path
    from .classifiers.second_order_perceptron import SecondOrderPerceptron as SecondOrderPerceptron
    from .classifiers.voted_perceptron import VotedPerceptron as VotedPerceptron
    from .lab.notebook import Lab as Lab
    from .model import mlflow_flavor as mlflow  # noqa: F401
    from .model.file import load as load
    from .model.file import save as save
    from .model.onnx import to_onnx as to_onnx
    from .model.predict_table import predict as predict
    from .parts.features import Polynomial as Polynomial
    from .parts.features import RandomFourier as RandomFourier
    from .parts.recipe import Recipe as Recipe
    from .parts.stops import Status as Status
    from .prove.margin.distances import margins as margins
    from .prove.margin.distances import signed_distance as signed_distance
    from .prove.margin.max_margin import max_margin as max_margin
    from .prove.mistakes.audit import audit as audit
    from .prove.mistakes.minimum_mistakes import minimum_mistakes as minimum_mistakes
    from .prove.mistakes.mistake_bound import mistake_bound as mistake_bound
    from .prove.separability.separability import separability as separability
    from .prove.separability.separating_degree import separating_degree as separating_degree
    from .risk.bayes import BayesRule as BayesRule
    from .risk.cross_validation import cross_validated_risk as cross_validated_risk
    from .risk.empirical_risk import empirical_risk as empirical_risk
    from .risk.held_out_risk import held_out_risk as held_out_risk
    from .risk.known_distribution import KnownDistribution as KnownDistribution
    from .risk.structural_risk import StructuralRisk as StructuralRisk
    from .risk.vc import vc_bound as vc_bound
    from .risk.vc import vc_dimension as vc_dimension
    from .risk.vc import vc_sample_size as vc_sample_size
    from .statistics.exact.exact_summary import exact_summary as exact_summary
    from .statistics.firth_predictions import flac as flac
    from .statistics.firth_predictions import flic as flic
    from .statistics.likelihood_ratio import likelihood_ratio_test as likelihood_ratio_test
    from .statistics.summary import summary as summary
    from .tables.table_encoder import TableEncoder as TableEncoder
    from .training.evaluate import evaluate as evaluate
    from .training.fit import fit as fit


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(_MODULES[name], __name__)
    if name in _PUBLIC:
        return getattr(import_module(f".{_PUBLIC[name]}", __name__), name)
    raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_MODULES])
