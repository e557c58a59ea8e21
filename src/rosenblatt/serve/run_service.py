"""Run the service until SIGTERM or Ctrl-C: requests under way are answered, and the queue is learned, first."""

import logging
import signal
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import uvicorn
from starlette.types import ASGIApp

from ..foundation.errors import InputError
from .bounded_http import http_protocol
from .client_deadlines import with_deadlines
from .request_guard import log_event
from .service import Service

MAX_CONNECTIONS = 1024
KEEP_ALIVE_SECONDS = 30
DRAIN_SECONDS = 30


class EventHandler(logging.Handler):
    """The server's own messages, as lines of JSON like all others."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        about = {} if error is None else {"error": f"{type(error).__name__}: {error}"}
        log_event("server error", message=record.getMessage(), **about)


LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"events": {"()": EventHandler}},
    "loggers": {
        name: {"handlers": ["events"], "level": "ERROR", "propagate": False} for name in ("uvicorn", "asyncio")
    },
}


class TlsFiles(NamedTuple):
    """The certificate and the key of a service that speaks HTTPS."""

    certificate: Path
    key: Path


class AnnouncedServer(uvicorn.Server):
    """A server that tells when it hears requests and signals."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._announce()


def run_service(
    listener: socket.socket,
    app: ASGIApp,
    service: Service,
    announce: Callable[[], None],
    tls: TlsFiles | None = None,
) -> None:
    """Answer requests until a signal ends the service; from `announce` on, a signal ends it in good order."""
    try:
        _allow_files(4 * MAX_CONNECTIONS)
        config = _loaded_config(app, tls)
        with suppress(KeyboardInterrupt), _reload_on_hangup(service):
            AnnouncedServer(config, announce).run(sockets=[listener])
    finally:
        service.provider.close()
        log_event("stopped", record=service.published.record)


def _loaded_config(app: ASGIApp, tls: TlsFiles | None) -> uvicorn.Config:
    """The settings of the server, with its certificate read."""
    config = uvicorn.Config(
        app,
        log_config=LOGGING,
        access_log=False,
        http=http_protocol,
        ws="none",
        limit_concurrency=MAX_CONNECTIONS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=DRAIN_SECONDS,
        server_header=False,
        ssl_certfile=None if tls is None else str(tls.certificate),
        ssl_keyfile=None if tls is None else str(tls.key),
    )
    try:
        config.load()
        config.http_protocol_class = with_deadlines(config.http_protocol_class)
    except ssl.SSLError:
        assert tls is not None
        raise InputError(f"{tls.certificate} and {tls.key} are no certificate in PEM and its key: give both.") from None
    return config


def _allow_files(wanted: int) -> None:
    """Raise this process's limit on open files, often 1,024: connections must not take the log's."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


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
