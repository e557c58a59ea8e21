"""Hostile and malformed requests to `rosenblatt serve`: each is answered rightly or refused in one sentence.

`python -m evidence.hostile_requests 100000` sends so many to a service in a process of its own; a second number is the
seed. Some of them are made by schemathesis from the service's own OpenAPI description: it is asked for a fourth of all,
or for a third number, and finds about a third of that, in some 20 ms of processor time for each. The others are JSON,
JSON lines, Arrow streams, tensors, headers and paths, some sound and some damaged. A plain definition in this file says
which rows are sound: those must be predicted as the model file of that moment predicts them, all others be refused.
"""

import http.client
import itertools
import json
import math
import random
import re
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as arrow

from rosenblatt.model.file import read, serialized
from rosenblatt.serve.log_audit import audit_log, learned_rows
from rosenblatt.serve.published_model import PublishedModel
from rosenblatt.training.online.continued_model import request_of
from rosenblatt.training.online.endless_input import EndlessInput

from .checks import Finding, print_findings
from .serve_kills import ERRORS, LOG, Ports, start, write_model

JSON, NDJSON, ARROW = "application/json", "application/x-ndjson", "application/vnd.apache.arrow.stream"
PATHS = ["/predict", "/learn", "/feedback", "/explain", "/v2/models/model/infer", "/admin/rollback"]
READS = ["/", "/status", "/model", "/metrics", "/openapi.json", "/health", "/admin/versions", "/v2/models/model"]
SERVER_TEXTS = {b"Invalid HTTP request received."}
ODD = [
    None,
    True,
    0,
    -0.0,
    1e308,
    -1e309,
    2**60,
    10**400,
    "",
    " ",
    "2.5",
    "1_000",
    "\u0661",
    "red",
    "\ud800",
    "\0",
    "x" * 5000,
    [],
    {},
    [1],
]
SOUND_SHARE = 0.3
FETCH_EVERY = 200

# As Python prints it, or within a text of JSON. A request may contain these words, and a refusal may quote them.
STACK_TRACE = re.compile(r'Traceback \(most recent call last\):(\n|\\n) +File \\?".*", line \d')


class Answer(NamedTuple):
    """The status, headers and body of an answer; status 0 if the connection was closed without one."""

    status: int
    headers: dict[str, str]
    body: bytes


class Wire:
    """One connection, opened again whenever it was closed."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._socket: socket.socket | None = None

    def send(self, content: bytes, method: str = "POST", last: bool = False) -> Answer:
        """The answer to some bytes. After the `last` no more are sent, so that the service waits for none."""
        for attempt in (1, 2):  # a connection that was kept alive may be closed by now
            fresh = self._socket is None
            link = self._socket = self._socket or socket.create_connection(("127.0.0.1", self.port), timeout=60)
            try:
                link.sendall(content)
                if last:
                    link.shutdown(socket.SHUT_WR)
                response = http.client.HTTPResponse(link, method=method)
                response.begin()
                answer = Answer(response.status, {k.lower(): v for k, v in response.headers.items()}, response.read())
                if last or response.will_close:
                    self.close()
                return answer
            except (OSError, http.client.HTTPException):
                self.close()
                if fresh or last or attempt == 2:
                    break
        return Answer(0, {}, b"")

    def request(self, method: str, path: str, body: bytes = b"", **headers: str) -> Answer:
        lines = {"host": f"127.0.0.1:{self.port}", "content-length": str(len(body)), **headers}
        head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items())
        return self.send(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode("utf-8", "replace") + body, method)

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None


# What is sound, by a definition that shares no code with the service.


def is_sound(row: Any) -> bool:
    """Whether a row can be predicted: both columns, a finite number or none, and a text, a number or none.

    A number that is not finite is no JSON, so it may stand nowhere.
    """
    if not isinstance(row, dict) or any(isinstance(each, float) and not math.isfinite(each) for each in row.values()):
        return False
    return is_number(row.get("size", [])) and is_text(row.get("colour", []))


def is_labelled(row: Any) -> bool:
    """Whether a row can be learned: it is sound, and the model knows its class."""
    return is_sound(row) and isinstance(row.get("kind"), str) and row["kind"].strip() in ("large", "small")


def is_number(value: Any) -> bool:
    """Whether a value is a number or missing. Python reads some texts as numbers that a table does not."""
    if isinstance(value, str) and not set(value) <= set("+-.0123456789eE \n"):
        return False
    try:
        return value in (None, "") or (isinstance(value, int | float | str) and math.isfinite(float(value)))
    except (ValueError, OverflowError):
        return False


def is_text(value: Any) -> bool:
    if isinstance(value, str):
        return not any("\ud800" <= letter <= "\udfff" for letter in value)
    return value is None or isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))


# Requests


class Forge:
    """Makes requests from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.ids = ["1-0"]  # of predictions to give feedback for

    def row(self, truth: bool) -> dict[str, Any]:
        draw = self.random
        row: dict[str, Any] = {"size": round(draw.gauss(0, 1), 3), "colour": draw.choice(["red", "blue", None])}
        if truth:
            row["kind"] = draw.choice(["large", "small"])
        if draw.random() > SOUND_SHARE:
            name = draw.choice([*row, "other"])
            row[name] = draw.choice(ODD)
            if draw.random() < 0.1:
                del row[name]
        return row

    def rows(self, truth: bool) -> list[Any]:
        rows: list[Any] = [self.row(truth) for _ in range(self.random.choice([1, 1, 2, 5]))]
        if self.random.random() < 0.05:
            rows.append(self.random.choice(ODD))
        return rows

    def damaged(self, body: bytes) -> bytes:
        """A body with some of its bytes changed, cut off or repeated."""
        draw, found = self.random, bytearray(body)
        for _ in range(draw.choice([1, 1, 3, 10])):
            place = draw.randrange(len(found) + 1)
            kind = draw.randrange(4)
            if kind == 0 and found:
                found[place % len(found)] = draw.randrange(256)
            elif kind == 1:
                del found[place:]
            elif kind == 2:
                found[place:place] = draw.randbytes(draw.choice([1, 4, 16]))
            else:
                found += found[place : place + 64]
        return bytes(found)

    def table(self, truth: bool) -> bytes:
        """An Arrow stream of sound columns, or of columns of other types; compressed or not."""
        draw, count = self.random, self.random.choice([0, 1, 3, 50])
        columns: dict[str, Any] = {
            "size": arrow.array([draw.gauss(0, 1) for _ in range(count)]),
            "colour": arrow.array([draw.choice(["red", "blue", None]) for _ in range(count)], arrow.string()),
        }
        if truth:
            columns["kind"] = arrow.array([draw.choice(["large", "small"]) for _ in range(count)], arrow.string())
        if draw.random() > SOUND_SHARE:
            odd = [arrow.nulls(count), arrow.array([[1]] * count), arrow.array([b"\xff"] * count, arrow.binary())]
            odd += [columns["colour"].dictionary_encode(), columns["size"].cast(arrow.float32())]
            columns[draw.choice([*columns, "other"])] = draw.choice(odd)
        sink, table = arrow.BufferOutputStream(), arrow.table(columns)
        options = arrow.ipc.IpcWriteOptions(compression=draw.choice([None, None, "lz4", "zstd"]))
        with arrow.ipc.new_stream(sink, table.schema, options=options) as writer:
            writer.write_table(table)
        content: bytes = sink.getvalue().to_pybytes()
        return content

    def tensors(self) -> Any:
        draw, rows = self.random, self.rows(False)
        inputs = [
            {
                "name": name,
                "shape": [len(rows)],
                "datatype": kind,
                "data": [row.get(name) if isinstance(row, dict) else row for row in rows],
            }
            for name, kind in (("size", "FP64"), ("colour", "BYTES"))
        ]
        if draw.random() > SOUND_SHARE:
            inputs[0][draw.choice([*inputs[0]])] = draw.choice(ODD)
        return {"inputs": draw.choice([inputs, inputs, inputs[:1], draw.choice(ODD)])}

    def feedback(self) -> Any:
        draw = self.random
        known = draw.choice([*self.ids[-20:], "0-0", "x", "9" * 40, *ODD])
        found = [{"id": known, "label": draw.choice(["large", "small", *ODD])} for _ in range(draw.choice([1, 1, 2]))]
        return draw.choice([found, found[0], draw.choice(ODD)])

    def malformed(self) -> bytes:
        """Bytes that are no request, or one with unusual headers or an unusual path."""
        draw = self.random
        path = draw.choice(
            ["/predict", "/../../etc/passwd", "/%2e%2e/%00", "//", "*", "/" + "a" * 9000, "/\xff", "", "/v2"]
        )
        method = draw.choice(["GET", "POST", "PUT", "DELETE", "TRACE", "OPTIONS", "PATCH", "get", "\0", "G ET"])
        headers = ["Host: 127.0.0.1"] * draw.choice([0, 1, 1, 1, 2])
        headers += draw.sample(
            [
                "Content-Length: -1",
                "Content-Length: 99999999999999999999",
                "Content-Length: 5",
                "Transfer-Encoding: chunked",
                "Transfer-Encoding: gzip, chunked",
                "Origin: null",
                "Host: evil.example",
                "Authorization: Bearer " + "x" * 3000,
                "Content-Type: " + draw.choice([JSON, NDJSON, ARROW, "\xff", "application/json;" * 50]),
                "Idempotency-Key: " + draw.choice(["", "\x7f", "k" * 9000]),
                "Expect: 100-continue",
                "X: " + "y" * draw.choice([1, 70000]),
                "no colon",
                "Range: bytes=0-",
                "Upgrade: websocket\r\nConnection: upgrade",
            ],
            draw.randrange(4),
        )
        body = draw.choice([b"", b"{}", b"5\r\nhello\r\n0\r\n\r\n", b"ffffffffffffffff\r\n", draw.randbytes(40)])
        content = "\r\n".join([f"{method} {path} HTTP/{draw.choice(['1.1', '1.1', '1.0', '9.9'])}", *headers, "", ""])
        return content.encode("latin-1") + body


class Expected(NamedTuple):
    """What an answer must be: the rows whose predictions it must hold, None if it must be refused, or anything."""

    rows: list[Any] | None
    anything: bool = False


ANYTHING = Expected(None, True)


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
