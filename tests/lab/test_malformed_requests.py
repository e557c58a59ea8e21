"""The lab's server goes on whatever it is sent."""

import json
import re
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lab_client import THREE, whole

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
