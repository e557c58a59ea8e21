"""The options that a checkpoint belongs to, and how those of two runs differ."""

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..parts.features import Features, features_to_json

if TYPE_CHECKING:
    from .request import Request

IGNORED_OPTIONS = ("memory",)  # which do not change the result
DERIVED_OPTIONS = ("parameters", "kinds", "scale", "tf_idf")
DEFAULT_TEXTS = ("null", "false", "[]", "{}")
KIND_OPTIONS = {
    **{"text": "text", "category": "categorical", "number": "numeric", "date": "date"},
    **{"day-first": "day-first", "month-first": "month-first"},
}
# Parameters that have an option of their own; others are given as --set NAME=VALUE.
OWN_OPTIONS = ("C", "alpha", "features", "order", "max_iter", "max_seconds")


def request_options(request: "Request") -> dict[str, str]:
    """The options that a user gave, by name, each as JSON text. Options left at their defaults are absent.

    >>> from rosenblatt.training.request import Request
    >>> request_options(Request(target="kind", kinds={"a": "text"}, parameters={"C": 2.0, "tol": 0.1}))
    {'ngrams': '1', 'seed': '0', 'test_fraction': '0.2', 'target': '"kind"', 'algorithm': '"auto"', 'text': '["a"]', \
'C': '2.0', 'set tol': '0.1'}
    """
    given = {name: value for name, value in vars(request).items() if name not in (*DERIVED_OPTIONS, *IGNORED_OPTIONS)}
    for kind, option in KIND_OPTIONS.items():
        given[option] = [name for name, its in request.kinds.items() if its == kind]
    given |= {"no_scale": not request.scale, "no_tf_idf": not request.tf_idf}
    for name, value in request.parameters.items():
        given[name if name in OWN_OPTIONS else f"set {name}"] = value
    texts = {name: json.dumps(value, default=_as_json, sort_keys=True) for name, value in given.items()}
    return {name: text for name, text in texts.items() if text not in DEFAULT_TEXTS}


def _as_json(value: Any) -> Any:
    if isinstance(value, Features):
        return features_to_json(value)
    return value.item() if isinstance(value, np.generic) else repr(value)


def option_differences(before: Mapping[str, str], now: Mapping[str, str], spelled: str) -> Iterator[str]:
    """Describe how two sets of options differ; `spelled` is how the user writes an option.

    >>> before = {"algorithm": '"averaged"', "set tol": "0.1", "early_stopping": "true"}
    >>> list(option_differences(before, {"algorithm": '"svm"', "max_iter": "5", "set tol": "0.2"}, "--{}"))
    ['with --algorithm averaged, not svm', 'with --set tol=0.1, not 0.2', 'with --early-stopping', 'without --max-iter']
    """
    for name in dict.fromkeys((*before, *now)):
        words = name if name.startswith("set ") else name.replace("_", "-")
        option = spelled.format(words) if spelled.startswith("--") else name.removeprefix("set ")
        was, is_now = (option_text(options[name]) if name in options else None for options in (before, now))
        between = "=" if name.startswith("set ") else " "
        if was is None:
            yield f"without {option}"
        elif is_now is None:
            yield f"with {option}{between if was else ''}{was}"
        elif was != is_now:
            yield f"with {option}{between}{was}, not {is_now}"


def option_text(text: str) -> str:
    """The value of an option as a user writes it.

    >>> [option_text(text) for text in ('"averaged"', "true", '["a", "b"]', '{"a": "text"}', "0.5")]
    ['averaged', '', 'a b', 'a=text', '0.5']
    """
    value = json.loads(text)
    if isinstance(value, list):
        return " ".join(map(str, value))
    if isinstance(value, dict):
        return " ".join(f"{name}={one}" for name, one in value.items())
    return "" if value is True else str(value)
