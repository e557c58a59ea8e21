"""scikit-learn's callbacks, such as its progress bar: what a fit tells them. They came with scikit-learn 1.9.

A fit is a task, and so is each of its epochs. How many epochs there will be is not known: training ends when a stop
holds, or when a callback returns True at the end of an epoch, as scikit-learn's protocol lets it. Without callbacks
nothing of this runs, and scikit-learn's part is not imported.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from ..engine.result import Progress, Watch

Model = TypeVar("Model")
Given = ParamSpec("Given")


class ReportsToCallbacks:
    """`set_callbacks`, and the report of each epoch to those that are set."""

    def set_callbacks(self, *callbacks: Any) -> Self:
        """Set scikit-learn's callbacks, which hear of each `fit`; without arguments, remove them.

        A fit is a task of theirs that ends with the fitted model, and each epoch is a task within it. If
        `on_fit_task_end` of a callback returns True at the end of an epoch, the fit ends: the model keeps what it has
        learned so far, without a calibration, and `status_.reason` is "interrupted". `partial_fit` reports nothing.

        Parameters
        ----------
        *callbacks
            Callbacks of scikit-learn 1.9 or newer, such as `sklearn.callback.ProgressBar()`.
        """
        _sklearn_support().set_callbacks(self, *callbacks)
        return self

    def _reported(self, watch: Watch) -> Watch:
        """The watch of a training, which during a fit with callbacks tells them of epochs, too."""
        context = self.__dict__.get("_callback_fit_ctx")
        return watch if context is None else EpochReport(self, context, watch)


class EpochReport:
    """Passes progress on to another watch, and tells callbacks of every epoch that has ended.

    A callback that returns True ends the training as Ctrl-C does.
    """

    hears_epochs = True

    def __init__(self, model: Any, context: Any, watch: Watch) -> None:
        self.model, self.context, self.watch, self.told = model, context, watch, 0

    def __call__(self, progress: Progress) -> None:
        self.watch(progress)
        if progress.epochs < self.told:
            self.told = 0  # the next of several one-vs-rest problems has begun
        while self.told + 1 <= progress.epochs:
            self.told += 1
            epoch = self.context.subcontext(task_name="epoch").call_on_fit_task_begin(estimator=self.model)
            if epoch.call_on_fit_task_end(estimator=self.model):
                self.context.rosenblatt_stopped = True
                raise KeyboardInterrupt


def reports_to_callbacks(fit: Callable[Concatenate[Model, Given], Model]) -> Callable[Concatenate[Model, Given], Model]:
    """A `fit` that is a task of the model's callbacks. They are torn down however it ends."""

    @wraps(fit)
    def reporting(self: Model, /, *args: Given.args, **kwargs: Given.kwargs) -> Model:
        if "_skl_callbacks" not in self.__dict__:
            return fit(self, *args, **kwargs)
        from sklearn.callback import with_callbacks

        fitted: Model = with_callbacks(_fit_as_task)(self, fit, *args, **kwargs)
        return fitted

    return reporting


def _fit_as_task(
    model: Any, fit: Callable[..., Any], X: Any, y: Any, sample_weight: Any = None, trace: bool = False
) -> Any:
    data = {"X": X, "y": y, "metadata": None if sample_weight is None else {"sample_weight": sample_weight}}
    task = _sklearn_support()._init_callback_context(model, max_subtasks=None)
    task.call_on_fit_task_begin(estimator=model, **data)
    try:
        fit(model, X, y, sample_weight, trace)
    except KeyboardInterrupt:
        if not getattr(task, "rosenblatt_stopped", False):
            raise
    task.call_on_fit_task_end(estimator=model, **data, reconstruction_attributes={})  # the model itself is fitted
    return model


def remove_callbacks(model: Any) -> Any:
    """The same model without callbacks, for trainings that only serve another."""
    model.__dict__.pop("_skl_callbacks", None)
    return model


def _sklearn_support() -> Any:
    try:
        from sklearn.callback import CallbackSupportMixin
    except ImportError:
        raise ImportError("set_callbacks needs scikit-learn 1.9 or newer: upgrade it.") from None
    return CallbackSupportMixin
