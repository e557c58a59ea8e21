"""Load on `rosenblatt serve`: `python -m benchmarks.serving [SECONDS]` prints rates, latencies and costs.

A model of 30 numeric columns is served on 127.0.0.1 with a log. Client and service share the machine, so its other work
counts too. One-row predictions are sent at a fixed rate, each when it is due, so that a slow answer delays no other
(no coordinated omission), and then as fast as eight connections allow.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pyarrow as arrow

from rosenblatt import fit, save

COLUMNS, BATCH_ROWS, LEARNED_TOGETHER, CONNECTIONS = 30, 20_000, (1, 100), 8
RATES = (100, 2000)  # requests a second
ARROW, JSON = "application/vnd.apache.arrow.stream", "application/json"


class Connection:
    """A connection that is kept alive, and sends whole requests."""

    def __init__(self, host: str, port: int) -> None:
        self.host, self.port = host, port

    async def open(self) -> "Connection":
        self.reader, self.writer = await asyncio.open_connection(self.host, self.port)
        return self

    async def send(self, request: bytes) -> None:
        """Send a request, and read its answer to the end."""
        self.writer.write(request)
        head = await self.reader.readuntil(b"\r\n\r\n")
        if b" 200 " not in head[:20]:
            raise RuntimeError(head.decode())
        length = int(next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))[15:])
        await self.reader.readexactly(length)


def post(path: str, body: bytes, kind: str, port: int) -> bytes:
    head = (
        f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def at_rate(port: int, request: bytes, rate: float, seconds: float) -> list[float]:
    """The latencies of requests that are sent at a fixed rate, counted from when each was due."""
    free: asyncio.Queue[Connection] = asyncio.Queue()
    for _ in range(4 * CONNECTIONS):
        free.put_nowait(await Connection("127.0.0.1", port).open())
    latencies: list[float] = []

    async def one(due: float) -> None:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        connection = await free.get()
        await connection.send(request)
        latencies.append(time.perf_counter() - due)
        free.put_nowait(connection)

    began = time.perf_counter() + 0.1
    await asyncio.gather(*(one(began + k / rate) for k in range(int(rate * seconds))))
    return latencies


async def closed_loop(port: int, request: bytes, seconds: float) -> list[float]:
    """The latencies of requests that each connection sends one after the other."""
    latencies: list[float] = []
    until = time.perf_counter() + seconds

    async def client() -> None:
        connection = await Connection("127.0.0.1", port).open()
        while (began := time.perf_counter()) < until:
            await connection.send(request)
            latencies.append(time.perf_counter() - began)

    await asyncio.gather(*(client() for _ in range(CONNECTIONS)))
    return latencies


def quantiles(latencies: list[float]) -> str:
    low, high = np.quantile(latencies, [0.5, 0.99]) * 1e3
    return f"p50 {low:7.2f} ms  p99 {high:7.2f} ms"


def processor_seconds(process: int) -> float:
    """The processor time that a process has used. Unlike the clock it does not count what other programs do."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(title: str, process: int, load: Coroutine[Any, Any, list[float]], rows: int = 1) -> None:
    """Run a load, and print its rate, its latencies and the processor time of the service."""
    before = processor_seconds(process)
    began = time.perf_counter()
    found = asyncio.run(load)
    elapsed = time.perf_counter() - began
    used = (processor_seconds(process) - before) / len(found) * 1e3
    rate = rows * len(found) / elapsed
    print(f"{title:40} {rate:10,.0f} rows/s  {quantiles(found)}  {used:7.2f} ms of processor a request", flush=True)


def run(process: int, port: int, seconds: float) -> None:
    random = np.random.default_rng(1)
    row = {f"x{k}": float(value) for k, value in enumerate(random.normal(size=COLUMNS))}
    one = post("/predict", json.dumps(row).encode(), JSON, port)
    for rate in RATES:
        measure(f"predict one row, {rate:,} a second due", process, at_rate(port, one, rate, seconds))
    measure("predict one row, as fast as it goes", process, closed_loop(port, one, seconds))
    table = arrow.table({f"x{k}": random.normal(size=BATCH_ROWS) for k in range(COLUMNS)})
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    batch = post("/predict", sink.getvalue().to_pybytes(), ARROW, port)
    load = closed_loop(port, batch, seconds)
    measure(f"predict {BATCH_ROWS:,} rows of Arrow", process, load, BATCH_ROWS)
    for together in LEARNED_TOGETHER:
        learn = post("/learn", json.dumps([{**row, "y": "a"}] * together).encode(), JSON, port)
        load = closed_loop(port, learn, seconds)
        measure(f"learn {together} rows at a time, on the disk", process, load, together)


def main() -> None:
    seconds = float(sys.argv[1]) if sys.argv[1:] else 5.0
    random = np.random.default_rng(0)
    X = random.normal(size=(2000, COLUMNS))
    y = np.where(X @ random.normal(size=COLUMNS) > 0, "a", "b")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.safetensors")
        columns = {f"x{k}": X[:, k] for k in range(COLUMNS)}
        save(fit({**columns, "y": y}, target="y", algorithm="averaged"), path)
        command = [sys.executable, "-m", "rosenblatt.cli", "serve", str(path), "--log", f"{folder}/log", "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
            assert service.stdout is not None
            try:
                run(service.pid, urlsplit(service.stdout.readline().strip()).port or 0, seconds)
            finally:
                service.terminate()


if __name__ == "__main__":
    main()
