"""Progressive accuracy: each row of a stream is predicted before it is learned."""

from collections import deque

from ..outcome import Accuracy

MAX_RECENT_ROWS = 10_000  # that the recent accuracy covers, about


class ProgressiveAccuracy:
    """Counts correct predictions of all rows, and of the most recent ones."""

    def __init__(self) -> None:
        self.rows = self.right = 0
        self._chunks: deque[Accuracy] = deque()
        self._in_chunks = self._last = Accuracy(0, 0)

    def add(self, right: int, rows: int, ends: bool) -> None:
        """Add rows of a chunk; `ends` says that they are its last."""
        self.rows, self.right = self.rows + rows, self.right + right
        self._last = Accuracy(self._last.right + right, self._last.rows + rows)
        if ends:
            self._chunks.append(self._last)
            right, rows = self._in_chunks.right + self._last.right, self._in_chunks.rows + self._last.rows
            while rows - self._chunks[0].rows >= MAX_RECENT_ROWS:
                gone = self._chunks.popleft()
                right, rows = right - gone.right, rows - gone.rows
            self._in_chunks, self._last = Accuracy(right, rows), Accuracy(0, 0)

    @property
    def recent(self) -> Accuracy:
        """The accuracy on the most recent rows."""
        return Accuracy(self._in_chunks.right + self._last.right, self._in_chunks.rows + self._last.rows)
