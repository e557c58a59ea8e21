"""The lab's server: what it serves, what it refuses, and the process that it is."""

import gzip
import json
import re
import socket
import subprocess
import sys
import time

import numpy as np
import pytest
from lab_client import THREE, Client, sentence

from rosenblatt.foundation.errors import InputError
from rosenblatt.foundation.network_address import allowed_hosts, site_origin
from rosenblatt.lab.packed_arrays import to_json
from rosenblatt.lab.questions import answer_question
from rosenblatt.lab.server import MAX_REQUEST_BYTES, application
from rosenblatt.lab.static_files import joined_module, static_text


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
