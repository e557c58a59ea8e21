"""The lab's server: who is let in, what is refused, and that it goes on whatever it is sent."""

import asyncio
import contextlib
import gzip
import json
import re
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from random import Random
from urllib.parse import quote

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rosenblatt.cli.lab import open_page
from rosenblatt.foundation.errors import InputError
from rosenblatt.foundation.network_address import allowed_hosts, open_listener, site_origin
from rosenblatt.lab.packed_arrays import to_json
from rosenblatt.lab.questions import answer_question
from rosenblatt.lab.server import MAX_REQUEST_BYTES, application
from rosenblatt.lab.static_files import joined_module, static_text

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


@pytest.fixture(scope="module")
def client():
    one = Client(application(allowed_hosts("127.0.0.1", 1958)))
    yield one
    one.loop.close()


def sentence(answer, status):
    assert answer.status_code == status
    (text,) = answer.json().values()
    assert re.fullmatch(r"[A-Z].*\.", text)
    assert "Traceback" not in text
    return text


def test_the_page_and_its_files_are_served(client):
    for path, kind in [
        ("/", "text/html"),
        ("/lab.js", "text/javascript"),
        ("/lab.css", "text/css"),
        ("/browser_host.js", "text/javascript"),
    ]:
        answer = client.get(path)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(kind)
        assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_only_named_sites_may_show_the_page_in_a_frame(client):
    def policy(client):
        return client.get("/").headers["content-security-policy"].split("; ")

    sites = [site_origin("https://Course.example.org/"), site_origin("http://localhost:8000")]
    embedded = Client(application(allowed_hosts("127.0.0.1", 1958), frame_ancestors=sites))
    assert policy(client)[-1] == "frame-ancestors 'none'"
    assert policy(embedded)[-1] == "frame-ancestors https://course.example.org http://localhost:8000"
    assert policy(client)[:-1] == policy(embedded)[:-1]
    embedded.loop.close()


@pytest.mark.parametrize(
    "site", ["*", "course.example.org", "https://a.example/path", "https://a.example; script-src *"]
)
def test_what_is_not_a_site_is_refused(site):
    with pytest.raises(InputError, match="--embed-in must be a site such as"):
        site_origin(site)


def test_answers_are_those_of_the_functions(client):
    answer = client.post("/ask/run", json=THREE)
    assert answer.status_code == 200
    assert answer.json()["result"]["coef"] == answer_question("run", THREE)["result"]["coef"] == [[1.0, 1.0]]


# Who is let in


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:8080", "http://localhost.evil.example:1958", ""]
)
def test_other_origins_are_refused(client, origin):
    assert "own page" in sentence(client.post("/ask/run", json=THREE, headers={"origin": origin}), 403)


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:1958", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:1958.evil.example", ""]
)
def test_other_hosts_are_refused(client, host):
    """A name that somebody points at this machine is not a name of this server."""
    for method, path in [("GET", "/"), ("POST", "/ask/run")]:
        assert "address" in sentence(client.request(method, path, dump_json(THREE), headers={"host": host}), 403)


@pytest.mark.parametrize("host", ["127.0.0.1:1958", "localhost:1958", "LOCALHOST:1958", "[::1]:1958"])
def test_its_own_page_is_let_in(client, host):
    assert client.post("/ask/run", json=THREE, headers={"host": host, "origin": f"http://{host}"}).status_code == 200


def test_a_page_of_another_site_is_refused_even_with_this_host(client):
    headers = {"origin": "http://127.0.0.1:1958", "sec-fetch-site": "cross-site"}
    assert client.post("/ask/run", json=THREE, headers=headers).status_code == 403


def test_forms_of_other_pages_cannot_ask(client):
    """What a browser sends without asking first is not JSON."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        answer = client.post("/ask/run", content=json.dumps(THREE), headers={"content-type": kind})
        assert "JSON" in sentence(answer, 415)


def test_unknown_host_names_are_refused_on_all_interfaces():
    """DNS rebinding: a page of evil.example, which its owner points at this machine, is refused even there."""
    client = Client(application(allowed_hosts("0.0.0.0", 1958)))
    for host, status in [
        *[("192.168.1.7:1958", 200), ("[fe80::1]:1958", 200), (f"{socket.gethostname()}:1958", 200)],
        *[("evil.example:1958", 403), ("127.0.0.1.evil.example:1958", 403), ("", 403), ("evil.example", 403)],
    ]:
        headers = {"host": host, "origin": f"http://{host}"}
        assert client.post("/ask/run", json=THREE, headers=headers).status_code == status, host
    client.loop.close()


def test_listening_on_other_addresses_warns(monkeypatch, capsys):
    monkeypatch.setattr(open_page, "serve", lambda listener, app: listener.close())
    open_page.open_lab([], None, (), "0.0.0.0", 0, 0, True)
    told = capsys.readouterr()
    assert re.fullmatch(rf"http://{re.escape(socket.gethostname().lower())}:\d+/\n", told.out)
    assert re.fullmatch(r"warning: everyone who can reach this machine .*\.\n", told.err)
    open_page.open_lab([], None, (), "127.0.0.1", 0, 0, False)
    assert capsys.readouterr().err == ""


def test_allowed_hosts_and_the_listening_address():
    assert allowed_hosts("0.0.0.0", 80) is None
    assert allowed_hosts("lab.example", 80) == {"lab.example:80"}
    assert "127.0.0.2:80" in allowed_hosts("127.0.0.2", 80)
    taken = open_listener("127.0.0.1", 0, 0)
    port = taken.getsockname()[1]
    taken.listen()
    with pytest.raises(InputError, match=f"cannot listen on 127.0.0.1, port {port}"):
        open_listener("127.0.0.1", port, 0)
    other = open_listener("127.0.0.1", None, port)  # the usual port is taken: any will do
    assert other.getsockname()[1] != port
    with pytest.raises(InputError, match=r"port 70000: a port is a number from 0 to 65535\.$"):
        open_listener("127.0.0.1", 70_000, 0)
    with pytest.raises(InputError, match=r"cannot listen on 192\.0\.2\.1: [^.]*\.$"):
        open_listener("192.0.2.1", None, 0)
    taken.close(), other.close()


# What is refused


def test_refusals_are_sentences(client):
    assert "two classes" in sentence(client.post("/ask/run", json={"points": []}), 422)
    assert "The question must be one of" in sentence(client.post("/ask/when", json={}), 422)
    assert "no such page" in sentence(client.get("/etc/passwd"), 404)
    assert "HTTP method" in sentence(client.get("/ask/run"), 405)
    assert "not JSON" in sentence(
        client.post("/ask/run", content=b"{", headers={"content-type": "application/json"}), 400
    )
    deep = b"[" * 100_000
    assert "not JSON" in sentence(
        client.post("/ask/run", content=deep, headers={"content-type": "application/json"}), 400
    )
    digits = b'{"points": [[' + b"9" * 5000 + b",0,0]]}"
    assert "not JSON" in sentence(
        client.post("/ask/run", content=digits, headers={"content-type": "application/json"}), 400
    )
    large = b" " * (MAX_REQUEST_BYTES + 1)
    assert "256 kB" in sentence(
        client.post("/ask/run", content=large, headers={"content-type": "application/json"}), 413
    )


def test_what_goes_wrong_inside_is_an_apology_and_no_stack_trace():
    def broken(content):
        raise RuntimeError("secret detail")

    client = Client(application(None, {"broken": broken}))
    assert "please report" in sentence(client.post("/ask/broken", json={}), 500)
    assert client.post("/ask/run", json=THREE).status_code == 200
    client.loop.close()


def test_numbers_that_json_lacks_are_null():
    assert json.loads(to_json({"a": [float("nan"), {"b": float("-inf")}], "c": 1.5})) == {
        "a": [None, {"b": None}],
        "c": 1.5,
    }


# What it survives

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ("points", "dimension", "learner", "parameters", "preset", "margin", "seed", "reach")
BODIES = st.binary(max_size=60) | st.one_of(JSON, st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=4)).map(
    lambda content: json.dumps(content).encode()
)
METHODS = ("POST", "POST", "POST", "GET", "PUT", "OPTIONS")
TYPES = ("application/json", "application/json; charset=utf-16", "text/plain", "", "application/json;;;")
PATHS = ("run", "prove", "preset", "about", "data", "", "%00", "../run", "run/run", "é")
JUNK = (
    "null",
    "[]",
    "{}",
    "-1",
    "1e999",
    "1e400",
    "NaN",
    '""',
    "[[[]]]",
    '"\\u0000"',
    "9" * 400,
    "true",
    '"cyclic"',
    "0.5",
)


async def assert_survives(client, method, path, body, kind):
    answer = await client.answer(method, f"/ask/{path}", {"content-type": kind}, whole(body))
    assert answer.status_code < 500, (method, path, body, kind)
    assert answer.status_code == 200 or answer.json()["error"].endswith("."), body


@settings(max_examples=500, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(METHODS), st.sampled_from(PATHS), BODIES, st.sampled_from(TYPES))
def test_requests_of_any_shape_are_answered(client, method, path, body, kind):
    client.run(assert_survives(client, method, path, body, kind))


def spoil(random, body):
    """A request with a few values, or bytes, replaced, taken out or doubled."""
    for _ in range(random.randint(1, 3)):
        if random.random() < 0.7:
            values = list(re.finditer(r'-?[0-9.]+|"[^"]*"|[\[\]{}:,]', body))
            value = random.choice(values)
            body = body[: value.start()] + random.choice([*JUNK, "", value[0] * 2]) + body[value.end() :]
        else:
            place = random.randrange(len(body))
            body = body[:place] + chr(random.randrange(1, 0x250)) + body[place + random.randint(0, 2) :]
        if not re.search(r"[0-9\"\[\]{}:,]", body):
            break
    return body.encode()


def test_ten_thousand_malformed_requests(client):
    """Every one is answer_question, with a sentence where it is refused, and the server is as it was afterwards."""
    random = Random(0)
    right = [
        json.dumps({**THREE, "dimension": 2, "learner": "Perceptron", "reach": [5.5, 5.5]}),
        json.dumps({**THREE, "learner": "LinearSVM", "parameters": {"solver": "gd", "alpha": 0.1, "max_iter": 5}}),
        json.dumps({"preset": "gap", "margin": 0.5, "seed": 1}),
    ]

    async def all_of_them():
        for _ in range(10_000):
            kind = random.choice(TYPES) if random.random() < 0.05 else "application/json"
            path = random.choice(("run", "prove", "preset"))
            await assert_survives(client, "POST", path, spoil(random, random.choice(right)), kind)

    client.run(all_of_them())
    assert client.post("/ask/run", json=THREE).status_code == 200


def test_a_client_may_leave_halfway(client):
    began = {"type": "http.request", "body": b'{"points"', "more_body": True}
    assert client.send("POST", "/ask/run", {"content-type": "application/json"}, [began]).status_code == 400
    assert client.post("/ask/run", json=THREE).status_code == 200


# As a process


@pytest.fixture(scope="module")
def process():
    with subprocess.Popen(
        [sys.executable, "-m", "rosenblatt.cli", "lab", "--no-browser", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        try:
            address = running.stdout.readline().strip()
            yield running, int(re.search(r":(\d+)/$", address)[1])
        finally:
            running.terminate()


def exchange(port, data, wait=True):
    with socket.create_connection(("127.0.0.1", port), timeout=600) as connection:
        connection.sendall(data)
        return connection.recv(65536).decode(errors="replace") if wait else ""


def test_the_command_serves_until_it_is_ended(process):
    _, port = process
    body = json.dumps(THREE)
    head = (
        f"POST /ask/run HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    for _ in range(20):
        exchange(port, head.encode() + body[:20].encode(), wait=False)  # and gone
        exchange(port, head.encode() + body.encode(), wait=False)  # before the answer
    for junk in (
        b"\x00\x01\x02\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /ask/run HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    ):
        exchange(port, junk)
    assert "200 OK" in exchange(port, head.encode() + body.encode())
    assert "403" in exchange(port, b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").splitlines()[0]


def test_it_listens_on_the_loopback_only(process):
    _, port = process
    with open("/proc/net/tcp") as table:
        listening = [line.split()[1] for line in table if line.split()[3] == "0A"]
    assert [place for place in listening if place.endswith(f":{port:04X}")] == [f"0100007F:{port:04X}"]


# The page's files


def test_the_modules_make_one_module_of_less_than_500_kb():
    size = sum(
        len(gzip.compress(content.encode()))
        for content in (joined_module(), static_text("lab.css"), static_text("index.html"))
    )
    assert size < 500_000


def test_nothing_comes_from_the_network():
    for content in (joined_module(), static_text("lab.css"), static_text("index.html"), static_text("browser_host.js")):
        addresses = set(re.findall(r"https?://[^\s\"'`)]+", content))
        assert addresses <= {"http://www.w3.org/2000/svg"}


def test_the_command_line_loads_the_server_only_for_the_lab():
    code = "import sys; from rosenblatt.cli.app import app; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"starlette", "uvicorn", "anyio", "numpy"} & set(loaded)


def test_a_large_request_over_http_takes_less_than_a_tenth_of_a_second_of_the_processor(client):
    X = np.random.default_rng(0).normal(size=(200, 2)).round(3).tolist()
    request = {"points": [[*row, k % 2] for k, row in enumerate(X)], "parameters": {"max_iter": 30}}
    seconds = []
    for _ in range(10):
        began = time.process_time()
        assert client.post("/ask/run", json=request).json()["result"]["updates"] >= 2000
        seconds.append(time.process_time() - began)
    assert min(seconds) < 0.1
