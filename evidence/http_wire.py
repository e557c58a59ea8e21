"""One HTTP connection that sends any bytes, and the answers to them."""

import http.client
import socket
from typing import NamedTuple


class Answer(NamedTuple):
    """The status, headers and body of an answer; status 0 if the connection was closed without one."""

    status: int
    headers: dict[str, str]
    body: bytes


class Wire:
    """One connection, opened again whenever it was closed."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._socket: socket.socket | None = None

    def send(self, content: bytes, method: str = "POST", last: bool = False) -> Answer:
        """The answer to some bytes. After the `last` no more are sent, so that the service waits for none."""
        for attempt in (1, 2):  # a connection that was kept alive may be closed by now
            fresh = self._socket is None
            link = self._socket = self._socket or socket.create_connection(("127.0.0.1", self.port), timeout=60)
            try:
                link.sendall(content)
                if last:
                    link.shutdown(socket.SHUT_WR)
                response = http.client.HTTPResponse(link, method=method)
                response.begin()
                answer = Answer(response.status, {k.lower(): v for k, v in response.headers.items()}, response.read())
                if last or response.will_close:
                    self.close()
                return answer
            except (OSError, http.client.HTTPException):
                self.close()
                if fresh or last or attempt == 2:
                    break
        return Answer(0, {}, b"")

    def request(self, method: str, path: str, body: bytes = b"", **headers: str) -> Answer:
        lines = {"host": f"127.0.0.1:{self.port}", "content-length": str(len(body)), **headers}
        head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items())
        return self.send(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode("utf-8", "replace") + body, method)

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None
