"""The fast parser of HTTP, httptools, with limits that it lacks: on the size of heads and on requests in advance.

The parser in Python, h11, refuses heads of more than 64 KiB by itself, and parses one request after the other. It takes
over where httptools is not installed.
"""

import asyncio
from typing import Literal

MAX_HEAD_BYTES = 1 << 16  # of a request line with its headers, or of trailers
MAX_PIPELINED = 100  # requests of a connection that wait for the one before them

try:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
except ImportError:
    http_protocol: Literal["h11"] | type[asyncio.Protocol] = "h11"
else:

    class BoundedHttp(HttpToolsProtocol):
        """A connection that ends if more bytes arrive than a head may have, and no body, or too many requests."""

        _unused = 0  # bytes received since the last head, piece of a body or end of a request

        def data_received(self, data: bytes) -> None:
            self._unused += len(data)
            super().data_received(data)
            if self._unused > MAX_HEAD_BYTES and not self.transport.is_closing():
                self.send_400_response("Invalid HTTP request received.")

        def send_400_response(self, msg: str) -> None:
            """Refuse a request and close the connection. Within the answer to an earlier one, only close it."""
            if self.cycle is None or self.cycle.response_complete:
                super().send_400_response(msg)
            self.transport.close()

        def on_headers_complete(self) -> None:
            self._unused = 0
            super().on_headers_complete()
            if len(self.pipeline) > MAX_PIPELINED:
                raise ValueError("too many requests at once")  # which ends the parser

        def on_body(self, body: bytes) -> None:
            self._unused = 0
            super().on_body(body)

        def on_message_complete(self) -> None:
            self._unused = 0
            super().on_message_complete()

    http_protocol = BoundedHttp
