"""Plots of models, margins and training. Needs the extra `plot` (`pip install "rosenblatt[plot]"`, matplotlib).

Each function draws on the given axes, or on new ones, and returns them: titles, limits and files are the caller's. The
displays have the names of scikit-learn, and measure a classifier: `RocCurveDisplay.from_estimator(model, X, y)`.
May import `training` and below.
"""

from .displays import CalibrationDisplay as CalibrationDisplay
from .displays import ConfusionMatrixDisplay as ConfusionMatrixDisplay
from .displays import DecisionBoundaryDisplay as DecisionBoundaryDisplay
from .displays import PrecisionRecallDisplay as PrecisionRecallDisplay
from .displays import RocCurveDisplay as RocCurveDisplay
from .evaluation_figures import calibration as calibration
from .evaluation_figures import confusion as confusion
from .evaluation_figures import precision_recall_curves as precision_recall_curves
from .evaluation_figures import roc_curves as roc_curves
from .evaluation_figures import score_histogram as score_histogram
from .model_figures import decision_regions as decision_regions
from .model_figures import signed_distances as signed_distances
from .model_figures import weights as weights
from .path_figure import path as path
from .risk_figures import risk_against_capacity as risk_against_capacity
from .training_figures import descents as descents
from .training_figures import learning_curves as learning_curves
from .training_figures import mistakes_against_bound as mistakes_against_bound
