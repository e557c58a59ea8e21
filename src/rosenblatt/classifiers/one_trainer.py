"""One thread at a time trains a model. Others may predict and save meanwhile: they use what was learned before."""

import os
from collections.abc import Callable
from functools import wraps
from threading import get_ident
from typing import Any, Concatenate, ParamSpec, TypeVar

Model = TypeVar("Model")
Returned = TypeVar("Returned")
Given = ParamSpec("Given")

_trainers: dict[int, tuple[int, object]] = {}  # the id of each model in training, and its thread
os.register_at_fork(after_in_child=_trainers.clear)  # the child has none of those threads


def one_trainer(
    train: Callable[Concatenate[Model, Given], Returned],
) -> Callable[Concatenate[Model, Given], Returned]:
    """A method that refuses to train a model while another thread does."""

    @wraps(train)
    def guarded(self: Model, /, *args: Given.args, **kwargs: Given.kwargs) -> Returned:
        mine: Any = (get_ident(), object())
        thread, _ = holder = _trainers.setdefault(id(self), mine)  # in one step, so that one thread wins
        if thread != mine[0]:
            raise RuntimeError(
                f"this {type(self).__name__} is being trained in another thread: train one model for each thread, or "
                "wait for the other."
            )
        try:
            return train(self, *args, **kwargs)
        finally:
            if holder is mine:  # not where the same thread trains it further out
                _trainers.pop(id(self), None)

    return guarded
