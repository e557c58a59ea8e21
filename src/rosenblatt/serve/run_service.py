"""Run the service until SIGTERM or Ctrl-C: requests under way are answered, and the queue is learned, first."""

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import uvicorn
from starlette.types import ASGIApp

from .request_guard import log_event
from .service import Service

MAX_CONNECTIONS = 1024
KEEP_ALIVE_SECONDS = 30
DRAIN_SECONDS = 30


class TlsFiles(NamedTuple):
    """The certificate and the key of a service that speaks HTTPS."""

    certificate: Path
    key: Path


def run_service(listener: socket.socket, app: ASGIApp, service: Service, tls: TlsFiles | None = None) -> None:
    """Answer requests until a signal ends the service."""
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=DRAIN_SECONDS,
        server_header=False,
        ssl_certfile=None if tls is None else str(tls.certificate),
        ssl_keyfile=None if tls is None else str(tls.key),
    )
    try:
        with suppress(KeyboardInterrupt), _reload_on_hangup(service):
            uvicorn.Server(config).run(sockets=[listener])
    finally:
        service.provider.close()
        log_event("stopped", record=service.published.record)


@contextmanager
def _reload_on_hangup(service: Service) -> Iterator[None]:
    """Take the model file again on SIGHUP, in a thread of its own."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGHUP"):
        yield
        return

    def hear(number: int, frame: FrameType | None) -> None:
        threading.Thread(target=reload_and_log, args=[service], daemon=True).start()

    before = signal.signal(signal.SIGHUP, hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


def reload_and_log(service: Service) -> None:
    """Take the model file again; if it cannot be used, the old model stays."""
    try:
        future = service.reload()
        if future is not None:
            future.result()
        log_event("reloaded", version=service.published.version)
    except Exception as error:
        log_event("reload failed", error=str(error))
