"""Suggestions for misspelled names: options, parts, columns and classes."""

from collections.abc import Iterable

# What scikit-learn calls them, and what they are here, wherever that is among the choices.
SCIKIT_LEARN_NAMES = {
    "rbf": ("gaussian", "fourier-100"),
    "poly": ("polynomial", "polynomial-2"),
    **dict.fromkeys(("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"), ("optimum",)),
}


def closest_name(name: object, names: Iterable[object], likeness: float = 0.6) -> str | None:
    """Return the name that is most like a misspelled one, or None. Case, "-" and "_" do not count.

    `likeness` is the least that counts, from 0 to 1 for equal names, as `difflib` measures it.

    >>> closest_name("squared_hinge", ["hinge", "squared-hinge"]), closest_name("forest", ["svm"])
    ('squared-hinge', None)
    >>> closest_name("lbfgs", ["optimum", "gd", "sgd"])
    'optimum'
    """
    from difflib import get_close_matches

    names = [str(known) for known in names]
    for ours in SCIKIT_LEARN_NAMES.get(_spelling(str(name)), ()):
        if ours in names:
            return ours
    spellings = {_spelling(str(known)): str(known) for known in names}
    close = get_close_matches(_spelling(str(name)), list(spellings), n=1, cutoff=likeness)
    return spellings[close[0]] if close else None


def did_you_mean(name: object, names: Iterable[object]) -> str:
    """Return the end of a sentence about an unknown name: a question if another name is close, else a full stop.

    >>> did_you_mean("cycle", ["cyclic", "shuffle"]), did_you_mean("forest", ["cyclic"])
    (": did you mean 'cyclic'?", '.')
    """
    close = closest_name(name, names)
    return "." if close is None else f": did you mean {close!r}?"


def unknown_choice(what: str, given: object, names: Iterable[str]) -> str:
    """Return a sentence about a choice that does not exist.

    >>> unknown_choice("order", "cycle", ["cyclic", "shuffle"])
    "order must be one of 'cyclic', 'shuffle', not 'cycle': did you mean 'cyclic'?"
    """
    known = list(names)
    return f"{what} must be one of {', '.join(map(repr, known))}, not {given!r}{did_you_mean(given, known)}"


def _spelling(name: str) -> str:
    return name.lower().replace("_", "-")
