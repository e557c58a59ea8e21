"""The page of the service: what it has learned, how well it predicts, and by which columns. It needs no script."""

from html import escape
from typing import Any

from .service import Service

REFRESH_SECONDS = 5
TOP = 10
STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 1rem 0 } th, td { text-align: left; padding: .2rem 1rem .2rem 0 }
td.number { text-align: right; font-variant-numeric: tabular-nums }
"""


def status_page(name: str, service: Service) -> str:
    """The page as HTML. It loads itself again every five seconds."""
    status = service.status()
    figures = {
        "Model": f"{status['model']}, version {str(status['version'])[:12]}",
        "Predicts": f"{status['target'] or 'classes'}: {_listed(status['classes'])}",
        "Learns": status["failure"] or ("yes" if status["learns"] else "no"),
        "Rows learned": f"{status['rows_learned']:,}",
        "Record of the log": f"{status['record']:,}",
        "Right before learned": _share(status["progressive_accuracy"]),
        "Right of the last rows": _share(status["recent_accuracy"]),
        "Rows learned a second": _rate(service),
    }
    rows = "".join(
        f"<tr><th scope=row>{escape(title)}</th><td>{escape(text)}</td></tr>" for title, text in figures.items()
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="{REFRESH_SECONDS}">'
        f'<meta name="viewport" content="width=device-width"><title>{escape(name)}</title><style>{STYLE}</style>'
        f"<main><h1>{escape(name)}</h1><table>{rows}</table>{_weights(service)}</main></html>"
    )


def _listed(classes: list[Any]) -> str:
    shown = ", ".join(str(label) for label in classes[:TOP])
    return shown if len(classes) <= TOP else f"{shown} and {len(classes) - TOP:,} more"


def _share(found: dict[str, Any] | None) -> str:
    if found is None:
        return "no rows yet"
    low, high = 100 * found["low"], 100 * found["high"]
    return f"{100 * found['share']:.2f} % of {found['rows']:,} rows (95 % interval {low:.2f} to {high:.2f} %)"


def _rate(service: Service) -> str:
    rate = service.learning_rate()
    return "no rows yet" if rate is None else f"{rate:,.1f} since the service started"


def _weights(service: Service) -> str:
    parts = []
    for label, weights in list(service.weights(TOP).items())[:TOP]:
        rows = "".join(f"<tr><td>{escape(one.name)}</td><td class=number>{one.weight:.4g}</td></tr>" for one in weights)
        parts.append(f"<h2>Largest weights for {escape(str(label))}</h2><table>{rows}</table>")
    return "".join(parts)
