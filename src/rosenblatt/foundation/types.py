"""Names for the arrays that everything passes around."""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]  # the number of each row's class
Labels = npt.NDArray[Any]  # classes as the user names them
Places = npt.NDArray[np.intp]  # positions in an array
Mask = npt.NDArray[np.bool_]
History = dict[str, npt.NDArray[Any]]  # columns of equal length, one entry an epoch or an update
Tensors = dict[str, npt.NDArray[Any]]  # the arrays of a file, by name
