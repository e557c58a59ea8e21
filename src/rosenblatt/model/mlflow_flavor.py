"""Models in MLflow's format: a folder with rosenblatt's own model file, which MLflow loads as a Python function.

The folder holds no pickle: `MLmodel` names this module, which reads the safetensors file beside it. This module is
reached as `rosenblatt.mlflow`.
"""

import os
import shutil
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from ..foundation.errors import InputError
from ..foundation.extras import needs_extra
from ..foundation.version import __version__
from .file import load, model_of, serialized
from .mlflow_signature import example_signature, model_signature

__all__ = ["load_model", "log_model", "save_model"]

FLAVOR, LOADER = "rosenblatt", "rosenblatt.model.mlflow_flavor"
MODEL_NAME, ABOUT_NAME = "model.safetensors", "MLmodel"
REQUIREMENTS_NAME, ENVIRONMENT_NAME = "requirements.txt", "python_env.yaml"
FUNCTIONS = ("predict", "predict_proba", "decision_function")
Function = Literal["predict", "predict_proba", "decision_function"]


def save_model(
    model: Any,
    path: str | os.PathLike[str],
    *,
    signature: Any = None,
    input_example: Any = None,
    pyfunc_predict_fn: Function = "predict",
    pip_requirements: Sequence[str] | None = None,
    metadata: Mapping[str, Any] | None = None,
    mlflow_model: Any = None,
) -> None:
    """Save a fitted classifier as a folder that MLflow can load, serve and register. Needs the extra `mlflow`.

    `mlflow.pyfunc.load_model` then gives a model whose `predict` takes a data frame and returns the classes.

    Parameters
    ----------
    model : a classifier of rosenblatt, or a pipeline that ends in one
        After `fit`: what `rosenblatt.save` takes.
    path : path
        The folder. It must be new or empty.
    signature : mlflow.models.ModelSignature or None
        None takes it from the input example, or else from the model: numbers are double, all others string.
    input_example : data frame, array or None
        Rows that show what the model takes. They are predicted before anything is written, and saved with the model.
    pyfunc_predict_fn : {"predict", "predict_proba", "decision_function"}
        What the loaded function returns: classes, probabilities or scores.
    pip_requirements : sequence of str or None
        The packages to serve it with. None names this version of rosenblatt.
    metadata : dict or None
        Anything to keep in `MLmodel`.
    mlflow_model : mlflow.models.Model or None
        The description to add to. MLflow gives it when it logs a model.

    Examples
    --------
    >>> import os, tempfile
    >>> from rosenblatt import fit, mlflow
    >>> model = fit({"size": [1.0, 2.0, 8.0, 9.0] * 5, "kind": ["small", "small", "large", "large"] * 5}, target="kind")
    >>> path = os.path.join(tempfile.mkdtemp(), "sizes")
    >>> mlflow.save_model(model, path)
    >>> mlflow.load_model(path).predict({"size": [1.5, 8.5]}).tolist()
    ['small', 'large']
    """
    with needs_extra("mlflow", "rosenblatt.mlflow"):
        from mlflow.models import Model
    if pyfunc_predict_fn not in FUNCTIONS:
        raise InputError(f"pyfunc_predict_fn must be one of {', '.join(FUNCTIONS)}, not {pyfunc_predict_fn!r}.")
    content = serialized(model_of(model))
    about = Model() if mlflow_model is None else mlflow_model
    about.signature = signature or _signature(model, input_example, pyfunc_predict_fn)
    if metadata is not None:
        about.metadata = dict(metadata)
    about.add_flavor(FLAVOR, rosenblatt_version=__version__, data=MODEL_NAME, predict_fn=pyfunc_predict_fn)
    with _new_folder(path) as folder:
        (folder / MODEL_NAME).write_bytes(content)
        _write_environment(folder, pip_requirements)
        _describe(about, folder, input_example)


def _signature(model: Any, example: Any, function: Function) -> Any:
    if example is None:
        return model_signature(model, function)
    return example_signature(example, getattr(model, function)(example))


def _describe(about: Any, folder: Path, example: Any) -> None:
    """Write the input example and the description of a folder."""
    from mlflow import pyfunc
    from mlflow.models.utils import _save_example

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # mlflow 3.17 calls what pandas 3 will change
        _save_example(about, example, str(folder))
    pyfunc.add_to_model(about, loader_module=LOADER, data=MODEL_NAME, python_env=ENVIRONMENT_NAME)
    about.save(str(folder / ABOUT_NAME))


def log_model(model: Any, name: str, *, registered_model_name: str | None = None, **arguments: Any) -> Any:
    """Save a fitted classifier in MLflow's tracking store, in the active run. Needs the extra `mlflow`.

    Parameters
    ----------
    model : a classifier of rosenblatt, or a pipeline that ends in one
    name : str
        The name of the model in the store.
    registered_model_name : str or None
        Register it under this name, too.
    **arguments
        Those of `save_model`, and what `mlflow.models.Model.log` takes besides.

    Returns
    -------
    mlflow.models.model.ModelInfo
        Its `model_uri` is what `load_model` and `mlflow.pyfunc.load_model` take.
    """
    with needs_extra("mlflow", "rosenblatt.mlflow"):
        from mlflow.models import Model
    return Model.log(
        artifact_path=None,
        name=name,
        flavor=sys.modules[__name__],
        registered_model_name=registered_model_name,
        model=model,
        **arguments,
    )


def load_model(model_uri: str | os.PathLike[str]) -> Any:
    """Load the classifier that `save_model` or `log_model` saved. Loading runs no code of the model. Needs `mlflow`.

    Parameters
    ----------
    model_uri : str or path
        A folder, or an address such as "runs:/RUN/NAME" or "models:/NAME/1".

    Returns
    -------
    classifier
        What `rosenblatt.load` returns for the same model.
    """
    with needs_extra("mlflow", "rosenblatt.mlflow"):
        from mlflow.artifacts import download_artifacts
    place = os.fspath(model_uri)
    folder = Path(place if os.path.isdir(place) else download_artifacts(artifact_uri=place))
    return load(folder / _about(folder, place)["data"])


class PythonFunction:
    """A model as MLflow calls it: `predict` takes a data frame or an array."""

    def __init__(self, model: Any, function: Function) -> None:
        self.model, self.function = model, function

    def predict(self, model_input: Any, params: Mapping[str, Any] | None = None) -> Any:
        """The classes of rows, or what `pyfunc_predict_fn` named. `params` is part of MLflow's call and not used."""
        return getattr(self.model, self.function)(model_input)

    def get_raw_model(self) -> Any:
        """The classifier."""
        return self.model


def _load_pyfunc(path: str) -> PythonFunction:
    """The model of a file within a folder of MLflow, which calls this by its name."""
    function = _about(Path(path).parent, path)["predict_fn"]
    if function not in FUNCTIONS:
        raise InputError(f"{path} was saved by a newer rosenblatt: upgrade rosenblatt.")
    return PythonFunction(load(path), function)


def _about(folder: Path, place: str) -> Mapping[str, Any]:
    """What the description of a folder says of this flavour."""
    from mlflow.models import Model

    if not (folder / ABOUT_NAME).exists():
        raise InputError(f"{place} is no model of MLflow: give the folder that save_model wrote.")
    found: Mapping[str, Any] | None = Model.load(str(folder)).flavors.get(FLAVOR)
    if found is None or found.get("data") != MODEL_NAME:
        raise InputError(
            f"{place} is a model of MLflow, but none of rosenblatt: load it with mlflow.pyfunc.load_model."
        )
    return found


@contextmanager
def _new_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A new or empty folder to fill; removed if that fails."""
    folder = Path(path)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} exists already and is not an empty folder: give a new one.")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield folder
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _write_environment(folder: Path, requirements: Sequence[str] | None) -> None:
    """Write which Python and packages serve the model, as MLflow reads it."""
    packages = [f"rosenblatt[mlflow]=={__version__}"] if requirements is None else list(requirements)
    (folder / REQUIREMENTS_NAME).write_text("".join(f"{package}\n" for package in packages))
    python = ".".join(map(str, sys.version_info[:3]))
    lines = [f"python: {python}", "build_dependencies:", "- pip", "dependencies:", f"- -r {REQUIREMENTS_NAME}"]
    (folder / ENVIRONMENT_NAME).write_text("".join(f"{line}\n" for line in lines))
