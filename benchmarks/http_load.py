"""Servers on one core and the clients that put load on them from another, all on 127.0.0.1.

Without a second core, or where processes cannot be pinned, both share what there is.
"""

import asyncio
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.peers import NoPeer

HOST = "127.0.0.1"
START_SECONDS = 60


class Answered(NamedTuple):
    """How many requests were answered, in how many seconds, and the latency of each, if it was noted."""

    requests: int
    seconds: float
    latencies: Sequence[float] = ()

    @property
    def p99(self) -> float:
        return float(np.quantile(self.latencies, 0.99))


class Request(NamedTuple):
    """A request with a body."""

    path: str
    body: bytes
    kind: str = "application/json"

    def encoded(self, port: int) -> bytes:
        head = f"POST {self.path} HTTP/1.1\r\nhost: {HOST}:{port}\r\ncontent-type: {self.kind}"
        return f"{head}\r\ncontent-length: {len(self.body)}\r\n\r\n".encode() + self.body


def core_of(client: bool) -> set[int] | None:
    """The first core for servers, the last for clients; None where there is only one, or pinning is not possible."""
    allowed = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    return None if len(allowed) < 2 else {allowed[-1 if client else 0]}


def pinned(client: bool) -> Callable[[], None] | None:
    """What a new process does first."""
    core = core_of(client)
    return None if core is None else lambda: os.sched_setaffinity(0, core)


class Server:
    """A server process on one core. It ends with `close`."""

    def __init__(self, command: Sequence[str], port: int | None = None, env: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            command,
            env=env,
            preexec_fn=pinned(client=False),
            stdout=subprocess.PIPE if port is None else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.port = self._printed_port() if port is None else port

    def _printed_port(self) -> int:
        assert self.process.stdout is not None
        return int(self.process.stdout.readline().strip().rstrip("/").rpartition(":")[2])

    def wait_for(self, request: Request) -> None:
        """Wait until a request is answered."""
        until = time.monotonic() + START_SECONDS
        while self.process.poll() is None and time.monotonic() < until:
            try:
                _run(lambda: closed_loop(self.port, request, 1, requests=1))
                return
            except OSError:
                time.sleep(0.2)
        self.close()
        raise NoPeer("the server of the peer did not start")

    def processor_seconds(self) -> float:
        """The processor time used so far. Unlike the clock it does not count what other programs do."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_bytes(self) -> float:
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()


class Connection(asyncio.Protocol):
    """A connection that is kept alive and sends whole requests. It costs far less than asyncio's streams."""

    def __init__(self) -> None:
        self._received, self._length, self._answered = bytearray(), -1, asyncio.Event()

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        if self._length < 0 and (end := self._received.find(b"\r\n\r\n")) >= 0:
            self._length = end + 4 + self._body_length(bytes(self._received[:end]))
        if 0 <= self._length <= len(self._received):
            self._answered.set()

    def _body_length(self, head: bytes) -> int:
        if b" 200 " not in head[:20]:
            raise RuntimeError(head.decode())
        return int(re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)[1])  # type: ignore[index]

    def connection_lost(self, error: Exception | None) -> None:
        self._answered.set()

    async def send(self, request: bytes) -> None:
        """Send a request, and wait for the end of its answer."""
        self._received.clear()
        self._length = -1
        self._answered.clear()
        self.transport.write(request)
        await self._answered.wait()
        if not 0 <= self._length <= len(self._received):
            raise ConnectionError("the connection was closed")


async def connect(port: int) -> Connection:
    return (await asyncio.get_running_loop().create_connection(Connection, HOST, port))[1]


async def at_rate(port: int, request: Request, rate: float, requests: int, connections: int = 32) -> Answered:
    """Requests at a fixed rate. Latencies count from when each was due, so a slow answer delays no other."""
    opened = [await connect(port) for _ in range(connections)]
    latencies: list[float] = []
    content, due_times = request.encoded(port), iter(range(requests))
    began = time.perf_counter() + 0.1

    async def send_next(connection: Connection) -> None:
        for number in due_times:
            due = began + number / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            await connection.send(content)
            latencies.append(time.perf_counter() - due)
        connection.transport.close()

    await asyncio.gather(*map(send_next, opened))
    return Answered(requests, time.perf_counter() - began, latencies)


async def closed_loop(port: int, request: Request, connections: int, requests: int) -> Answered:
    """Requests that each connection sends one after the other."""
    left, content = iter(range(requests)), request.encoded(port)
    opened = [await connect(port) for _ in range(min(connections, requests))]

    async def send_all(connection: Connection) -> None:
        for _ in left:
            await connection.send(content)
        connection.transport.close()

    began = time.perf_counter()
    await asyncio.gather(*map(send_all, opened))
    return Answered(requests, time.perf_counter() - began)


def on_client_core(load: Callable[[], Coroutine[Any, Any, Answered]]) -> Answered:
    """Run a client of this process on the core of clients."""
    core = core_of(client=True)
    before = None if core is None else os.sched_getaffinity(0)
    if core is not None:
        os.sched_setaffinity(0, core)
    try:
        return _run(load)
    finally:
        if before is not None:
            os.sched_setaffinity(0, before)


def _run(load: Callable[[], Coroutine[Any, Any, Answered]]) -> Answered:
    """Run a client, by uvloop where it is installed."""
    try:
        from uvloop import run
    except ImportError:
        return asyncio.run(load())
    return run(load())


def as_fast_as_it_goes(port: int, request: Request, connections: int, seconds: float) -> Answered:
    """Requests by wrk, which costs little itself; where it is not installed, by a client of ours."""
    if shutil.which("wrk") is None:
        return on_client_core(lambda: closed_loop(port, request, connections, round(1000 * seconds)))
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        body = "".join(f"\\{byte:03}" for byte in request.body)
        script.write(f'wrk.method = "POST"\nwrk.headers["content-type"] = "{request.kind}"\nwrk.body = "{body}"\n')
        script.flush()
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds:g}s", "-s", script.name]
        address = f"http://{HOST}:{port}{request.path}"
        done = subprocess.run(
            [*command, address], capture_output=True, text=True, check=True, preexec_fn=pinned(client=True)
        )
    if "Non-2xx" in done.stdout:
        raise RuntimeError(done.stdout)
    count, length = re.search(r"(\d+) requests in ([\d.]+m?s)", done.stdout).groups()  # type: ignore[union-attr]
    return Answered(int(count), float(length[:-1]) if not length.endswith("ms") else float(length[:-2]) / 1000)
