"""The service over HTTP: the routes, and how bodies, errors and answers look."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from typing import Any
from urllib.parse import quote

from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from ..foundation.errors import InputError
from . import inference_protocol
from .access_tokens import AccessTokens
from .group_memory import AnotherTruth
from .log_writer import Answer, Busy, LogFailure
from .openapi import openapi
from .request_guard import RateLimit, RequestGuard, log_event
from .row_formats import FORMATS, Rows, formatted, parse_rows, read_value
from .service import Refused, Service, ids_of
from .service_metrics import CONTENT_TYPE, Metrics
from .status_page import status_page

SMALL_BODY = 1 << 14  # bytes up to which a request is answered at once, not by another thread
DEFAULT_TOP = 10
SCOPES = {
    **{"/predict": "predict", "/explain": "predict", "/learn": "learn", "/feedback": "learn"},
    **{"/": "predict", "/status": "predict", "/metrics": "predict", "/model": "predict"},
    **{"/admin/reload": "admin", "/admin/versions": "admin", "/admin/rollback": "admin"},
}
HTTP_ERROR_SENTENCES = {404: "The service has no such path.", 405: "The service does not accept this method here."}
Handler = Callable[[Request], Awaitable[Response]]


class Application:
    """The handlers of all routes."""

    def __init__(self, service: Service, name: str, metrics: Metrics) -> None:
        self.service, self.name, self.metrics = service, name, metrics

    def routes(self) -> list[Route]:
        return [
            Route("/", self.page),
            Route("/predict", self.predict, methods=["POST"]),
            Route("/explain", self.explain, methods=["POST"]),
            Route("/learn", self.learn, methods=["POST"]),
            Route("/feedback", self.feedback, methods=["POST"]),
            Route("/status", self.status),
            Route("/model", self.model),
            Route("/metrics", self.show_metrics),
            Route("/openapi.json", self.describe),
            Route("/health", self.ready),
            Route("/admin/reload", self.reload, methods=["POST"]),
            Route("/admin/versions", self.versions, methods=["GET", "POST"]),
            Route("/admin/rollback", self.rollback, methods=["POST"]),
            Route("/v2/health/live", self.live),
            Route("/v2/health/ready", self.ready),
            Route("/v2/models/{name}", self.metadata),
            Route("/v2/models/{name}/ready", self.metadata),
            Route("/v2/models/{name}/infer", self.infer, methods=["POST"]),
        ]

    # Rows

    async def predict(self, request: Request) -> Response:
        kind, rows, size = await self._rows(request)
        asked = _flag(request, "probabilities")
        columns, published = await _work(size, lambda: self.service.predict(rows, asked))
        if _flag(request, "remember"):
            answer = await self._awaited(await _work(size, lambda: self.service.remember(rows)))
            columns = {"id": ids_of(answer), **columns}
        about = {"record": published.record}
        content = await _work(size, lambda: formatted(kind, columns, about, rows.single))
        return Response(content, media_type=kind)

    async def explain(self, request: Request) -> Response:
        _, rows, size = await self._rows(request)
        if rows.table is not None:
            raise InputError("Rows to explain are taken as JSON: send objects of columns.")
        top = request.query_params.get("top", str(DEFAULT_TOP))
        if not (top.isascii() and top.isdigit() and len(top) < 6):
            raise InputError("top must be a whole number, such as 10.")
        found = await _work(size, lambda: self.service.explain(rows, int(top)))
        return JSONResponse(found[0] if rows.single else {"explanations": found})

    async def learn(self, request: Request) -> Response:
        _, rows, size = await self._rows(request)
        key = request.headers.get("idempotency-key")
        return _learned(await self._awaited(await _work(size, lambda: self.service.learn(rows, key)), key))

    async def feedback(self, request: Request) -> Response:
        _, rows, size = await self._rows(request)
        return _learned(await self._awaited(await _work(size, lambda: self.service.feedback(rows))))

    async def _rows(self, request: Request) -> tuple[str, Rows, int]:
        """The format of a request, its rows, and the size of its body."""
        limits = self.service.limits
        kind = FORMATS.get(request.headers.get("content-type", "").partition(";")[0].strip().lower())
        if kind is None:
            raise HTTPException(415, f"The content type must be one of {', '.join(FORMATS)}.")
        body = await self._body(request)
        return kind, await _work(len(body), lambda: parse_rows(kind, body, limits.rows)), len(body)

    async def _body(self, request: Request) -> bytes:
        """The body of a request, refused if it is too large or too slow."""
        limits, body = self.service.limits, bytearray()
        try:
            async with asyncio.timeout(limits.read_seconds):
                async for piece in request.stream():
                    body += piece
                    if len(body) > limits.body_bytes:
                        raise HTTPException(413, f"A request can have {limits.body_bytes:,} bytes at most.")
        except TimeoutError:
            raise HTTPException(408, "The request took too long to arrive.") from None
        return bytes(body)

    async def _awaited(self, future: "Future[Answer]", key: str | None = None) -> Answer:
        """The answer of the learner. A request that takes too long may still be learned, and its key tells."""
        try:
            async with asyncio.timeout(self.service.limits.answer_seconds):
                return await asyncio.shield(asyncio.wrap_future(future))
        except TimeoutError:
            instead = "ask again with the same idempotency key" if key else "the record of /status says when it is"
            raise HTTPException(504, f"The request is not on the disk yet: {instead}.") from None

    # The service itself

    async def page(self, request: Request) -> Response:
        return HTMLResponse(status_page(self.name, self.service))

    async def status(self, request: Request) -> Response:
        return JSONResponse(self.service.status())

    async def model(self, request: Request) -> Response:
        content = await to_thread.run_sync(self.service.model_file)
        headers = {"content-disposition": _attachment(f"{self.name}.safetensors")}
        return Response(content, media_type="application/octet-stream", headers=headers)

    async def show_metrics(self, request: Request) -> Response:
        return PlainTextResponse(self.metrics.text(self.service), media_type=CONTENT_TYPE)

    async def describe(self, request: Request) -> Response:
        return JSONResponse(openapi(self.service.published.schema))

    async def live(self, request: Request) -> Response:
        return JSONResponse({"live": True})

    async def ready(self, request: Request) -> Response:
        failure = self.service.provider.failure
        return JSONResponse({"ready": failure is None, "failure": failure}, 200 if failure is None else 503)

    # Administration

    async def reload(self, request: Request) -> Response:
        future = await to_thread.run_sync(self.service.reload)
        if future is not None:
            await self._awaited(future)
        return JSONResponse({"version": self.service.published.version})

    async def versions(self, request: Request) -> Response:
        kept = await to_thread.run_sync(self.service.keep_version) if request.method == "POST" else None
        found = await to_thread.run_sync(self.service.versions)
        content = {"versions": found, "version": self.service.published.version}
        return JSONResponse(content if kept is None else {**content, "kept": kept})

    async def rollback(self, request: Request) -> Response:
        content = read_value(await self._body(request), "The request")
        version = content.get("version") if isinstance(content, dict) else None
        await self._awaited(await to_thread.run_sync(self.service.rollback, version))
        return JSONResponse({"version": self.service.published.version})

    # The Open Inference Protocol

    async def metadata(self, request: Request) -> Response:
        self._check_name(request)
        return JSONResponse(inference_protocol.metadata(self.name, self.service.published))

    async def infer(self, request: Request) -> Response:
        self._check_name(request)
        body = await self._body(request)
        content, rows = await _work(len(body), lambda: inference_protocol.read_request(body))
        if rows.row_count > self.service.limits.rows:
            raise InputError(f"A request can have {self.service.limits.rows:,} rows at most: send several.")
        columns, published = await _work(len(body), lambda: self.service.predict(rows, False))
        answer = inference_protocol.outputs(self.name, content, columns, published)
        response: Response = await _work(len(body), lambda: JSONResponse(answer))
        return response

    def _check_name(self, request: Request) -> None:
        if request.path_params["name"] != self.name:
            raise HTTPException(404, f"The service has one model, {self.name!r}.")


async def _work(size: int, function: Callable[[], Any]) -> Any:
    """The result of a function: at once for small requests, else by another thread."""
    return function() if size <= SMALL_BODY else await to_thread.run_sync(function)


def _attachment(name: str) -> str:
    """The header that names a file. Letters other than plain ones are encoded: a quote or a line would end it."""
    encoded = quote(name, safe="")
    return f'attachment; filename="{name}"' if encoded == name else f"attachment; filename*=UTF-8''{encoded}"


def _flag(request: Request, name: str) -> bool:
    value = request.query_params.get(name, "false").lower()
    if value not in ("true", "false", "1", "0"):
        raise InputError(f"{name} must be true or false.")
    return value in ("true", "1")


def _learned(answer: Answer) -> Response:
    return JSONResponse({"record": answer.record, "learned": answer.rows, "repeated": answer.repeated})


def application(
    service: Service,
    name: str,
    hosts: frozenset[str] | None,
    tokens: AccessTokens | None = None,
    log_requests: bool = False,
) -> Starlette:
    """The service as an ASGI application. `hosts` are the Host headers it accepts; None accepts any of this machine."""
    metrics, limits = Metrics(), service.limits
    rate = None if limits.requests_per_second is None else RateLimit(limits.requests_per_second)
    guard = Middleware(
        RequestGuard,
        scopes=SCOPES,
        metrics=metrics,
        hosts=hosts,
        tokens=tokens,
        rate=rate,
        log_requests=log_requests,
    )
    handlers: Mapping[Any, Any] = {
        HTTPException: _http_error,
        InputError: _sentence(422),
        AnotherTruth: _sentence(409),
        Refused: _sentence(409),
        Busy: _sentence(503, {"retry-after": "1"}),
        LogFailure: _sentence(503),
        OSError: _file_error,
        ClientDisconnect: lambda request, error: Response(status_code=400),
    }
    return Starlette(
        routes=Application(service, name, metrics).routes(), middleware=[guard], exception_handlers=handlers
    )


def _http_error(request: Request, error: HTTPException) -> Response:
    sentence = error.detail if error.status_code not in HTTP_ERROR_SENTENCES else _path_sentence(error)
    return JSONResponse({"error": sentence}, error.status_code, headers=error.headers)


def _path_sentence(error: HTTPException) -> str:
    plain = error.detail in ("Not Found", "Method Not Allowed")
    return HTTP_ERROR_SENTENCES[error.status_code] if plain else error.detail


def _sentence(status: int, headers: Mapping[str, str] | None = None) -> Callable[[Request, Exception], Response]:
    """A handler that answers with the sentence of an error. Errors about columns leave its end to the caller."""

    def answer(request: Request, error: Exception) -> Response:
        text = str(error)
        return JSONResponse({"error": text if text.endswith((".", "?")) else f"{text}."}, status, headers=headers)

    return answer


def _file_error(request: Request, error: OSError) -> Response:
    """A file that is gone, or a disk that is full: the log names the file, which a client need not know."""
    log_event("error", path=request.url.path, error=f"{type(error).__name__}: {error}")
    reason = type(error).__name__ if error.errno is None else os.strerror(error.errno)
    sentence = f"The service cannot use one of its files ({reason}): its log on standard error names it."
    return JSONResponse({"error": sentence}, 503)
