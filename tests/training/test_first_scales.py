"""Wild numbers among the first rows of a stream do not spoil the scales of their columns."""

import numpy as np
import pytest

from rosenblatt.training.online.endless_input import EndlessInput
from rosenblatt.training.request import Request

ROWS = 3000


def fed(columns, labels):
    text = ",".join(columns) + ",kind\n"
    for *row, label in zip(*columns.values(), labels, strict=True):
        text += ",".join(repr(float(number)) for number in row) + f",{label}\n"
    endless = EndlessInput(Request(target="kind"))
    endless.feed(text.encode())
    endless.end()
    return endless


def accuracy(endless):
    return endless.accuracy.right / endless.accuracy.rows


def table(zeros=0.0):
    random = np.random.default_rng(0)
    size, other = random.normal(size=(2, ROWS))
    size[random.random(ROWS) < zeros] = 0.0
    return {"size": size, "other": other}, np.where(size + 0.3 * other > 0, "large", "small")


@pytest.mark.parametrize("wild", [1e6, -1e6, 1e12])
@pytest.mark.parametrize("rows", [[3], [28], [28, 500, 999]])
@pytest.mark.parametrize("zeros", [0.0, 0.6])
def test_wild_numbers_among_the_first_rows_spoil_no_scale(wild, rows, zeros):
    columns, labels = table(zeros)
    plain = fed(columns, labels)
    columns["size"][rows] = wild
    spoilt = fed(columns, labels)
    assert accuracy(spoilt) > accuracy(plain) - 0.1  # the labels do not follow the wild numbers
    assert spoilt.learner.encoder.column_encoders["size"].scale < 5


def test_numbers_of_the_same_order_keep_the_deviation_of_all_of_them():
    columns, labels = table()
    columns["size"] = np.random.default_rng(1).exponential(size=ROWS)
    endless = fed({name: values[:1001] for name, values in columns.items()}, labels[:1001])
    first = columns["size"][:1000]
    column = endless.learner.encoder.column_encoders["size"]
    assert column.scale == pytest.approx(first.std())
    assert column.centre == pytest.approx(first.mean())
