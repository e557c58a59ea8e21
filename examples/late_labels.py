"""Serve a filter of mails whose labels arrive late: predict now, learn when somebody has said what a mail was.

`python examples/late_labels.py` trains a filter on a few labelled mails, starts `rosenblatt serve` with a log, and
sends it a stream of mails, ten at a time. The label of each mail arrives 100 to 200 mails later. Half way the
advertisers change their words: the filter that learns follows them, the one that does not is lost. All mails are made
up here, by a seed.

    mails     mails predicted so far
    learning  share of the last 500 mails that the learning filter predicted correctly when they came
    frozen    the same of the filter as it was trained
"""

import csv
import json
import subprocess
import sys
import tempfile
import urllib.request
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from rosenblatt import fit, load, save

MAILS, TOGETHER, LATE, SHOWN = 3000, 10, 100, 500
COMMON = ("the", "a", "meeting", "report", "today", "please", "find", "thanks", "team", "order", "invoice", "week")
WANTED = ("agenda", "minutes", "draft", "review", "lunch", "schedule", "colleague", "budget")
UNWANTED = (
    ("winner", "prize", "casino", "bonus", "pills", "cheap"),
    ("crypto", "airdrop", "token", "wallet", "gains", "yield"),
)


class Line(NamedTuple):
    """One line of the table."""

    mails: int
    learning: float
    frozen: float


def mails(count: int, seed: int, changed: bool) -> Iterator[dict[str, str]]:
    """Mails with their label."""
    random = Random(seed)
    for _ in range(count):
        unwanted = random.random() < 0.4
        words = random.choices(COMMON, k=12) + random.choices(UNWANTED[changed] if unwanted else WANTED, k=2)
        random.shuffle(words)
        yield {"text": " ".join(words), "label": "unwanted" if unwanted else "wanted"}


def post(address: str, path: str, content: object) -> Any:
    """Send JSON to the service."""
    request = urllib.request.Request(address + path, json.dumps(content).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


def lines() -> Iterator[Line]:
    """Run the service on 127.0.0.1, and yield the lines of the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "mails.safetensors")
        first = list(mails(600, 1, changed=False))
        table = {name: [mail[name] for mail in first] for name in ("text", "label")}
        save(fit(table, target="label", kinds={"text": "text"}, algorithm="averaged"), path)
        command = [sys.executable, "-m", "rosenblatt.cli", "serve", str(path), "--log", f"{folder}/log", "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
            assert service.stdout is not None
            try:
                yield from send_mails(service.stdout.readline().strip(), load(path))
            finally:
                service.terminate()


def send_mails(address: str, frozen: Any) -> Iterator[Line]:
    """Predict each mail, and give its label when it has arrived."""
    waiting: deque[dict[str, str]] = deque()
    right: deque[tuple[bool, bool]] = deque(maxlen=SHOWN)
    stream = [*mails(MAILS // 2, 2, changed=False), *mails(MAILS // 2, 3, changed=True)]
    expected = frozen.predict({"text": [mail["text"] for mail in stream]})
    for first in range(0, MAILS, TOGETHER):
        some = stream[first : first + TOGETHER]
        answers = post(address, "predict?remember=true", [{"text": mail["text"]} for mail in some])["predictions"]
        for mail, answer, label in zip(some, answers, expected[first:], strict=False):
            right.append((answer["label"] == mail["label"], label == mail["label"]))
            waiting.append({"id": answer["id"], "label": mail["label"]})
        if len(waiting) == 2 * LATE:  # the labels of a hundred mails arrive together
            post(address, "feedback", [waiting.popleft() for _ in range(LATE)])
        number = first + TOGETHER
        if number % SHOWN == 0:
            learning, kept = (sum(column) / len(right) for column in zip(*right, strict=True))
            yield Line(number, round(learning, 3), round(kept, 3))


def main() -> None:
    writer = csv.writer(sys.stdout)
    writer.writerow(Line._fields)
    for line in lines():
        writer.writerow(line)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
