"""Hostile requests: a sample of what `python -m evidence.hostile_requests` does, and that its checks can fail."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def hostile_requests():
    """The module `evidence.hostile_requests`, which lies beside the tests."""
    sys.path.insert(0, str(ROOT))
    try:
        from evidence import hostile_requests

        yield hostile_requests  # the process that it starts looks there, too
    finally:
        sys.path.remove(str(ROOT))


def test_a_sample_of_hostile_requests_is_answered_or_refused(hostile_requests, tmp_path):
    wrong, figures = hostile_requests.run_requests(tmp_path, 600)
    assert wrong == [], figures


@pytest.mark.parametrize(
    ("status", "headers", "body", "rows", "words"),
    [
        (500, {}, b'{"error": "It failed."}', None, "status 500"),
        (503, {}, b'{"error": "Busy."}', None, "status 503"),
        (422, {}, b"Unprocessable", None, "no sentence"),
        (422, {}, b'{"error": "two\\nlines"}', None, "no sentence"),
        (200, {}, b'Traceback (most recent call last):\n  File "x.py", line 1', None, "a stack trace"),
        (200, {}, b"{}", None, "where a refusal is right"),
        (422, {}, b'{"error": "No."}', [{"size": 1}], "where 200 is right"),
    ],
)
def test_a_wrong_answer_is_found(hostile_requests, status, headers, body, rows, words):
    answer = hostile_requests.Answer(status, headers, body)
    assert any(words in why for why in hostile_requests.found_wrong(answer, hostile_requests.Expected(rows)))


def test_a_right_answer_is_not(hostile_requests):
    busy = hostile_requests.Answer(503, {"retry-after": "1"}, b'{"error": "Busy."}')
    refused = hostile_requests.Answer(422, {}, b'{"error": "Row 1 has no column \'size\'."}')
    for answer in (busy, refused):
        assert list(hostile_requests.found_wrong(answer, hostile_requests.Expected(None))) == []
