"""Bytes that are no body have a limit, whichever parser of HTTP is installed."""

import json
import socket
import subprocess
import sys
from contextlib import closing
from urllib.parse import urlsplit

import pytest

COMMAND = [sys.executable, "-m", "rosenblatt.cli", "serve"]
LARGE = 1 << 22  # bytes, far beyond what is read at once
CHUNKED = b"POST /predict HTTP/1.1\r\nhost: %s\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"


@pytest.fixture(scope="module")
def address(model_path):
    with subprocess.Popen([*COMMAND, model_path, "--port", "0"], stdout=subprocess.PIPE, text=True) as service:
        yield urlsplit(service.stdout.readline().strip())
        service.terminate()


def answer(address, *pieces):
    """What the service answers before it closes the connection. It may close while the request is still sent."""
    with closing(socket.create_connection((address.hostname, address.port))) as connection:
        received = b""
        try:
            for piece in pieces:
                connection.sendall(piece)
            while part := connection.recv(1 << 16):
                received += part
        except (ConnectionResetError, BrokenPipeError):
            pass
        return received


def predict(address, size, *headers):
    body = json.dumps({"size": size, "colour": "red"}).encode()
    head = [b"POST /predict HTTP/1.1", b"host: %s" % address.netloc.encode(), b"connection: close", *headers]
    lines = [*head, b"content-type: application/json", b"content-length: %d" % len(body), b"", body]
    return answer(address, b"\r\n".join(lines))


@pytest.mark.parametrize("head", [b"GET /", b"GET / HTTP/1.1\r\nx: ", b"GET / HTTP/1.1\r\n"])
def test_a_head_without_end_is_refused(address, head):
    more = b"x: y\r\n" if head.endswith(b"\n") else b"y"
    found = answer(address, head, more * (LARGE // len(more)))
    assert found == b"" or found.startswith(b"HTTP/1.1 400 ")
    assert predict(address, 1.0).startswith(b"HTTP/1.1 200 ")


def test_trailers_without_end_are_refused(address):
    head = CHUNKED % address.netloc.encode()
    found = answer(address, head, b"2\r\n{}\r\n0\r\n", b"x: y\r\n" * (LARGE // 6))
    assert b" 200 " not in found
    assert predict(address, 1.0).startswith(b"HTTP/1.1 200 ")


def test_a_head_within_the_limit_and_a_long_body_are_taken(address):
    assert predict(address, 1.0, b"x-note: " + b"y" * 30_000).startswith(b"HTTP/1.1 200 ")
    assert predict(address, "1" + "0" * 300).startswith(b"HTTP/1.1 200 ")
    body = b'[{"size": 1, "colour": "red"}' + b" " * LARGE + b"]"
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:9], body[9:])) + b"0\r\n\r\n"
    head = (CHUNKED % address.netloc.encode()).replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n")
    assert answer(address, head, chunks).startswith(b"HTTP/1.1 200 ")


def test_requests_far_in_advance_are_not_kept(address):
    """Each of them would take some KiB until its turn."""
    pytest.importorskip("httptools", reason="the parser in Python reads one request after the other")
    one = b"GET /health HTTP/1.1\r\nhost: %s\r\n\r\n" % address.netloc.encode()
    assert answer(address, one * 8000).count(b"HTTP/1.1 200 ") < 8000
    last = one.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n")
    assert answer(address, one * 50 + last).count(b"HTTP/1.1 200 ") == 51
