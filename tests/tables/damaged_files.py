"""Damaged files, the same in every run: `python damaged_files.py FOLDER` reads many of each kind the whole way.

Run by a test in a process of its own, so that a crash of it is seen. It prints the file it is at, and what went wrong
otherwise than by a sentence.
"""

import datetime
import io
import json
import random
import sys
import warnings
from pathlib import Path

import pyarrow as arrow
from pyarrow import feather, parquet

ROWS = 40
FILES = 40  # of each kind
WORDS = ["the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog", "and", "runs", "far"]
NUMBERS = (b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\0\0\0\0", b"\0\0\1\0")


def table():
    """A column of each kind, some of them stored in several ways."""
    dice = random.Random(1)
    day = datetime.datetime(2020, 1, 1)
    return arrow.table(
        {
            "size": [dice.choice([None, dice.gauss(0, 1)]) for _ in range(ROWS)],
            "sort": [dice.choice(["oak", "ash", "élm", None]) for _ in range(ROWS)],
            "note": [" ".join(dice.choices(WORDS, k=7)) for _ in range(ROWS)],
            "leaf": arrow.array([dice.choice("abc") for _ in range(ROWS)]).dictionary_encode(),
            "at": [day + datetime.timedelta(hours=dice.randrange(9999)) for _ in range(ROWS)],
            "flag": [dice.random() < 0.5 for _ in range(ROWS)],
            "tags": [[1, 2], None] * (ROWS // 2),
            "kind": ["yes", "no"] * (ROWS // 2),
        }
    )


def arrow_file(rows, sink):
    with arrow.ipc.new_file(sink, rows.schema) as writer:
        writer.write_table(rows, max_chunksize=ROWS // 2)


def arrow_stream(rows, sink):
    with arrow.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows, max_chunksize=ROWS // 2)


def json_lines(rows, sink):
    for row in rows.to_pylist():
        sink.write(json.dumps(row, default=str).encode() + b"\n")


WRITERS = {
    "file.arrow": arrow_file,
    "stream.arrow": arrow_stream,
    "table.feather": lambda rows, sink: feather.write_feather(rows, sink, compression="lz4"),
    "table.parquet": lambda rows, sink: parquet.write_table(rows, sink, compression="NONE"),
    "table.jsonl": json_lines,
}


def content(write):
    sink = io.BytesIO()
    write(table(), sink)
    return sink.getvalue()


def damaged(whole, dice):
    """Bits flipped, bytes cut off, taken out, put in or copied elsewhere, or a number written over others."""
    data, at, size = bytearray(whole), dice.randrange(len(whole) - 8), dice.randrange(1, 16)
    how = dice.randrange(6)
    if how == 0:
        for _ in range(dice.choice([1, 2, 20])):
            data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    elif how == 1:
        del data[at:]
    elif how == 2:
        del data[at : at + size]
    elif how == 3:
        data[at:at] = dice.randbytes(size)
    elif how == 4:
        other = dice.randrange(len(data))
        data[at : at + size] = data[other : other + size]
    else:
        data[at & ~3 : (at & ~3) + 4] = dice.choice(NUMBERS)
    return bytes(data)


def read_all(folder):
    """Train and predict from every damaged file, and print what is no sentence."""
    from rosenblatt import fit
    from rosenblatt.foundation.errors import InputError

    for name, write in WRITERS.items():
        whole, path = content(write), Path(folder, name)
        path.write_bytes(whole)
        model = fit(path, target="kind", max_iter=2)
        for number in range(FILES):
            path.write_bytes(damaged(whole, random.Random(f"{name} {number}")))
            print("at", name, number, flush=True)
            for read in (lambda path=path: fit(path, target="kind", max_iter=2), lambda p=path, m=model: m.predict(p)):
                try:
                    read()
                except InputError as error:
                    if len(str(error).splitlines()) != 1:
                        print("not one sentence:", error)
                except Exception as error:
                    print("not a sentence:", repr(error))


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # that mistakes are left is no news of such tables
    read_all(sys.argv[1])
