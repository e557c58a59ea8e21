"""A table of people with columns of every kind, and the command line to train on it."""

import json

import numpy as np
import pandas as pd
from typer.testing import CliRunner

from rosenblatt.cli.app import app

ROWS = 400


def people(rows=ROWS, seed=0):
    """A table of numbers, categories, texts and dates, with gaps, an identifier, and classes that overlap a little."""
    random = np.random.default_rng(seed)
    job, age = random.choice(["cook", "clerk", "smith", "queen"], rows), random.normal(40, 9, rows).round(1)
    glad = (job == "cook") * 1.5 + (age > 42) + random.normal(0, 0.5, rows) > 1
    words = np.where(glad, "what a lovely and sunny day", "what a dull and rainy day")
    table = pd.DataFrame(
        {
            "person_id": random.permutation(10 * rows)[:rows],
            "age": np.where(random.random(rows) < 0.1, np.nan, age),
            "job": np.where(random.random(rows) < 0.1, "?", job),
            "note": [f"{text}, said number {k}" for k, text in enumerate(words)],
            "born": pd.Timestamp("1980-01-01") + pd.to_timedelta(random.integers(0, 9000, rows), unit="D"),
            "mood": np.where(glad, "glad", "sad"),
        }
    )
    table["born"] = table["born"].dt.date
    return table


def call(*arguments, ends=0, stdin=None):
    result = CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False, input=stdin)
    assert result.exit_code == ends, result.stderr
    return result


def told(*arguments):
    return json.loads(call(*arguments, "--json").stdout)
