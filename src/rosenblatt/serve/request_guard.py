"""The door of the service: it checks host, origin, token and rate of each request, counts it, and logs it.

A browser lets any web page send requests to this machine. So a request must name a host that the service was started
for, which stops DNS rebinding, and its Origin header, if any, must be the service itself.
"""

import json
import sys
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..foundation.network_address import names_this_machine
from .access_tokens import AccessTokens
from .service_metrics import Metrics

SECURITY_HEADERS = (  # no answer has them of itself
    (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)
FAILURE = "The service failed at this request; its log on standard error says why."


class Refusal(NamedTuple):
    """The status and the sentence of a request that is not let in."""

    status: int
    sentence: str
    headers: Mapping[str, str] | None = None


class RateLimit:
    """A bucket of tokens: so many requests a second, and as many at once.

    >>> now = 0.0
    >>> limit = RateLimit(2, lambda: now)
    >>> [limit.allows() for _ in range(3)]
    [True, True, False]
    >>> now = 0.5
    >>> limit.allows()
    True
    """

    def __init__(self, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = per_second, clock
        self._left, self._filled = max(1.0, per_second), clock()

    def allows(self) -> bool:
        now = self._clock()
        self._left = min(max(1.0, self._rate), self._left + (now - self._filled) * self._rate)
        self._filled = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class RequestGuard:
    """Middleware around the application. `scopes` names the scope of each path; others need none."""

    def __init__(
        self,
        app: ASGIApp,
        scopes: Mapping[str, str],
        metrics: Metrics,
        hosts: frozenset[str] | None,
        tokens: AccessTokens | None = None,
        rate: RateLimit | None = None,
        log_requests: bool = False,
    ) -> None:
        self.app, self.scopes, self.metrics, self.hosts = app, scopes, metrics, hosts
        self.tokens, self.rate, self.log_requests = tokens, rate, log_requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            return await send({"type": "websocket.close"})
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        began, status = time.perf_counter(), 0

        async def send_and_note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *SECURITY_HEADERS]
            await send(message)

        refusal = self._refusal(scope["path"], Headers(scope=scope))
        app = (
            self.app if refusal is None else JSONResponse({"error": refusal.sentence}, refusal.status, refusal.headers)
        )
        try:
            await app(scope, receive, send_and_note)
        except Exception as error:
            if status:  # half of the answer is sent: the server closes the connection
                raise
            log_event("error", path=scope["path"], error=f"{type(error).__name__}: {error}")
            await JSONResponse({"error": FAILURE}, 500)(scope, receive, send_and_note)
        finally:
            self._note(scope, status or 500, time.perf_counter() - began)

    def _refusal(self, path: str, headers: Headers) -> Refusal | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if not (names_this_machine(host) if self.hosts is None else host.lower() in self.hosts):
            return Refusal(421, "The service answers only under the address it was started with.")
        if origin is not None and origin.lower() not in (f"http://{host}".lower(), f"https://{host}".lower()):
            return Refusal(403, "The service answers no pages of other sites.")
        needed = self._scope_of(path)
        if needed is not None and not self._is_allowed(headers, needed):
            return Refusal(401, f"This needs a token with the scope {needed}.", {"www-authenticate": "Bearer"})
        if self.rate is not None and needed is not None and not self.rate.allows():
            return Refusal(429, "Too many requests: try again in a second.", {"retry-after": "1"})
        return None

    def _is_allowed(self, headers: Headers, scope: str) -> bool:
        return self.tokens is None or self.tokens.allow(headers.get("authorization", ""), scope)

    def _scope_of(self, path: str) -> str | None:
        """The scope of a path; those of the inference protocol hold the name of the model."""
        if path.startswith("/v2/models/"):
            return "predict"
        return self.scopes.get(path)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        path = scope["path"] if scope["path"] in self.scopes else "/v2" if scope["path"].startswith("/v2/") else "other"
        self.metrics.add(path, status, seconds)
        if self.log_requests:
            log_event("request", method=scope["method"], path=scope["path"], status=status, seconds=round(seconds, 6))


def log_event(event: str, **about: object) -> None:
    """Write one line of JSON to standard error."""
    print(json.dumps({"time": time.time(), "event": event, **about}), file=sys.stderr, flush=True)
