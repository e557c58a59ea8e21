"""A limit on how long a client may take for the headers of a request: the server's own protocols have none.

Without it, connections that send a byte now and then stay open for ever, and take the places of others.
"""

import asyncio
from typing import Any

HEADER_SECONDS = 10.0


def with_deadline(protocol: type[Any]) -> type[Any]:
    """The server's protocol, which closes a connection whose next request does not begin in time.

    The time starts with the connection, or with the first byte after an answer. Each further byte does not renew it.
    The body of a request has a limit of its own, and so has a connection that sends nothing.
    """

    class HeaderDeadline(protocol):  # type: ignore[misc]
        _deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._expect_request()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.cycle is not None and not self.cycle.response_complete:
                self._end_deadline()  # the headers are here, and the application answers
            else:
                self._expect_request()

        def connection_lost(self, error: Exception | None) -> None:
            self._end_deadline()
            super().connection_lost(error)

        def _expect_request(self) -> None:
            if self._deadline is None:
                self._deadline = asyncio.get_running_loop().call_later(HEADER_SECONDS, self.transport.abort)

        def _end_deadline(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
            self._deadline = None

    return HeaderDeadline
