"""One thread at a time trains a model. Others may predict and save meanwhile: they use what was learned before."""

import os
from collections.abc import Callable
from functools import wraps
from threading import get_ident
from typing import Concatenate, ParamSpec, TypeVar

Model = TypeVar("Model")
Returned = TypeVar("Returned")
Given = ParamSpec("Given")

trainers: dict[int, tuple[int]] = {}  # the id of each model in training, and its thread
os.register_at_fork(after_in_child=trainers.clear)  # the child has none of those threads


def one_trainer(
    train: Callable[Concatenate[Model, Given], Returned],
) -> Callable[Concatenate[Model, Given], Returned]:
    """A method that refuses to train a model while another thread does."""

    @wraps(train)
    def guarded(self: Model, /, *args: Given.args, **kwargs: Given.kwargs) -> Returned:
        mine = (get_ident(),)
        trainer = trainers.setdefault(id(self), mine)  # in one step, so that one thread wins
        if trainer is not mine:
            _refuse_unless(trainer == mine, self)  # the same thread may train it within a training
            return train(self, *args, **kwargs)
        try:
            return train(self, *args, **kwargs)
        finally:
            trainers.pop(id(self), None)

    return guarded


def _refuse_unless(allowed: bool, model: object) -> None:
    if not allowed:
        raise RuntimeError(
            f"this {type(model).__name__} is being trained in another thread: train one model for each thread, or wait "
            "for the other."
        )
