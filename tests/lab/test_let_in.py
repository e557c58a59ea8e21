"""Who is let in by the lab's server: its own page on its own host, and nobody else's."""

import json
import re
import socket

import pytest
from lab_client import THREE, Client, dump_json, sentence

from rosenblatt.cli.lab import open_page
from rosenblatt.foundation.errors import InputError
from rosenblatt.foundation.network_address import allowed_hosts, open_listener
from rosenblatt.lab.server import application


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
