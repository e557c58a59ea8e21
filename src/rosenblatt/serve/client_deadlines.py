"""Limits on how slow a client may be with its headers and with taking an answer: the server's own protocols have none.

Without them, connections that send or take a byte now and then stay open for ever, and hold memory and the places of
others.
"""

import asyncio
from typing import Any

HEADER_SECONDS = 10.0
TAKING_SECONDS, LEAST_TAKEN = 20.0, 1 << 16  # bytes of a waiting answer that a client must take in this time
CLOSING_SECONDS = 10.0  # for the end of an answer, once the server has closed the connection


def with_deadlines(protocol: type[Any]) -> type[Any]:
    """The server's protocol, which ends a connection that is too slow.

    The body of a request has a limit of its own, and so has a connection that sends nothing.
    """
    return type("ClientDeadlines", (HeaderDeadline, AnswerDeadline, protocol), {})


class HeaderDeadline(asyncio.Protocol):
    """Ends a connection whose headers do not come to an end.

    Their time starts with the connection, or with the first byte after an answer. Each further byte does not renew it.
    """

    cycle: Any  # the request and answer of the server's protocol
    transport: Any
    _headers: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._expect_request()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._end_headers()  # they are here, and the application answers
        else:
            self._expect_request()

    def connection_lost(self, error: Exception | None) -> None:
        self._end_headers()
        super().connection_lost(error)

    def _expect_request(self) -> None:
        if self._headers is None:
            self._headers = asyncio.get_running_loop().call_later(HEADER_SECONDS, self.transport.abort)

    def _end_headers(self) -> None:
        if self._headers is not None:
            self._headers.cancel()
        self._headers = None


class AnswerDeadline(asyncio.Protocol):
    """Ends a connection whose client does not take its answer."""

    transport: Any
    _taking: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._expect_taking()

    def resume_writing(self) -> None:
        self._end_taking()
        super().resume_writing()

    def connection_lost(self, error: Exception | None) -> None:
        self._end_taking()
        super().connection_lost(error)

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()  # type: ignore[misc]
        asyncio.get_running_loop().call_later(CLOSING_SECONDS, self.transport.abort)

    def _expect_taking(self) -> None:
        waiting = self.transport.get_write_buffer_size()
        self._taking = asyncio.get_running_loop().call_later(TAKING_SECONDS, self._check_taking, waiting)

    def _check_taking(self, before: int) -> None:
        if before - self.transport.get_write_buffer_size() < LEAST_TAKEN:
            self.transport.abort()
        else:
            self._expect_taking()

    def _end_taking(self) -> None:
        if self._taking is not None:
            self._taking.cancel()
        self._taking = None
