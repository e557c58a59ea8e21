"""Pictures of models, margins and training. Needs the extra `plot` (matplotlib)."""

from .figures import decision_regions as decision_regions
from .figures import descents as descents
from .figures import learning_curves as learning_curves
from .figures import mistakes_against_bound as mistakes_against_bound
from .figures import risk_against_capacity as risk_against_capacity
from .figures import signed_distances as signed_distances
from .figures import weights as weights
