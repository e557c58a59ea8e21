"""Where a run can go on from: all that decides its future, as a tree of plain values and arrays.

Whatever trains is handed a bookmark. First it takes what an earlier run has left there, if anything; then, between
slices of its work, it pauses: where the bookmark is due, the tree is put down. What has parts hands each of them a
bookmark inside its own. Nothing here knows of files: `checkpoint.py` keeps trees on the disk.

Tensors of a tree are put down as they are, floats with all their bits, so a run that goes on ends with the bits of one
that was never stopped.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

Tree = dict[str, Any]  # of dicts, lists, arrays, floats, whole numbers, truth values, texts and None


class Bookmark:
    """A bookmark that is never due: for runs that nobody wants to go on from. Others override what it does.

    >>> shelf = []
    >>> class Everything(Bookmark):
    ...     def due(self, step):
    ...         return True
    ...     def put(self, tree, epochs):
    ...         shelf.append((tree, epochs))
    >>> inner = Everything().inside("solver", lambda: {"found": 2}, epochs=10.0)
    >>> inner.pause(lambda: {"steps": 3}, epochs=lambda: 1.5)
    >>> shelf
    [({'found': 2, 'solver': {'steps': 3}}, 11.5)]
    """

    def __init__(self, saved: Tree | None = None) -> None:
        self._saved = saved

    def take(self) -> Tree | None:
        """What an earlier run left. It is there once."""
        saved, self._saved = self._saved, None
        return saved

    @property
    def stopping(self) -> bool:
        """Whether the run is asked to put down where it is and end."""
        return False

    def due(self, step: bool) -> bool:
        """Whether the time has come; it comes sooner where a step or an epoch has just ended."""
        return False

    def put(self, tree: Tree, epochs: float) -> None:
        """Keep a tree, of a run that has gone through its rows so many times."""

    def pause(self, state: Callable[[], Tree], epochs: Callable[[], float], step: bool = False) -> None:
        """Put down where the run is, if that is due. Raises KeyboardInterrupt, then, where it is to end."""
        stopping = self.stopping
        if stopping or self.due(step):
            self.put(state(), epochs())
        if stopping:
            raise KeyboardInterrupt

    def inside(
        self, name: str, around: Callable[[], Tree], saved: Tree | None = None, epochs: float = 0.0
    ) -> "Bookmark":
        """For a part: its tree goes under `name` into what `around` gives then.

        `saved` is what an earlier run left of the part; `epochs` went before it.
        """
        return _Inside(self, name, around, saved, epochs)


class _Inside(Bookmark):
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

    def put(self, tree: Tree, epochs: float) -> None:
        self._outer.put({**self._around(), self._name: tree}, self._epochs + epochs)


class Saveable(Protocol):
    """A run that a shelf has a place for."""

    going: bool
    reason: str | None

    def saved(self) -> Tree: ...


class Shelf:
    """Bookmarks of several runs, one after the other or side by side; together they are one.

    Side by side, each run lays down where it is when that is due, and whoever waits for them calls `hand_over`: then
    what all of them have laid down is put on, in that thread. Runs do not depend on each other, so it need not be from
    the same moment.
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

    def place(self, k: int) -> Bookmark:
        """The bookmark of one run. It knows the shelf, not the shelf it: so both go when they are done with."""
        return NOWHERE if self.outer is NOWHERE else _Place(self, k)

    def lay(self, k: int, tree: Tree) -> None:
        """What one run lays down."""
        self._trees[k] = tree
        self._fresh.add(k)
        if not self.side_by_side:
            self._put()

    def awaits(self, k: int) -> bool:
        return k not in self._fresh

    def hand_over(self) -> None:
        """Once all runs that are going have laid down where they are."""
        going = {k for k, run in enumerate(self._runs) if run.going}
        if self._fresh and self._fresh >= going and (self.outer.stopping or self.outer.due(self.stepped)):
            self._put()

    def _put(self) -> None:
        trees = [self._tree(k) for k in range(len(self._runs))]
        passed = sum(0.0 if tree is None else tree["passed"] for tree in trees)
        self.outer.put({**self._around(), "runs": trees}, passed / len(trees))
        self._fresh.clear()
        self.stepped = False

    def _tree(self, k: int) -> Tree | None:
        """A run that has ended stands still; of one that is going, or was broken off, what it laid down counts."""
        run = self._runs[k]
        ended = not run.going and run.reason not in (None, "interrupted")
        return run.saved() if ended else self._trees[k]


class _Place(Bookmark):
    def __init__(self, shelf: Shelf, k: int) -> None:
        super().__init__()
        self._shelf, self._k = shelf, k

    @property
    def stopping(self) -> bool:
        return self._shelf.outer.stopping

    def due(self, step: bool) -> bool:
        self._shelf.stepped |= step
        return self._shelf.outer.due(self._shelf.stepped) and self._shelf.awaits(self._k)

    def put(self, tree: Tree, epochs: float) -> None:
        self._shelf.lay(self._k, tree)


NOWHERE = Bookmark()
