"""Hostile and malformed requests to `rosenblatt serve`: each is answered rightly or refused in one sentence.

`python -m evidence.hostile_requests 100000` sends so many to a service in a process of its own; a second number is the
seed. Some of them are made by schemathesis from the service's own OpenAPI description: it is asked for a fourth of all,
or for a third number, and finds about a third of that, in some 20 ms of processor time for each. The others are JSON,
JSON lines, Arrow streams, tensors, headers and paths, some sound and some damaged. The plain definition in
`sound_rows.py` says which rows are sound: those must be predicted as the model file of that moment predicts them, all
others be refused.
"""

import itertools
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rosenblatt.model.file import read, serialized
from rosenblatt.serve.log_audit import audit_log, learned_rows
from rosenblatt.serve.published_model import PublishedModel
from rosenblatt.training.online.continued_model import request_of
from rosenblatt.training.online.endless_input import EndlessInput

from .checks import Finding, print_findings
from .forged_requests import ARROW, JSON, NDJSON, SOUND_SHARE, Forge
from .http_wire import Answer, Wire
from .judged_answers import ANYTHING, STACK_TRACE, Expected, found_wrong
from .serve_kills import ERRORS, LOG, Ports, start, write_model
from .sound_rows import is_labelled, is_sound

PATHS = ["/predict", "/learn", "/feedback", "/explain", "/v2/models/model/infer", "/admin/rollback"]
READS = ["/", "/status", "/model", "/metrics", "/openapi.json", "/health", "/admin/versions", "/v2/models/model"]

FETCH_EVERY = 200


class Trial:
    """Sends requests and holds each answer against what it must be."""

    def __init__(self, folder: Path, port: int, seed: int) -> None:
        self.folder, self.wire, self.forge = folder, Wire(port), Forge(seed)
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.acknowledged = 0
        self._model: PublishedModel | None = None
        self._next_fetch = 0
        self._record = self._status()

    # Kinds of requests

    def predict_json(self) -> None:
        rows = self.forge.rows(False)
        body = json.dumps(rows[0] if len(rows) == 1 else rows).encode()
        self._send("json", "/predict", body, JSON, self._prediction(rows))

    def predict_lines(self) -> None:
        rows = self.forge.rows(False)
        body = b"\n".join(json.dumps(row).encode() for row in rows)
        self._send("json lines", "/predict", body, NDJSON, self._prediction(rows))

    def infer(self) -> None:
        content = self.forge.tensors()
        self._send("tensors", "/v2/models/model/infer", json.dumps(content).encode(), JSON, ANYTHING)

    def arrow_rows(self) -> None:
        path = self.forge.random.choice(PATHS[:4])
        body = self.forge.table(path == "/learn")
        body = body if self.forge.random.random() < SOUND_SHARE else self.forge.damaged(body)
        self._send("arrow", path, body, ARROW, ANYTHING)

    def learn(self) -> None:
        rows = self.forge.rows(True)
        body = json.dumps(rows).encode()
        self._send("learn", "/learn", body, JSON, ANYTHING if all(map(is_labelled, rows)) else Expected(None))

    def feedback(self) -> None:
        self._send("feedback", "/feedback", json.dumps(self.forge.feedback()).encode(), JSON, ANYTHING)

    def damaged_json(self) -> None:
        path = self.forge.random.choice(PATHS)
        body = self.forge.damaged(json.dumps(self.forge.rows(path == "/learn")).encode())
        self._send("damaged json", path, body, self.forge.random.choice([JSON, NDJSON]), ANYTHING)

    def remember(self) -> None:
        answer = self._send("remember", "/predict?remember=true", b'{"size": 1, "colour": "red"}', JSON, ANYTHING)
        if answer.status == 200:
            self.forge.ids.append(json.loads(answer.body)["id"])

    def malformed(self) -> None:
        answer = self.wire.send(self.forge.malformed(), last=True)
        self._check("http", answer, ANYTHING)

    def reads(self) -> None:
        path = self.forge.random.choice(READS)
        self._check("reads", self.wire.request("GET", path), ANYTHING)

    def kinds(self) -> list[Callable[[], None]]:
        """The kinds by turns; those that write the log wait for the disk, so there are fewer of them."""
        return [
            *[self.predict_json, self.predict_lines, self.arrow_rows, self.infer, self.malformed, self.damaged_json]
            * 3,
            *[self.learn, self.feedback, self.reads, self.remember],
        ]

    def described(self, count: int, seed: int) -> None:
        """Requests that schemathesis makes from the description."""
        import hypothesis
        import schemathesis

        schema = schemathesis.openapi.from_dict(json.loads(self.wire.request("GET", "/openapi.json").body))
        operations = [found.ok() for found in schema.get_all_operations()]
        modes = [schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE]
        wanted = [(operation, mode) for operation in operations for mode in modes]
        for operation, mode in wanted:
            try:
                strategy = operation.as_strategy(generation_mode=mode)
            except Exception:  # an operation without anything to violate
                continue

            @hypothesis.seed(seed)
            @hypothesis.settings(
                max_examples=max(1, count // len(wanted)),
                database=None,
                deadline=None,
                phases=[hypothesis.Phase.generate],
                suppress_health_check=list(hypothesis.HealthCheck),
            )
            @hypothesis.given(case=strategy)
            def send(case: Any) -> None:
                self._send_case(case)

            try:
                send()
            except (hypothesis.errors.Unsatisfiable, schemathesis.errors.InvalidSchema):
                continue
        self._record = self._status()

    def _send_case(self, case: Any) -> None:
        made = case.as_transport_kwargs(base_url=f"http://127.0.0.1:{self.wire.port}")
        import requests

        try:
            ready = requests.Request(**{key: made[key] for key in made if key in REQUEST_WORDS}).prepare()
        except (ValueError, requests.RequestException, UnicodeError):
            return
        body = ready.body if isinstance(ready.body, bytes) else (ready.body or "").encode()
        skipped = {"content-length", "host", "connection"}
        headers = {str(k): _text(v) for k, v in ready.headers.items() if k.lower() not in skipped}
        if any(letter in value for value in headers.values() for letter in "\r\n"):
            return
        self._check("described", self.wire.request(str(ready.method), ready.path_url, body, **headers), ANYTHING)

    # Checks

    def _send(self, kind: str, path: str, body: bytes, content_type: str, expected: Expected) -> Answer:
        writes = path.startswith(("/learn", "/feedback"))
        answer = self.wire.request("POST", path, body, content_type=content_type)
        self._check(kind, answer, expected)
        if writes and answer.status == 200:
            self.acknowledged += json.loads(answer.body)["learned"] * (not json.loads(answer.body)["repeated"])
        if answer.status == 200 and (writes or path == "/admin/rollback"):
            self._model = None
        if writes and 400 <= answer.status < 500 and self._status() != self._record:
            self.wrong.append(f"{kind}: a refused request changed the log: {body[:80]!r}")
        self._record = self._status() if writes or "remember" in path else self._record
        return answer

    def _check(self, kind: str, answer: Answer, expected: Expected) -> None:
        self.counts["requests"] += 1
        self.counts["served" if answer.status < 400 and answer.status else "refused"] += 1
        self.counts[kind] += 1
        for why in found_wrong(answer, expected):
            self.wrong.append(f"{kind}: {why}")
        if expected.rows is not None and answer.status == 200:
            self._compare(kind, expected.rows, answer.body)

    def _prediction(self, rows: list[Any]) -> Expected:
        """Sound rows must be predicted. Numbers near the largest may overflow, which depends on the model."""
        if not all(map(is_sound, rows)):
            return Expected(None)
        return ANYTHING if any(abs(float(row["size"] or 0)) > 1e300 for row in rows) else Expected(rows)

    def _compare(self, kind: str, rows: list[Any], body: bytes) -> None:
        """The scores of an answer must be those of the model file that the service gives.

        Fetching the file makes the service calibrate the model, so it is done once in `FETCH_EVERY` requests.
        """
        if self._model is None and self.counts["requests"] < self._next_fetch:
            return
        if self._model is None:
            self._next_fetch = self.counts["requests"] + FETCH_EVERY
            path = self.folder / "served.safetensors"
            path.write_bytes(self.wire.request("GET", "/model").body)
            self._model = PublishedModel(read(path), None)
        self.counts["scores compared"] += len(rows)
        scores = self._model.score(self._model.arrow_batch(rows)).scores.tolist()
        content = [json.loads(line) for line in body.splitlines()]
        given = content[0].get("predictions", content) if len(content) == 1 else content
        if [one["scores"] if "scores" in one else [one["score"]] for one in given] != scores:
            self.wrong.append(f"{kind}: a prediction is not that of the model")

    def _status(self) -> int:
        return int(json.loads(self.wire.request("GET", "/status").body)["record"])


REQUEST_WORDS = ("method", "url", "headers", "params", "json", "data", "files", "cookies")


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def run_requests(folder: Path, count: int, seed: int = 0, described: int | None = None) -> tuple[list[str], str]:
    """Send so many requests; returns what went wrong, and the figures."""
    write_model(folder)
    ports = Ports()
    process = start(folder, ports)
    trial = Trial(folder, ports.port, seed)
    try:
        trial.described(count // 4 if described is None else described, seed)  # of which it finds a part
        for send in itertools.cycle(trial.kinds()):
            if trial.counts["requests"] >= count or len(trial.wrong) > 50:
                break
            send()
        alive = process.is_alive()
        served = trial.wire.request("GET", "/model").body
    finally:
        trial.wire.close()
        process.terminate()
        process.join()
    wrong = [*trial.wrong, *([] if alive else ["the service ended"])]
    wrong += log_differences(folder, served, trial)
    about = ", ".join(f"{name} {number:,}" for name, number in trial.counts.items())
    return wrong, f"{about}, rows learned {trial.acknowledged:,}"


def log_differences(folder: Path, served: bytes, trial: Trial) -> list[str]:
    """Hold the log against the model that was served and the messages of the service."""
    audit = audit_log(folder / LOG)
    model = read(audit.model or "")
    endless = EndlessInput(request_of(model), start=model)
    for rows in learned_rows(folder / LOG, audit.model_record):
        endless.feed(rows)
    endless.end()
    wrong = []
    if audit.learned_since_model and serialized(endless.stream_outcome("end").model) != served:
        wrong.append("the model differs from that of a training over the log")
    if STACK_TRACE.search((folder / ERRORS).read_text()):
        wrong.append("the service printed a stack trace")
    return wrong


def check_requests(count: int, seed: int = 0, described: int | None = None) -> Iterator[Finding]:
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        wrong, figures = run_requests(Path(folder), count, seed, described)
    yield Finding(
        "serve", f"{count:,} requests", "; ".join([*wrong[:8], figures]), time.perf_counter() - began, not wrong
    )


if __name__ == "__main__":
    sys.exit(print_findings(check_requests(*(map(int, sys.argv[1:]) if sys.argv[1:] else [2000]))))
