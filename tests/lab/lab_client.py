"""Requests to the lab in this process, without a network."""

import asyncio
import contextlib
import json
import re
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

HOST = "127.0.0.1:1958"
THREE = {"points": [[3, 3, 1], [4, 3, 1], [1, 1, 0]], "parameters": {"order": "cyclic"}}


class Answer:
    """What was sent for one request."""

    def __init__(self, messages):
        start = next((message for message in messages if message["type"] == "http.response.start"), None)
        self.status_code = start and start["status"]
        self.headers = {key.decode(): value.decode() for key, value in start["headers"]} if start else {}
        self.content = b"".join(message.get("body", b"") for message in messages)

    def json(self):
        return json.loads(self.content)


class Client:
    """Requests in this process, without a network."""

    def __init__(self, app):
        self.app, self.loop = app, asyncio.new_event_loop()

    async def answer(self, method, path, headers, messages):
        sent, coming = [], iter(messages)

        async def receive():
            return next(coming, {"type": "http.disconnect"})

        async def send(message):
            sent.append(message)

        given = [(key.encode(), value.encode()) for key, value in {"host": HOST, **headers}.items()]
        scope = {
            **{"type": "http", "http_version": "1.1", "scheme": "http", "method": method, "root_path": ""},
            **{"path": path, "raw_path": quote(path).encode(), "query_string": b"", "headers": given},
            **{"server": ("127.0.0.1", 1958), "client": ("127.0.0.1", 1)},
        }
        with contextlib.suppress(RuntimeError):  # raised again after the apology was sent
            await self.app(scope, receive, send)
        return Answer(sent)

    def send(self, *request):
        return self.run(self.answer(*request))

    def run(self, coroutine):
        """Run it in a thread of its own: after tests in a browser, this thread has a running loop."""
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(self.loop.run_until_complete, coroutine).result()

    def request(self, method, path, content=b"", headers=None):
        return self.send(method, path, {"content-type": "application/json", **(headers or {})}, whole(content))

    def get(self, path):
        return self.request("GET", path)

    def post(self, path, json=None, content=None, headers=None):
        return self.request("POST", path, dump_json(json) if content is None else content, headers)


def whole(content):
    """The messages of a body that comes at once."""
    body = content if isinstance(content, bytes) else content.encode()
    return [{"type": "http.request", "body": body, "more_body": False}]


dump_json = json.dumps


def sentence(answer, status):
    assert answer.status_code == status
    (text,) = answer.json().values()
    assert re.fullmatch(r"[A-Z].*\.", text)
    assert "Traceback" not in text
    return text
