"""The lab over HTTP: one page, and the questions it asks. For the person at this machine, and for nobody else.

A browser lets any web page send requests to this machine. So a request must name a host that this server was started
for (a name that an attacker points here is refused), and if it says where it comes from, that must be this page.
"""

import asyncio
import json
import re
import socket
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any

import uvicorn
from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..foundation.errors import InputError
from .assets import module, text
from .packed_arrays import as_json
from .questions import Answer, answered

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
EVERYWHERE = ("0.0.0.0", "::")
MOST_BYTES = 256 * 1024
READING_SECONDS = 10.0
AT_ONCE = 2  # questions worked on at a time
SAFE = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
SENTENCES = {404: "There is no such page in the lab.", 405: "The lab cannot be asked this way."}


class Guard:
    """Lets in requests for this server from its own page, and sends every answer with the headers of `SAFE`."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str] | None) -> None:
        self.app, self.hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send) if scope["type"] == "lifespan" else None

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(SAFE)
            await send(message)

        refusal = self._refusal(Headers(scope=scope))
        answer = self.app if refusal is None else JSONResponse({"error": refusal}, 403)
        await answer(scope, receive, send_safely)

    def _refusal(self, headers: Headers) -> str | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if not (names_this_machine(host) if self.hosts is None else host.lower() in self.hosts):
            return "The lab answers only under the address it was started with."
        if origin is not None and origin.lower() not in (f"http://{host}".lower(), f"https://{host}".lower()):
            return "The lab answers only to its own page."
        if headers.get("sec-fetch-site", "none") in ("cross-site", "same-site") and origin is not None:
            return "The lab answers only to its own page."
        return None


def application(hosts: frozenset[str] | None, questions: Mapping[str, Answer] | None = None) -> Starlette:
    """The lab as an ASGI application. `hosts` are the names it answers to; `questions` are more.

    Where `hosts` is None it answers to every address of this machine, see `names_this_machine`.
    """
    limiter = CapacityLimiter(AT_ONCE)

    async def ask(request: Request) -> Response:
        try:
            content = await _content(request)
            kind = request.path_params["kind"]
            answer = await to_thread.run_sync(answered, kind, content, questions, limiter=limiter)
            return Response(as_json(answer), media_type="application/json")
        except InputError as error:
            return JSONResponse({"error": str(error)}, 422)
        except ClientDisconnect:
            return Response(status_code=400)

    def file(content: str, kind: str) -> Any:
        return lambda request: Response(content, media_type=kind)

    routes = [
        Route("/", file(text("index.html"), "text/html")),
        Route("/lab.css", file(text("lab.css"), "text/css")),
        Route("/lab.js", file(module(), "text/javascript")),
        Route("/start.js", file(text("start.js"), "text/javascript")),
        Route("/ask/{kind}", ask, methods=["POST"]),
    ]
    handlers: Mapping[Any, Any] = {HTTPException: _told, Exception: _apology}
    return Starlette(routes=routes, middleware=[Middleware(Guard, hosts=hosts)], exception_handlers=handlers)


async def _content(request: Request) -> Any:
    """The JSON of a request, if it comes in time and is not too much."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "The lab takes requests in JSON (content-type application/json).")
    body = bytearray()
    try:
        async with asyncio.timeout(READING_SECONDS):
            async for piece in request.stream():
                body += piece
                if len(body) > MOST_BYTES:
                    raise HTTPException(413, f"A request can have {MOST_BYTES // 1024} kB at most.")
    except TimeoutError:
        raise HTTPException(408, "The request took too long to arrive.") from None
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise HTTPException(400, "The request is not JSON.") from None


def _told(request: Request, error: HTTPException) -> Response:
    sentence = SENTENCES.get(error.status_code, error.detail)
    return JSONResponse({"error": sentence}, error.status_code, headers=error.headers)


def _apology(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": "The lab failed at this request; please report what you did."}, 500)


# Serving


def listening(host: str, port: int | None, usual: int) -> socket.socket:
    """A socket on the port given, or else on the usual one if it is free, or else on any."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for choice in (usual, 0) if port is None else (port,):
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, choice))
            return listener
        except (OSError, OverflowError) as error:
            listener.close()
            if choice in (port, 0):
                where = host if port is None else f"{host}, port {port}"
                why = getattr(error, "strerror", None) or "a port is a number from 0 to 65535"
                raise InputError(f"The lab cannot listen on {where}: {why}.") from None
    raise AssertionError("0 is tried last")


def is_loopback(host: str) -> bool:
    return host.startswith("127.") or host in ("localhost", "::1")


def own_name() -> str:
    return socket.gethostname().lower()


def names_this_machine(host: str) -> bool:
    """Whether a request names an address, by number, or this machine.

    A name that somebody else chose is refused: such names can be pointed at this machine (DNS rebinding).

    >>> names_this_machine("192.168.1.7:1958"), names_this_machine("[::1]:80"), names_this_machine("evil.example:80")
    (True, True, False)
    """
    name = host.lower().rpartition(":")[0] if re.search(r":\d+$", host) else host.lower()
    if name in ("localhost", own_name(), f"{own_name()}.local"):
        return True
    try:
        ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def names_of(host: str, port: int) -> frozenset[str] | None:
    """The hosts that requests may name; None where the server was told to listen everywhere.

    >>> sorted(names_of("127.0.0.1", 1958))
    ['127.0.0.1:1958', '[::1]:1958', 'localhost:1958']
    """
    if host in EVERYWHERE:
        return None
    own = (f"[{host}]" if ":" in host else host.lower(),)
    names = LOOPBACK if is_loopback(host) else own
    return frozenset(f"{name}:{port}" for name in (*names, *own))


def serve(listener: socket.socket, app: ASGIApp) -> None:
    """Answer until Ctrl-C."""
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        limit_concurrency=64,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=1,
    )
    uvicorn.Server(config).run(sockets=[listener])
