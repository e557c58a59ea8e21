"""A driver that is killed while it trains: each save of its bookmark may be its last."""

from rosenblatt.engine.resume import Bookmark
from rosenblatt.foundation import state_file as trees


class Killed(Exception):
    """The end of a driver."""


class Mortal(Bookmark):
    """Kills the driver after so many saves."""

    def __init__(self, saved, saves):
        super().__init__(saved)
        self.saves, self.tree = saves, saved

    def due(self, step):
        return True

    def write(self, tree, epochs):
        self.tree, self.saves = trees.read(trees.written(tree)), self.saves - 1
        if self.saves == 0:
            raise Killed
