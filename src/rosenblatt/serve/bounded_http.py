"""The fast parser of HTTP, httptools, with a limit that it lacks: on the size of what is no body.

The parser in Python, h11, refuses heads of more than 64 KiB by itself. It takes over where httptools is not installed.
"""

import asyncio
from typing import Literal

MAX_HEAD_BYTES = 1 << 16  # of a request line with its headers, or of trailers

try:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
except ImportError:
    http_protocol: Literal["h11"] | type[asyncio.Protocol] = "h11"
else:

    class BoundedHttp(HttpToolsProtocol):
        """A connection that ends if more bytes arrive than a head may have, and no body."""

        _unused = 0  # bytes received since the last head, piece of a body or end of a request

        def data_received(self, data: bytes) -> None:
            self._unused += len(data)
            super().data_received(data)
            if self._unused > MAX_HEAD_BYTES and not self.transport.is_closing():
                if self.cycle is None or self.cycle.response_complete:
                    self.send_400_response("Invalid HTTP request received.")
                self.transport.close()

        def on_headers_complete(self) -> None:
            self._unused = 0
            super().on_headers_complete()

        def on_body(self, body: bytes) -> None:
            self._unused = 0
            super().on_body(body)

        def on_message_complete(self) -> None:
            self._unused = 0
            super().on_message_complete()

    http_protocol = BoundedHttp
