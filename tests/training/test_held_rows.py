"""Blank lines of a stream, and comments of LIBSVM text, do not change the model."""

import json

import numpy as np
import pytest
from stream_rows import HEADER, fed, lines

TEXTS = {
    "csv": lambda cells: [HEADER, *(",".join(row) + "\n" for row in cells)],
    "tsv": lambda cells: [HEADER.replace(",", "\t"), *("\t".join(row) + "\n" for row in cells)],
    "json": lambda cells: [json.dumps({"size": float(a), "colour": b, "kind": c}) + "\n" for a, b, c in cells],
    "libsvm": lambda cells: [f"{'+1' if c == 'large' else '-1'} 1:{a} {2 + len(b)}:1\n" for a, b, c in cells],
}
NO_ROWS = {"csv": ["\n", "\r\n"], "tsv": ["\n", "\r\n"], "json": ["\n", " \n"], "libsvm": ["\n", " \n", "# a note\n"]}


def scattered(texts, kind, dice, first):
    """The same lines with lines between them that are no rows."""
    blank = [NO_ROWS[kind][k] for k in dice.integers(len(NO_ROWS[kind]), size=len(texts))]
    between = zip(texts, blank, dice.random(len(texts)) < 0.2, strict=True)
    return "".join(first + [text + line * int(hit) for text, line, hit in between])


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("pieces", [1, 300])
def test_lines_that_are_no_rows_do_not_change_the_model(kind, pieces):
    texts = TEXTS[kind]([row.strip().split(",") for row in lines(1700)])
    target = None if kind == "libsvm" else "kind"
    plain = fed("".join(texts), target=target)
    blank = fed(scattered(texts, kind, np.random.default_rng(0), ["\n", "\n"]), pieces, target=target)
    assert (blank.rows, blank.is_streaming) == (plain.rows, True)
    assert (blank.accuracy.right, blank.accuracy.rows) == (plain.accuracy.right, plain.accuracy.rows)
    np.testing.assert_array_equal(blank.learner.stream.coef, plain.learner.stream.coef)
    np.testing.assert_array_equal(blank.learner.stream.intercept, plain.learner.stream.intercept)


@pytest.mark.parametrize("kind", ["csv", "libsvm"])
def test_blank_lines_after_a_thousand_rows_begin_no_stream(kind):
    texts = TEXTS[kind]([row.strip().split(",") for row in lines(1000)])
    endless = fed("".join(texts) + "".join(NO_ROWS[kind]) * 3, target=None if kind == "libsvm" else "kind")
    assert not endless.is_streaming
