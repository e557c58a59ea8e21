"""An evaluation as one HTML file: the measures, the tables and the pictures, with nothing to load from elsewhere."""

from collections.abc import Callable, Iterator
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any

from ...classifiers.calibration.probability_quality import describe_errors
from ...foundation.atomic_file import atomic_write
from ...foundation.extras import needs_extra
from ...foundation.phrases import count, percent
from ...foundation.version import __version__
from ...training.evaluate import Evaluation
from .compare import Evaluations, comparison_lines

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
  color: #1c1c1c; background: #ffffff }
h1 { font-size: 1.6rem } h2 { font-size: 1.25rem; margin-top: 2.5rem }
table { border-collapse: collapse; margin: 1rem 0 } caption { text-align: left; font-weight: 600 }
th, td { padding: 0.25rem 0.75rem; text-align: right; border-bottom: 1px solid #cccccc }
th:first-child, td:first-child, .words td { text-align: left }
.tables { overflow-x: auto } .pictures { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fill, minmax(min(26rem, 100%), 1fr)) }
figure { margin: 0; background: #ffffff; border-radius: 0.4rem }
figure svg { width: 100%; height: auto }
figcaption { padding: 0 0.75rem 0.5rem; color: #1c1c1c } footer { margin-top: 3rem; color: #595959 }
@media (prefers-color-scheme: dark) { body { color: #e8e8e8; background: #16181c }
  th, td { border-color: #4a4a4a } footer { color: #a8a8a8 } }
"""


def write_report(evaluations: Evaluations, path: Path) -> None:
    """Write the report to a file, whole or not at all."""
    page = "\n".join(_page(evaluations))
    with atomic_write(path) as file:
        file.write(page.encode())


def _page(evaluations: Evaluations) -> Iterator[str]:
    first = evaluations.each[0].measures
    title = escape(f"Evaluation on {first.file}")
    yield f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>"
    yield f"<p>{count(first.rows, 'row')}, target <b>{escape(first.target)}</b>.</p>"
    if evaluations.comparisons:
        yield from _table("Accuracy", ["model", "right", "95 % interval"], [_accuracy(one) for one in evaluations.each])
    for one, pair in zip(evaluations.each[1:], evaluations.comparisons, strict=True):
        lines = comparison_lines(first.model, one.measures.model, pair)
        yield from _table("Comparison", [], [[line[:11].strip(), line[11:]] for line in lines])
    for one in evaluations.each:
        yield from _section(one)
    yield f"</main>\n<footer>rosenblatt {__version__}</footer>\n</body>\n</html>"


def _accuracy(one: Evaluation) -> list[str]:
    """Return the model, its accuracy and the interval of that."""
    found = one.measures
    low, high = (f"{100 * end:.1f}" for end in found.interval)
    return [found.model, percent(round(found.accuracy * found.rows), found.rows), f"{low} to {high} %"]


def _section(one: Evaluation) -> Iterator[str]:
    found = one.measures
    _, right, interval = _accuracy(one)
    yield f"<section>\n<h2>{escape(found.model)}</h2>"
    cost = f" The mean cost of a decision is {found.risk:.6g}." if found.has_costs else ""
    yield f"<p><b>{right}</b> of the rows are right (95 % interval: {interval}).{cost}</p>"
    if found.log_loss is not None:
        errors = describe_errors(found.calibration_error, found.classwise_calibration_error)
        yield f"<p>The probabilities have a log-loss of {found.log_loss:.4g} ({errors}).</p>"
    rows = [
        [str(label), *("-" if value is None else form(value) for form, value in zip(FORMS, values, strict=True))]
        for label, *values in zip(found.classes, found.precision, found.recall, found.roc_area, strict=True)
    ]
    yield from _table("Classes", ["class", "precision", "recall", "ROC area"], rows)
    yield '<div class="pictures">'
    yield from (_figure(caption, draw) for caption, draw in _pictures(one))
    yield "</div>\n</section>"


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"


FORMS: tuple[Callable[[float], str], ...] = (_share, _share, "{:.4f}".format)


def _table(caption: str, head: list[str], rows: list[list[str]]) -> Iterator[str]:
    kind = "" if head else ' class="words"'
    yield f'<div class="tables"><table{kind}><caption>{escape(caption)}</caption><thead><tr>'
    yield "".join(f'<th scope="col">{escape(name)}</th>' for name in head) + "</tr></thead><tbody>"
    yield from ("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    yield "</tbody></table></div>"


def _pictures(one: Evaluation) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Return each caption with the function that draws its picture on axes."""
    from ... import plots
    from ...plots.evaluation_figures import MAX_CURVES

    found, classes = one.measures, one.measures.classes
    yield "Confusion matrix", lambda ax: plots.confusion(found.confusion, classes, ax=ax)
    some = f", of the first {MAX_CURVES} classes" if len(classes) > MAX_CURVES else ""
    yield f"ROC curves{some}", lambda ax: plots.roc_curves(one.truth, one.scores, classes, ax=ax)
    yield f"Precision and recall{some}", lambda ax: plots.precision_recall_curves(one.truth, one.scores, classes, ax=ax)
    if len(classes) == 2:
        yield "Scores; the model decides at 0", lambda ax: plots.score_histogram(one.truth, one.scores, classes, ax=ax)
    if one.probabilities is not None:
        yield (
            f"Calibration: the share of rows against the probability given{some}",
            lambda ax: plots.calibration(one.truth, one.probabilities, classes, ax=ax),
        )


def _figure(caption: str, draw: Callable[[Any], Any]) -> str:
    """Return a picture as SVG inside the page; the same evaluation always gives the same bytes."""
    with needs_extra("plot", "--report"):
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    with rc_context({"svg.hashsalt": caption, "svg.fonttype": "path"}):
        figure = Figure(figsize=(5.6, 4.2), layout="constrained")
        draw(figure.add_subplot())
        text = StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :].replace("<svg", f'<svg role="img" aria-label="{escape(caption)}"', 1)
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"
