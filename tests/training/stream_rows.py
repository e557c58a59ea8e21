"""Rows of a stream: made, fed to a stream in this process or through a pipe to another, and scored."""

import subprocess
import sys

import numpy as np

from rosenblatt.model.predict import predictions
from rosenblatt.training.online.endless_input import EndlessInput, open_text
from rosenblatt.training.request import Request

COMMAND = [sys.executable, "-m", "rosenblatt.cli"]
HEADER = "size,colour,kind\n"


def lines(rows, seed=0, scale=1.0, flip=False):
    """Rows whose class depends on a number and a category."""
    random = np.random.default_rng(seed)
    size, colour = random.normal(0, 1, rows), random.choice(["red", "blue", "green"], rows)
    large = (size + (colour == "red") > 0.5) != flip
    return [f"{s * scale:.6g},{c},{'large' if k else 'small'}\n" for s, c, k in zip(size, colour, large, strict=True)]


def piped(text, *options, ends=0):
    data = text if isinstance(text, bytes) else text.encode()
    result = subprocess.run([*COMMAND, "train", "-", *map(str, options)], input=data, capture_output=True, timeout=120)
    assert result.returncode == ends, result.stderr.decode()
    return result


def fed(text, pieces=1, predict_batch=1, **request):
    """A stream in this process, its bytes cut into so many pieces."""
    endless = EndlessInput(Request(**{"target": "kind", **request}), predict_batch)
    data = text if isinstance(text, bytes) else text.encode()
    for first in range(0, len(data), max(1, len(data) // pieces)):
        endless.feed(data[first : first + max(1, len(data) // pieces)])
    endless.end()
    return endless


def scores(model, texts):
    """What a model says of rows of text."""
    source = open_text((HEADER + "".join(texts)).encode())
    return np.concatenate([found.scores for found in predictions(model, source)])
