"""The lab over HTTP: one page and its questions, for the person at this machine only.

A browser lets any web page send requests to this machine. So a request must name a host that this server was started
for, which stops DNS rebinding, and its Origin header, if any, must be this page.
"""

import asyncio
import json
import socket
from collections.abc import Mapping, Sequence
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
from ..foundation.network_address import names_this_machine
from .packed_arrays import to_json
from .questions import QuestionHandler, answer_question
from .static_files import joined_module, page_styles, static_text

MAX_REQUEST_BYTES = 256 * 1024
MAX_READ_SECONDS = 10.0
MAX_CONCURRENT_ANSWERS = 2
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors"
)
SECURITY_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
HTTP_ERROR_SENTENCES = {
    404: "The lab has no such page.",
    405: "The lab does not accept this HTTP method here.",
}


class OriginGuard:
    """Middleware that refuses requests from other sites and adds the security headers to every response."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str] | None, frame_ancestors: Sequence[str] = ()) -> None:
        self.app, self.hosts = app, hosts
        policy = " ".join([CONTENT_POLICY, *(frame_ancestors or ["'none'"])])
        self.headers = {"content-security-policy": policy, **SECURITY_HEADERS}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send) if scope["type"] == "lifespan" else None

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self.headers)
            await send(message)

        refusal = self._refusal(Headers(scope=scope))
        app = self.app if refusal is None else JSONResponse({"error": refusal}, 403)
        await app(scope, receive, send_with_headers)

    def _refusal(self, headers: Headers) -> str | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if not (names_this_machine(host) if self.hosts is None else host.lower() in self.hosts):
            return "The lab answers only under the address it was started with."
        if origin is not None and origin.lower() not in (f"http://{host}".lower(), f"https://{host}".lower()):
            return "The lab answers only to its own page."
        if headers.get("sec-fetch-site", "none") in ("cross-site", "same-site") and origin is not None:
            return "The lab answers only to its own page."
        return None


def application(
    hosts: frozenset[str] | None,
    questions: Mapping[str, QuestionHandler] | None = None,
    frame_ancestors: Sequence[str] = (),
) -> Starlette:
    """The lab as an ASGI application. `hosts` are the Host headers it accepts; `questions` adds more questions.

    If `hosts` is None, every address of this machine is accepted (`names_this_machine`). `frame_ancestors` are the
    sites, such as https://course.example.org, whose pages may show the lab in a frame.
    """
    limiter = CapacityLimiter(MAX_CONCURRENT_ANSWERS)

    async def ask(request: Request) -> Response:
        try:
            content = await _read_json(request)
            kind = request.path_params["kind"]
            answer = await to_thread.run_sync(answer_question, kind, content, questions, limiter=limiter)
            return Response(to_json(answer), media_type="application/json")
        except InputError as error:
            return JSONResponse({"error": str(error)}, 422)
        except ClientDisconnect:
            return Response(status_code=400)

    def file(content: str, kind: str) -> Any:
        return lambda request: Response(content, media_type=kind)

    routes = [
        Route("/", file(static_text("index.html"), "text/html")),
        Route("/lab.css", file(page_styles(), "text/css")),
        Route("/lab.js", file(joined_module(), "text/javascript")),
        Route("/browser_host.js", file(static_text("browser_host.js"), "text/javascript")),
        Route("/ask/{kind}", ask, methods=["POST"]),
    ]
    handlers: Mapping[Any, Any] = {HTTPException: _http_error, Exception: _internal_error}
    guard = Middleware(OriginGuard, hosts=hosts, frame_ancestors=frame_ancestors)
    return Starlette(routes=routes, middleware=[guard], exception_handlers=handlers)


async def _read_json(request: Request) -> Any:
    """The JSON body of a request, refused if it is too large or too slow."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "The lab takes requests in JSON (content-type application/json).")
    body = bytearray()
    try:
        async with asyncio.timeout(MAX_READ_SECONDS):
            async for piece in request.stream():
                body += piece
                if len(body) > MAX_REQUEST_BYTES:
                    raise HTTPException(413, f"A request can have {MAX_REQUEST_BYTES // 1024} kB at most.")
    except TimeoutError:
        raise HTTPException(408, "The request took too long to arrive.") from None
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise HTTPException(400, "The request is not JSON.") from None


def _http_error(request: Request, error: HTTPException) -> Response:
    sentence = HTTP_ERROR_SENTENCES.get(error.status_code, error.detail)
    return JSONResponse({"error": sentence}, error.status_code, headers=error.headers)


def _internal_error(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": "The lab failed at this request; please report what you did."}, 500)


def serve(listener: socket.socket, app: ASGIApp) -> None:
    """Answer requests until Ctrl-C."""
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        limit_concurrency=64,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=1,
    )
    uvicorn.Server(config).run(sockets=[listener])
