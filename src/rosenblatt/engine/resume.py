"""Bookmarks: where a run can resume from, as a tree of plain values and arrays.

Everything that trains gets a bookmark. First it takes what an earlier run has left there, if anything. Then, between
slices of its work, it writes its state whenever the bookmark is due. A solver with parts gives each part a bookmark
nested in its own. Nothing here knows of files: `training/checkpoint.py` keeps trees on the disk.

Arrays and floats keep all their bits, so a run that resumes ends with the bits of one that never stopped.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

Tree = dict[str, Any]  # of dicts, lists, arrays, floats, whole numbers, truth values, texts and None


class Bookmark:
    """A bookmark that is never due, for runs that nobody resumes. Subclasses override what it does.

    >>> kept = []
    >>> class Everything(Bookmark):
    ...     def due(self, step):
    ...         return True
    ...     def write(self, tree, epochs):
    ...         kept.append((tree, epochs))
    >>> inner = Everything().nested("solver", lambda: {"found": 2}, epochs=10.0)
    >>> inner.save_if_due(lambda: {"steps": 3}, epochs=lambda: 1.5)
    >>> kept
    [({'found': 2, 'solver': {'steps': 3}}, 11.5)]
    """

    def __init__(self, saved: Tree | None = None) -> None:
        self._saved = saved

    def take(self) -> Tree | None:
        """What an earlier run left. It can be taken once."""
        saved, self._saved = self._saved, None
        return saved

    @property
    def stopping(self) -> bool:
        """Whether the run is asked to save its state and end."""
        return False

    def due(self, step: bool) -> bool:
        """Whether it is time to save; that is sooner where a step or an epoch has just ended."""
        return False

    def write(self, tree: Tree, epochs: float) -> None:
        """Keep the tree of a run that has gone through its rows `epochs` times."""

    def save_if_due(self, state: Callable[[], Tree], epochs: Callable[[], float], step: bool = False) -> None:
        """Save the state of the run if that is due. Raise KeyboardInterrupt if the run is asked to end."""
        if self is NO_BOOKMARK:
            return
        stopping = self.stopping
        if stopping or self.due(step):
            self.write(state(), epochs())
        if stopping:
            raise KeyboardInterrupt

    def nested(
        self, name: str, around: Callable[[], Tree], saved: Tree | None = None, epochs: float = 0.0
    ) -> "Bookmark":
        """The bookmark of a part: its tree goes under `name` into the tree that `around` returns.

        `saved` is what an earlier run left of the part; `epochs` were done before the part began.
        """
        if self is NO_BOOKMARK and saved is None:
            return self
        return _Nested(self, name, around, saved, epochs)


class _Nested(Bookmark):
    def __init__(
        self, outer: Bookmark, name: str, around: Callable[[], Tree], saved: Tree | None, epochs: float
    ) -> None:
        super().__init__(saved)
        self._outer, self._name, self._around, self._epochs = outer, name, around, epochs

    @property
    def stopping(self) -> bool:
        return self._outer.stopping

    def due(self, step: bool) -> bool:
        return self._outer.due(step)

    def write(self, tree: Tree, epochs: float) -> None:
        self._outer.write({**self._around(), self._name: tree}, self._epochs + epochs)


class Saveable(Protocol):
    """A run that shares a bookmark with others."""

    going: bool
    reason: str | None

    def saved(self) -> Tree: ...


class SharedBookmark:
    """One bookmark for several runs, one after the other or side by side.

    Side by side, each run hands in its state when that is due, and the thread that waits for them calls
    `write_if_all_are_fresh`. Runs do not depend on each other, so their states need not be of the same moment.
    """

    def __init__(
        self,
        outer: Bookmark,
        runs: Sequence[Saveable],
        trees: Sequence[Tree | None],
        around: Callable[[], Tree],
        side_by_side: bool,
    ) -> None:
        self.outer, self.side_by_side, self.stepped = outer, side_by_side, False
        self._runs, self._trees, self._around = runs, list(trees), around
        self._fresh: set[int] = set()

    def bookmark_of(self, k: int) -> Bookmark:
        """The bookmark of one run."""
        return NO_BOOKMARK if self.outer is NO_BOOKMARK else _OneOfSeveral(self, k)

    def write_part(self, k: int, tree: Tree) -> None:
        """Take the state of one run."""
        self._trees[k] = tree
        self._fresh.add(k)
        if not self.side_by_side:
            self._write()

    def needs_part(self, k: int) -> bool:
        return k not in self._fresh

    def write_if_all_are_fresh(self) -> None:
        """Write once every run that is going has handed in its state."""
        going = {k for k, run in enumerate(self._runs) if run.going}
        if self._fresh and self._fresh >= going and (self.outer.stopping or self.outer.due(self.stepped)):
            self._write()

    def _write(self) -> None:
        trees = [self._tree(k) for k in range(len(self._runs))]
        passed = sum(0.0 if tree is None else tree["passed"] for tree in trees)
        self.outer.write({**self._around(), "runs": trees}, passed / len(trees))
        self._fresh.clear()
        self.stepped = False

    def _tree(self, k: int) -> Tree | None:
        """The state of a run that has ended, or what a run still going handed in last."""
        run = self._runs[k]
        ended = not run.going and run.reason not in (None, "interrupted")
        return run.saved() if ended else self._trees[k]


class _OneOfSeveral(Bookmark):
    def __init__(self, shared: SharedBookmark, k: int) -> None:
        super().__init__()
        self._shared, self._k = shared, k

    @property
    def stopping(self) -> bool:
        return self._shared.outer.stopping

    def due(self, step: bool) -> bool:
        self._shared.stepped |= step
        return self._shared.outer.due(self._shared.stepped) and self._shared.needs_part(self._k)

    def write(self, tree: Tree, epochs: float) -> None:
        self._shared.write_part(self._k, tree)


NO_BOOKMARK = Bookmark()
