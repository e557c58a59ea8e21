"""A service killed (SIGKILL) at random moments under load: no acknowledged row is lost, and none is learned twice.

`python -m evidence.serve_kills 1000` kills it a thousand times; a second number is the seed of the moments. Clients
send rows with idempotency keys, and send each row again until it is acknowledged. At the end every acknowledged row
must be in the log exactly once, and the model of the service must have the bits of a training over the exported log.
"""

import http.client
import json
import multiprocessing
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt import fit, save
from rosenblatt.model.file import read, serialized
from rosenblatt.serve.log_audit import audit_log, learned_rows
from rosenblatt.training.online.continued_model import request_of
from rosenblatt.training.online.endless_input import EndlessInput

from .checks import Finding, print_findings

LOADED = ["rosenblatt.serve.application", "rosenblatt.serve.run_service", "safetensors.numpy", "evidence.checks"]
CLIENTS = 4
MAX_ROWS = 8  # of one request
MAX_SECONDS = 0.3  # from the first answer to a kill
MODEL, LOG, ERRORS = "model.safetensors", "log", "errors"


def write_model(folder: Path) -> None:
    """A model of two columns, trained on few rows."""
    generator = np.random.default_rng(0)
    size, colour = generator.normal(size=300), generator.choice(["red", "blue"], 300)
    kind = np.where(size + (colour == "red") > 0.5, "large", "small")
    save(fit({"size": size, "colour": colour, "kind": kind}, target="kind", algorithm="averaged"), folder / MODEL)


class Client(threading.Thread):
    """Sends rows until it is stopped; a request that is not answered is sent again with the same key."""

    def __init__(self, number: int, ports: "Ports") -> None:
        super().__init__(daemon=True)
        self.number, self.ports, self.stopped = number, ports, threading.Event()
        self.acknowledged: list[float] = []
        self.wrong: list[str] = []
        self.repeated = 0
        self._random = random.Random(number)

    def run(self) -> None:
        request = 0
        while not self.stopped.is_set():
            request += 1
            rows = [self._row(request, k) for k in range(self._random.randint(1, MAX_ROWS))]
            answer = self._send(f"{self.number}-{request}", rows)
            if answer is None:
                return
            if answer.get("learned") != len(rows):
                self.wrong.append(str(answer))
            self.repeated += answer.get("repeated", False)
            self.acknowledged += [row["size"] for row in rows]

    def _row(self, request: int, place: int) -> dict[str, Any]:
        """A row whose size no other row has."""
        size = self.number + (request * MAX_ROWS + place) / 2**30
        return {"size": size, "colour": self._random.choice(["red", "blue"]), "kind": "large" if size > 2 else "small"}

    def _send(self, key: str, rows: list[dict[str, Any]]) -> dict[str, Any] | None:
        """The answer; None if the client is stopped before there is one."""
        while not self.stopped.is_set():
            connection = http.client.HTTPConnection("127.0.0.1", self.ports.port, timeout=60)
            try:
                headers = {"content-type": "application/json", "idempotency-key": key}
                connection.request("POST", "/learn", json.dumps(rows), headers)
                response = connection.getresponse()
                content = json.loads(response.read())
            except (OSError, http.client.HTTPException, ValueError):
                self.stopped.wait(0.01)
                continue
            finally:
                connection.close()
            if response.status == 200:
                return dict(content)
            if response.status != 503:
                self.wrong.append(f"{response.status}: {content}")
                return None
        return None


class Ports:
    """The port on which the service listens now."""

    port = 1


def serve(folder: Path, connection: Any) -> None:
    """Run the service, in a process of its own."""
    errors = os.open(folder / ERRORS, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(errors, 2)
    from rosenblatt.foundation.network_address import allowed_hosts, open_listener
    from rosenblatt.serve.application import application
    from rosenblatt.serve.log_writer import LogWriter
    from rosenblatt.serve.run_service import run_service
    from rosenblatt.serve.service import Service

    def tell(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    listener = open_listener("127.0.0.1", 0, 0)
    port = listener.getsockname()[1]
    service = Service(LogWriter(folder / LOG, folder / MODEL, tell), model=folder / MODEL)
    listener.listen(128)
    app = application(service, "model", allowed_hosts("127.0.0.1", port))
    run_service(listener, app, service, announce=lambda: connection.send(port))


def start(folder: Path, ports: Ports) -> ForkServerProcess:
    """Start the service, and wait until it has recovered its log and listens."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(LOADED)
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(folder, theirs))
    process.start()
    theirs.close()
    ports.port = ours.recv()  # EOFError if it could not start
    return process


def fetch_model(port: int) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/model")
    content = connection.getresponse().read()
    connection.close()
    return content


def batch_model(folder: Path) -> bytes:
    """The model of `train -` over the rows that the log exports."""
    model = read(folder / MODEL)
    endless = EndlessInput(request_of(model), start=model)
    for rows in learned_rows(folder / LOG, 0):
        endless.feed(rows)
    endless.end()
    return serialized(endless.stream_outcome("end").model)


def run_kills(folder: Path, kills: int, seed: int = 0) -> tuple[list[str], str]:
    """Kill the service so many times; returns what went wrong, and the figures."""
    write_model(folder)
    ports, generator = Ports(), random.Random(seed)
    clients = [Client(number, ports) for number in range(CLIENTS)]
    process = start(folder, ports)
    for client in clients:
        client.start()
    for _ in range(kills):
        time.sleep(generator.random() * MAX_SECONDS)
        process.kill()
        process.join()
        process = start(folder, ports)
    time.sleep(MAX_SECONDS)
    for client in clients:
        client.stopped.set()
    for client in clients:
        client.join()
    served = fetch_model(ports.port)
    process.terminate()
    process.join()
    return compare(folder, clients, served)


def compare(folder: Path, clients: list[Client], served: bytes) -> tuple[list[str], str]:
    """Hold the log against what the clients were told."""
    wrong = [text for client in clients for text in client.wrong]
    lines = b"".join(learned_rows(folder / LOG, 0)).splitlines()
    logged = Counter(json.loads(line)["size"] for line in lines)
    acknowledged = [size for client in clients for size in client.acknowledged]
    lost = sum(logged[size] == 0 for size in acknowledged)
    twice = sum(count > 1 for count in logged.values())
    if lost or twice:
        wrong.append(f"{lost} acknowledged rows lost, {twice} learned twice")
    if served != batch_model(folder):
        wrong.append("the model differs from that of a training over the log")
    if not acknowledged:
        wrong.append("no row was acknowledged")
    repeated, torn = (
        sum(client.repeated for client in clients),
        (folder / ERRORS).read_text().count("never acknowledged"),
    )
    figures = (
        f"{len(acknowledged):,} rows acknowledged, {len(lines):,} in {audit_log(folder / LOG).records:,} records, "
    )
    return wrong, figures + f"{repeated:,} requests repeated, {torn:,} torn records dropped"


def check_kills(kills: int, seed: int = 0) -> Iterator[Finding]:
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        wrong, figures = run_kills(Path(folder), kills, seed)
    result = "; ".join([*wrong[:5], figures])
    yield Finding("serve", f"{kills:,} kills", result, time.perf_counter() - began, not wrong)


if __name__ == "__main__":
    sys.exit(print_findings(check_kills(*(map(int, sys.argv[1:]) if sys.argv[1:] else [20]))))
