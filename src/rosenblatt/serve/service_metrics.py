"""Figures of the service in the text format of Prometheus."""

import threading
from bisect import bisect_left
from collections import Counter
from itertools import accumulate

from .log_writer import LogWriter
from .service import Service

BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)  # seconds
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Counts requests by path and status, and how long they took.

    >>> metrics = Metrics()
    >>> metrics.add("/predict", 200, 0.002)
    >>> metrics.requests["/predict", 200]
    1
    """

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        self._seconds: dict[str, float] = {}
        self._buckets: dict[str, list[int]] = {}
        self._lock = threading.Lock()

    def add(self, path: str, status: int, seconds: float) -> None:
        """Count a request."""
        with self._lock:
            self.requests[path, status] += 1
            self._seconds[path] = self._seconds.get(path, 0.0) + seconds
            self._buckets.setdefault(path, [0] * (len(BUCKETS) + 1))[bisect_left(BUCKETS, seconds)] += 1

    def text(self, service: Service) -> str:
        """All figures, one a line."""
        with self._lock:
            lines = [*self._request_lines(), *self._latency_lines()]
        return "\n".join([*lines, *_service_lines(service)]) + "\n"

    def _request_lines(self) -> list[str]:
        lines = _head("requests_total", "counter", "Requests by path and status.")
        for (path, status), count in sorted(self.requests.items()):
            lines.append(f'rosenblatt_requests_total{{path="{path}",status="{status}"}} {count}')
        return lines

    def _latency_lines(self) -> list[str]:
        lines = _head("request_seconds", "histogram", "How long requests took.")
        for path, counts in sorted(self._buckets.items()):
            for limit, below in zip([*map(str, BUCKETS), "+Inf"], accumulate(counts), strict=True):
                lines.append(f'rosenblatt_request_seconds_bucket{{path="{path}",le="{limit}"}} {below}')
            lines.append(f'rosenblatt_request_seconds_sum{{path="{path}"}} {self._seconds[path]}')
            lines.append(f'rosenblatt_request_seconds_count{{path="{path}"}} {sum(counts)}')
        return lines


def _service_lines(service: Service) -> list[str]:
    """What the model and the log tell."""
    published, provider = service.published, service.provider
    found: list[tuple[str, str, str, float]] = [
        ("rows_learned_total", "counter", "Rows learned since the model was started from.", published.rows),
        ("log_record", "gauge", "The record of the log that the model has learned.", published.record),
        ("failed", "gauge", "1 if learning or following has stopped.", int(provider.failure is not None)),
    ]
    if published.accuracy.rows:
        share = published.accuracy.right / published.accuracy.rows
        found.append(("progressive_accuracy", "gauge", "Share of rows predicted correctly before learned.", share))
        recent = published.recent.right / max(published.recent.rows, 1)
        found.append(("recent_accuracy", "gauge", "The same share of the last 10,000 rows.", recent))
    if isinstance(provider, LogWriter):
        found.append(("log_bytes", "gauge", "The size of the log.", provider.log.size()))
        found.append(("commits_total", "counter", "Groups of requests committed to the log.", provider.commits))
        found.append(("fsync_seconds_total", "counter", "Time that flushing the log took.", provider.flush_seconds))
    return [
        line for name, kind, text, value in found for line in [*_head(name, kind, text), f"rosenblatt_{name} {value}"]
    ]


def _head(name: str, kind: str, text: str) -> list[str]:
    return [f"# HELP rosenblatt_{name} {text}", f"# TYPE rosenblatt_{name} {kind}"]
