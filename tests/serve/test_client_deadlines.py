"""Connections whose headers never end, or that do not take their answer, are closed, and others are not."""

import socket
import threading
from contextlib import contextmanager

import pytest
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from rosenblatt.serve import client_deadlines
from rosenblatt.serve.application import application
from rosenblatt.serve.model_provider import ModelFile
from rosenblatt.serve.run_service import AnnouncedServer, _loaded_config
from rosenblatt.serve.service import Service

REQUEST = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


LARGE = 64 << 20  # bytes that no socket holds


async def large_answer(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": bytes(LARGE), "more_body": True})
        await send({"type": "http.response.body", "body": b"end"})


@contextmanager
def served(model_path, protocol=None, app=None):
    """The port of a service that runs in a thread."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = _loaded_config(app or application(Service(ModelFile(model_path)), "model", None), None)
    if protocol is not None:
        config.http_protocol_class = client_deadlines.with_deadlines(protocol)
    ready = threading.Event()
    server = AnnouncedServer(config, ready.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        assert ready.wait(60)
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


def answers(link):
    """Read until the service closes the connection."""
    found = b""
    try:
        while piece := link.recv(1 << 16):
            found += piece
    except ConnectionResetError:
        pass
    return found


def protocols():
    found = [H11Protocol]
    try:
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

        found.append(HttpToolsProtocol)
    except ImportError:
        pass
    return found


@pytest.mark.parametrize("protocol", protocols())
@pytest.mark.parametrize("before", [b"", REQUEST])
@pytest.mark.parametrize("beginning", [b"", b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX: y"])
def test_headers_that_never_end_are_cut_off(protocol, before, beginning, model_path, monkeypatch):
    if before and not beginning:
        pytest.skip("a connection that sends nothing after an answer is closed by the server's own limit")
    monkeypatch.setattr(client_deadlines, "HEADER_SECONDS", 0.2)
    with served(model_path, protocol) as port, socket.create_connection(("127.0.0.1", port), timeout=60) as link:
        if before:
            link.sendall(before)
            assert link.recv(1 << 16).startswith(b"HTTP/1.1 200")
        link.sendall(beginning)
        assert b"HTTP/" not in answers(link)


@pytest.mark.parametrize("protocol", protocols())
def test_an_answer_that_is_not_taken_is_cut_off(protocol, model_path, monkeypatch):
    monkeypatch.setattr(client_deadlines, "TAKING_SECONDS", 0.2)
    gone = threading.Event()

    class Watched(protocol):
        def connection_lost(self, error):
            super().connection_lost(error)
            gone.set()

    with served(model_path, Watched, large_answer) as port, socket.create_connection(("127.0.0.1", port)) as link:
        link.sendall(REQUEST)
        assert gone.wait(60)  # although this end is open, and has read nothing
        assert len(answers(link)) < LARGE


@pytest.mark.parametrize("protocol", protocols())
def test_an_answer_that_is_taken_arrives_whole(protocol, model_path):
    last = REQUEST.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    with served(model_path, protocol, large_answer) as port, socket.create_connection(("127.0.0.1", port)) as link:
        link.sendall(last)
        found = answers(link)
    assert len(found) > LARGE
    assert b"end" in found[-20:]


@pytest.mark.parametrize("protocol", protocols())
def test_requests_that_arrive_whole_are_answered_on_one_connection(protocol, model_path):
    with served(model_path, protocol) as port, socket.create_connection(("127.0.0.1", port), timeout=60) as link:
        for _ in range(3):
            link.sendall(REQUEST)
            assert link.recv(1 << 16).startswith(b"HTTP/1.1 200")


def test_the_service_sets_the_deadline(model_path):
    config = _loaded_config(application(Service(ModelFile(model_path)), "model", None), None)
    assert config.http_protocol_class.__name__ == "ClientDeadlines"
    assert isinstance(config, uvicorn.Config)
