"""Tables to train on from memory and from the disk, and the bits of what was learned."""

import sys

import numpy as np
import pandas as pd
from people_table import people

ROWS = 600
COMMAND = [sys.executable, "-m", "rosenblatt.cli"]


def numbers(rows=ROWS, classes=2, seed=0):
    """Numbers of very different sizes, with gaps in one column and classes that overlap."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 4))
    scores = X @ random.normal(size=(4, classes)) + random.normal(size=(rows, classes)) / 3
    table = pd.DataFrame(X * [1, 1e-3, 50, 1e4] + [0, 2, 0, 1e5], columns=list("abcd"))
    table.loc[random.random(rows) < 0.1, "a"] = np.nan
    return table.assign(kind=np.array(["ash", "birch", "cedar"])[scores.argmax(axis=1)])


TABLES = {
    "dense": lambda: numbers(),
    "joint": lambda: numbers(classes=3),
    "sparse": lambda: people(ROWS).drop(columns="note").rename(columns={"mood": "kind"}),
    "text": lambda: people(ROWS)[["note", "mood"]].rename(columns={"mood": "kind"}),
    "both": lambda: people(ROWS).rename(columns={"mood": "kind"}),
}


def bits(model):
    return model[-1].coef_.tobytes(), model[-1].intercept_.tobytes()
