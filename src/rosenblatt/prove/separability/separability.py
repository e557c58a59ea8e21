"""Can a hyperplane separate two classes? Complete, quasi or overlap, with a proof."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, overload

import numpy as np

from ...foundation.labels import encode
from ...foundation.notebook_html import ShownInNotebooks, clouds_picture
from ...parts.choices import ClassPairs
from ...parts.parameter_checks import check_positive
from ..certificates.certificate import InvalidCertificate, make_certificate, parse_fraction
from ..certificates.certificate_check import check_certificate
from ..exact.hyperplane import Hyperplane
from ..exact.lifted_problem import make_problem
from ..exact.two_classes import label_array
from ..time_limit import Clock
from .tucker_split import split_rows

MAX_LISTED = 6  # rows or columns that are named one by one


@dataclass
class Separability(ShownInNotebooks):
    """The verdict of `separability`, with all that proves it.

    `kind` is "complete" (some hyperplane has every row strictly on its own side), "quasi" (some hyperplane has no row
    on the wrong side, but every such hyperplane goes through certain rows), "overlap" (no hyperplane has a row on its
    own side without another on the wrong side), or "undecided" after a time limit. `certificate` is plain content for
    JSON, described in `rosenblatt.prove.certificates.certificate`. If `verify` returned False, `why_not` is the reason.
    """

    certificate: dict[str, Any]
    why_not: str = ""

    @property
    def kind(self) -> str:
        """ "complete", "quasi", "overlap" or "undecided"."""
        return str(self.certificate["kind"])

    @property
    def hyperplane(self) -> Hyperplane | None:
        """The hyperplane of the certificate, all zeros for overlap; None if undecided."""
        if self.certificate["weights"] is None:
            return None
        weights = tuple(parse_fraction(value) for value in self.certificate["weights"])
        names = self.certificate.get("terms") or self.certificate.get("names")
        return Hyperplane(weights, parse_fraction(self.certificate["offset"]), tuple(names) if names else None)

    def verify(self, X: Any, y: Any) -> bool:
        """Check in exact arithmetic that the certificate proves its kind for these rows.

        >>> result = separability([[1.0], [2.0]], [0, 1])
        >>> result.verify([[1.0], [2.0]], [0, 1])
        True
        >>> result.verify([[1.0], [0.5]], [0, 1]), result.why_not
        (False, 'Row 1 is on the wrong side of the hyperplane.')
        """
        try:
            check_certificate(self.certificate, X, y)
        except InvalidCertificate as reason:
            self.why_not = str(reason)
            return False
        self.why_not = ""
        return True

    def explain(self, name_row: Callable[[int], str] = str) -> str:
        """The verdict in a few sentences: which columns separate, which rows clash.

        Rows are counted from 0, as in Python. `name_row` may name them otherwise.

        >>> print(separability([[1.0], [2.0]], [0, 1]).explain())
        Complete separation: a hyperplane has all 2 rows strictly on their own side. It uses column 0. A logistic \
regression without a penalty has no finite solution: its weights grow without limit.
        """
        return " ".join(
            [*_verdict_sentences(self.kind, self.certificate), *_clash_sentences(self.certificate, name_row)]
        )

    def _picture(self) -> str:
        return "" if self.kind == "undecided" else clouds_picture(self.kind, self.kind)

    def __str__(self) -> str:
        return self.explain()


VerdictsByClass = dict[Any, Separability]


@overload
def separability(
    X: Any,
    y: Any,
    fit_intercept: bool = True,
    time_limit: float | None = None,
    *,
    classes: Any = None,
    multi_class: None = None,
    fingerprint: bool = False,
    features: Any = "identity",
) -> Separability: ...


@overload
def separability(
    X: Any,
    y: Any,
    fit_intercept: bool = True,
    time_limit: float | None = None,
    *,
    multi_class: ClassPairs,
    fingerprint: bool = False,
    features: Any = "identity",
) -> VerdictsByClass: ...


def separability(
    X: Any,
    y: Any,
    fit_intercept: bool = True,
    time_limit: float | None = None,
    *,
    classes: Any = None,
    multi_class: ClassPairs | None = None,
    fingerprint: bool = False,
    features: Any = "identity",
) -> Separability | VerdictsByClass:
    """Decide whether a hyperplane separates two classes, and prove it.

    Let a_i = y_i (x_i, 1), or y_i x_i without an intercept. The rows split in exactly one way into S and T: some (w, b)
    has a_i . (w, b) > 0 on S and = 0 on T, and positive multiples of all rows of T sum to 0 (Tucker). If T is empty,
    the separation is complete; if S is empty, the classes overlap; otherwise the separation is quasi-complete. Floating
    point only proposes answers. Exact arithmetic on the floats of X, which are fractions, decides.

    Parameters
    ----------
    X : array, data frame or SciPy sparse matrix, rows by columns, finite numbers; a Dask array or data frame is decided
        where its chunks are
    y : labels, one a row; the second of the sorted classes is the positive one
    fit_intercept : whether the hyperplane may miss the origin
    time_limit : seconds, above 0, after which the answer may be "undecided"; None means no limit
    classes : two labels, the negative and the positive one; rows of other labels are left out. (None, a) is a against
        all others
    multi_class : "ovr" asks about each class against the rest and returns a dict with one answer for each label; "ovo"
        asks about each pair of classes, with the keys (negative, positive)
    fingerprint : whether the certificate contains the SHA-256 of the rows, so that verification refuses other rows
    features : "polynomial-2", for example, asks about hyperplanes in the space of all products of up to 2 columns, each
        product without rounding

    >>> result = separability([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])  # exclusive or
    >>> result.kind, result.certificate["clash"]
    ('overlap', {'rows': [0, 1, 2, 3], 'multipliers': ['1', '1', '1', '1']})
    >>> print(separability([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], features="polynomial-2").hyperplane)
    2 x1 + 2 x2 - 4 x1*x2 - 1 = 0
    >>> separability([[1], [2], [3], [3]], [0, 0, 1, 0]).kind
    'quasi'
    >>> {label: answer.kind for label, answer in separability([[1], [2], [3]], list("abc"), multi_class="ovr").items()}
    {'a': 'complete', 'b': 'overlap', 'c': 'complete'}
    """
    options: dict[str, Any] = {"fit_intercept": fit_intercept, "time_limit": time_limit, "fingerprint": fingerprint}
    options["features"] = features
    if multi_class is None:
        return decide_pairs(X, y, [classes], **options)[0]
    if classes is not None:
        raise ValueError("classes chooses two classes, multi_class takes all classes: give only one of them.")
    problems = class_pairs(encode(label_array(y))[0].tolist(), multi_class)
    return dict(zip(problems, decide_pairs(X, y, problems.values(), **options), strict=True))


def decide_pairs(
    X: Any,
    y: Any,
    pairs: Iterable[Any],
    *,
    fit_intercept: bool,
    time_limit: float | None,
    fingerprint: bool,
    names: list[str] | None = None,
    features: Any = "identity",
) -> list[Separability]:
    """Decide every pair of classes within one time limit; `names` are the names of the columns of X."""
    if time_limit is not None:
        check_positive("time_limit", time_limit)
    clock = Clock(time_limit)
    results: list[Separability] = []
    for classes in pairs:
        if results and not fingerprint and clock.seconds_left() == 0.0 and _is_same_undecided(results[-1], classes):
            results.append(Separability({**results[-1].certificate, "classes": list(classes)}))
            continue
        problem = make_problem(X, y, fit_intercept, classes, features)
        problem.names = names or problem.names
        results.append(Separability(make_certificate(problem, split_rows(problem, clock), fingerprint)))
    return results


def _is_same_undecided(last: Separability, classes: Any) -> bool:
    """Whether the next answer, after the time limit, differs from the last one only in the positive class."""
    before = last.certificate
    return before["kind"] == "undecided" and not before["clash"]["rows"] and before["classes"][0] is classes[0] is None


def class_pairs(labels: list[Any], multi_class: str) -> dict[Any, tuple[Any, Any]]:
    """The negative and the positive class of each problem, by the key of its answer.

    >>> class_pairs(["a", "b", "c"], "ovr")
    {'a': (None, 'a'), 'b': (None, 'b'), 'c': (None, 'c')}
    >>> list(class_pairs(["a", "b", "c"], "ovo"))
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    if multi_class == "ovr":
        return {label: (None, label) for label in labels}
    if multi_class == "ovo":
        return {pair: pair for pair in combinations(labels, 2)}
    raise ValueError(f"multi_class must be one of 'ovr', 'ovo', not {multi_class!r}.")


def _verdict_sentences(kind: str, certificate: dict[str, Any]) -> list[str]:
    rows, space = certificate["rows"], _features_phrase(certificate)
    if kind == "complete":
        return [
            f"Complete separation{space}: a hyperplane has all {rows} rows strictly on their own side.",
            _columns_sentence(certificate),
        ]
    if kind == "quasi":
        return [
            f"Quasi-complete separation{space}: a hyperplane has none of the {rows} rows on the wrong side, but every "
            "such hyperplane goes through some of them.",
            _columns_sentence(certificate),
        ]
    if kind == "overlap":
        return [
            f"Overlap{space}: no hyperplane has any of the {rows} rows on its own side without another on the wrong "
            "side."
        ]
    return ["Undecided: the time limit ran out."]


def _features_phrase(certificate: dict[str, Any]) -> str:
    features = certificate.get("features")
    return f" with features {features!r}" if features else ""


def _columns_sentence(certificate: dict[str, Any]) -> str:
    used = np.flatnonzero([parse_fraction(weight) != 0 for weight in certificate["weights"]]).tolist()
    if not used:
        return "It uses only the offset: every column has the weight 0."
    lifted = certificate.get("features")
    names = certificate["terms"] if lifted else certificate.get("names")
    columns = _list_items("term" if lifted else "column", used, str if names is None else lambda k: repr(names[k]))
    fewer = "; another hyperplane may do with fewer of them" if len(used) > 1 else ""
    return (
        f"It uses {columns}{fewer}. A logistic regression without a penalty has no finite solution: its weights grow "
        "without limit."
    )


def _clash_sentences(certificate: dict[str, Any], name_row: Callable[[int], str]) -> list[str]:
    rows = certificate["clash"]["rows"]
    if not rows:
        return (
            [] if certificate["kind"] in ("complete", "undecided") else ["Rows of zeros have the margin 0 for every w."]
        )
    if certificate["fit_intercept"]:
        lifted = ", lifted," if certificate.get("features") else ""
        how = f"a weighted mean of those of one class{lifted} is a weighted mean of those of the other"
    else:
        how = "with their signs, some positive multiples of them sum to 0"
    shares = {parse_fraction(value) for value in certificate["clash"]["multipliers"]}
    equal = " (all weights are equal)" if len(shares) == 1 else ""
    return [f"The clash is in {_list_items('row', rows, name_row)}: {how}{equal}."]


def _list_items(kind: str, numbers: list[int], name: Callable[[int], str]) -> str:
    """
    >>> _list_items("row", [3], str), _list_items("row", [3, 4], str), _list_items("row", list(range(9)), str)
    ('row 3', 'rows 3 and 4', 'rows 0, 1, 2, 3, 4, 5 and 3 more')
    """
    words = [name(number) for number in numbers[: MAX_LISTED + 1]] + [""] * (len(numbers) - MAX_LISTED - 1)
    if len(words) == 1:
        return f"{kind} {words[0]}"
    shown, rest = (
        (words[:MAX_LISTED], f"{len(words) - MAX_LISTED} more") if len(words) > MAX_LISTED else (words[:-1], words[-1])
    )
    return f"{kind}s {', '.join(shown)} and {rest}"
