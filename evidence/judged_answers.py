"""What an answer must be, and what is wrong with one by itself."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from .http_wire import Answer

SERVER_TEXTS = {b"Invalid HTTP request received."}

# As Python prints it, or within a text of JSON. A request may contain these words, and a refusal may quote them.
STACK_TRACE = re.compile(r'Traceback \(most recent call last\):(\n|\\n) +File \\?".*", line \d')


class Expected(NamedTuple):
    """What an answer must be: the rows whose predictions it must hold, None if it must be refused, or anything."""

    rows: list[Any] | None
    anything: bool = False


ANYTHING = Expected(None, True)


def found_wrong(answer: Answer, expected: Expected) -> Iterator[str]:
    """What is wrong with an answer by itself."""
    text = answer.body.decode("utf-8", "replace")
    if STACK_TRACE.search(text):
        yield f"a stack trace: {text[:200]}"
    if answer.status >= 500 and not (answer.status == 503 and "retry-after" in answer.headers):
        yield f"status {answer.status}: {text[:200]}"
    if 400 <= answer.status < 500 and answer.body not in SERVER_TEXTS and not is_sentence(answer.body):
        yield f"a refusal that is no sentence, {answer.status}: {text[:200]}"
    if not expected.anything and (answer.status == 200) != (expected.rows is not None):
        right = "a refusal" if expected.rows is None else "200"
        yield f"status {answer.status} where {right} is right: {text[:200]}"


def is_sentence(body: bytes) -> bool:
    """Whether a body is the one sentence of a refusal. An answer to HEAD has none."""
    if not body:
        return True
    try:
        content = json.loads(body)
    except ValueError:
        return False
    return isinstance(content, dict) and re.fullmatch(r"[^\n]+[.?]", str(content.get("error"))) is not None
