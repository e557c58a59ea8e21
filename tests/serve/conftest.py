"""A model and rows for the tests of the service."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest

from rosenblatt import fit
from rosenblatt.model.file import save
from rosenblatt.serve.application import application
from rosenblatt.serve.log_writer import LogWriter
from rosenblatt.serve.service import Limits, Service


def make_rows(count, seed=1):
    """Rows with their class, which depends on a number and a category."""
    random = np.random.default_rng(seed)
    sizes, colours = random.normal(size=count), random.choice(["red", "blue", "green"], count)
    return [
        {"size": round(float(size), 6), "colour": str(colour), "kind": "large" if size > 0.3 else "small"}
        for size, colour in zip(sizes, colours, strict=True)
    ]


@pytest.fixture(scope="session")
def model_path(tmp_path_factory):
    some = make_rows(300, 0)
    path = tmp_path_factory.mktemp("served") / "model.safetensors"
    columns = {name: [row[name] for row in some] for name in some[0]}
    save(fit(columns, target="kind", algorithm="averaged"), path)
    return path


@pytest.fixture(scope="session")
def new_rows():
    return make_rows


class Answer:
    """The answer to a request."""

    def __init__(self, messages):
        self.status_code = messages[0]["status"]
        self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in messages[0]["headers"]}
        self.content = b"".join(message.get("body", b"") for message in messages[1:])

    @property
    def text(self):
        return self.content.decode()

    def json(self):
        return json.loads(self.content)


class Client:
    """Requests to an application in this process, without a network."""

    def __init__(self, app):
        self.app, self.loop = app, asyncio.new_event_loop()

    async def _answer(self, method, target, content, headers):
        sent, body = [], iter([{"type": "http.request", "body": content, "more_body": False}])

        async def receive():
            return next(body, {"type": "http.disconnect"})

        async def send(message):
            sent.append(message)

        path, _, query = target.partition("?")
        given = {"host": "testserver", **headers}
        scope = {
            **{"type": "http", "http_version": "1.1", "scheme": "http", "method": method, "root_path": ""},
            **{"path": path, "raw_path": path.encode(), "query_string": query.encode()},
            **{"headers": [(key.encode(), value.encode()) for key, value in given.items()]},
            **{"server": ("testserver", 80), "client": ("127.0.0.1", 1)},
        }
        await self.app(scope, receive, send)
        return Answer(sent)

    def request(self, method, target, content=b"", headers=None):
        """Run in a thread of its own: after tests in a browser, this thread has a running loop."""
        with ThreadPoolExecutor(1) as thread:
            answer = self._answer(method, target, content, headers or {})
            return thread.submit(self.loop.run_until_complete, answer).result()

    def get(self, target, headers=None):
        return self.request("GET", target, headers=headers)

    def post(self, target, json=None, content=None, headers=None):
        body = dump_json(json) if content is None else content
        body = body if isinstance(body, bytes) else body.encode()
        return self.request("POST", target, body, {"content-type": "application/json", **(headers or {})})


dump_json = json.dumps


@pytest.fixture(scope="session")
def client_of():
    """Open a client of a service with this source; the service is closed at the end."""

    @contextmanager
    def open_client(provider, limits=None, tokens=None, model=None, name="model"):
        service = Service(provider, limits or Limits(), model)
        client = Client(application(service, name, frozenset({"testserver"}), tokens))
        try:
            yield client
        finally:
            provider.close()
            client.loop.close()

    return open_client


@pytest.fixture
def opened(tmp_path, model_path):
    """Open writers of one log; all are closed at the end."""
    writers = []

    def open_writer(model=model_path):
        writers.append(LogWriter(tmp_path / "log", model, print))
        return writers[-1]

    yield open_writer
    for writer in writers:
        if not writer._closing:
            writer.close()
