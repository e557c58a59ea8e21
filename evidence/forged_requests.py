"""Requests made from a seed, some sound and some damaged: rows, JSON, Arrow streams, tensors, headers and paths."""

import random
from typing import Any

import pyarrow as arrow

JSON, NDJSON, ARROW = "application/json", "application/x-ndjson", "application/vnd.apache.arrow.stream"

ODD = [
    None,
    True,
    0,
    -0.0,
    1e308,
    -1e309,
    2**60,
    10**400,
    "",
    " ",
    "2.5",
    "1_000",
    "\u0661",
    "red",
    "\ud800",
    "\0",
    "x" * 5000,
    [],
    {},
    [1],
]
SOUND_SHARE = 0.3


class Forge:
    """Makes requests from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.ids = ["1-0"]  # of predictions to give feedback for

    def row(self, truth: bool) -> dict[str, Any]:
        draw = self.random
        row: dict[str, Any] = {"size": round(draw.gauss(0, 1), 3), "colour": draw.choice(["red", "blue", None])}
        if truth:
            row["kind"] = draw.choice(["large", "small"])
        if draw.random() > SOUND_SHARE:
            name = draw.choice([*row, "other"])
            row[name] = draw.choice(ODD)
            if draw.random() < 0.1:
                del row[name]
        return row

    def rows(self, truth: bool) -> list[Any]:
        rows: list[Any] = [self.row(truth) for _ in range(self.random.choice([1, 1, 2, 5]))]
        if self.random.random() < 0.05:
            rows.append(self.random.choice(ODD))
        return rows

    def damaged(self, body: bytes) -> bytes:
        """A body with some of its bytes changed, cut off or repeated."""
        draw, found = self.random, bytearray(body)
        for _ in range(draw.choice([1, 1, 3, 10])):
            place = draw.randrange(len(found) + 1)
            kind = draw.randrange(4)
            if kind == 0 and found:
                found[place % len(found)] = draw.randrange(256)
            elif kind == 1:
                del found[place:]
            elif kind == 2:
                found[place:place] = draw.randbytes(draw.choice([1, 4, 16]))
            else:
                found += found[place : place + 64]
        return bytes(found)

    def table(self, truth: bool) -> bytes:
        """An Arrow stream of sound columns, or of columns of other types; compressed or not."""
        draw, count = self.random, self.random.choice([0, 1, 3, 50])
        columns: dict[str, Any] = {
            "size": arrow.array([draw.gauss(0, 1) for _ in range(count)]),
            "colour": arrow.array([draw.choice(["red", "blue", None]) for _ in range(count)], arrow.string()),
        }
        if truth:
            columns["kind"] = arrow.array([draw.choice(["large", "small"]) for _ in range(count)], arrow.string())
        if draw.random() > SOUND_SHARE:
            odd = [arrow.nulls(count), arrow.array([[1]] * count), arrow.array([b"\xff"] * count, arrow.binary())]
            odd += [columns["colour"].dictionary_encode(), columns["size"].cast(arrow.float32())]
            columns[draw.choice([*columns, "other"])] = draw.choice(odd)
        sink, table = arrow.BufferOutputStream(), arrow.table(columns)
        options = arrow.ipc.IpcWriteOptions(compression=draw.choice([None, None, "lz4", "zstd"]))
        with arrow.ipc.new_stream(sink, table.schema, options=options) as writer:
            writer.write_table(table)
        content: bytes = sink.getvalue().to_pybytes()
        return content

    def tensors(self) -> Any:
        draw, rows = self.random, self.rows(False)
        inputs = [
            {
                "name": name,
                "shape": [len(rows)],
                "datatype": kind,
                "data": [row.get(name) if isinstance(row, dict) else row for row in rows],
            }
            for name, kind in (("size", "FP64"), ("colour", "BYTES"))
        ]
        if draw.random() > SOUND_SHARE:
            inputs[0][draw.choice([*inputs[0]])] = draw.choice(ODD)
        return {"inputs": draw.choice([inputs, inputs, inputs[:1], draw.choice(ODD)])}

    def feedback(self) -> Any:
        draw = self.random
        known = draw.choice([*self.ids[-20:], "0-0", "x", "9" * 40, *ODD])
        found = [{"id": known, "label": draw.choice(["large", "small", *ODD])} for _ in range(draw.choice([1, 1, 2]))]
        return draw.choice([found, found[0], draw.choice(ODD)])

    def malformed(self) -> bytes:
        """Bytes that are no request, or one with unusual headers or an unusual path."""
        draw = self.random
        path = draw.choice(
            ["/predict", "/../../etc/passwd", "/%2e%2e/%00", "//", "*", "/" + "a" * 9000, "/\xff", "", "/v2"]
        )
        method = draw.choice(["GET", "POST", "PUT", "DELETE", "TRACE", "OPTIONS", "PATCH", "get", "\0", "G ET"])
        headers = ["Host: 127.0.0.1"] * draw.choice([0, 1, 1, 1, 2])
        headers += draw.sample(
            [
                "Content-Length: -1",
                "Content-Length: 99999999999999999999",
                "Content-Length: 5",
                "Transfer-Encoding: chunked",
                "Transfer-Encoding: gzip, chunked",
                "Origin: null",
                "Host: evil.example",
                "Authorization: Bearer " + "x" * 3000,
                "Content-Type: " + draw.choice([JSON, NDJSON, ARROW, "\xff", "application/json;" * 50]),
                "Idempotency-Key: " + draw.choice(["", "\x7f", "k" * 9000]),
                "Expect: 100-continue",
                "X: " + "y" * draw.choice([1, 70000]),
                "no colon",
                "Range: bytes=0-",
                "Upgrade: websocket\r\nConnection: upgrade",
            ],
            draw.randrange(4),
        )
        body = draw.choice([b"", b"{}", b"5\r\nhello\r\n0\r\n\r\n", b"ffffffffffffffff\r\n", draw.randbytes(40)])
        content = "\r\n".join([f"{method} {path} HTTP/{draw.choice(['1.1', '1.1', '1.0', '9.9'])}", *headers, "", ""])
        return content.encode("latin-1") + body
