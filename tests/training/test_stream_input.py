"""What a stream reads: every kind of text, compressed, quoted or open files, and what needs all rows at once."""

import gzip
import io
import json
import os
import signal
import time

import numpy as np
import pytest
from stream_rows import HEADER, fed, lines, piped

from rosenblatt import fit, load, save
from rosenblatt.foundation.errors import InputError
from rosenblatt.tables.read.pipe_reader import PipeReader
from rosenblatt.training.online.endless_input import EndlessInput
from rosenblatt.training.online.one_pass import option_needing_all_rows
from rosenblatt.training.online.online_learner import MAX_COLUMNS
from rosenblatt.training.request import Request


def test_every_kind_of_text_streams(tmp_path):
    rows = lines(2500)
    cells = [row.strip().split(",") for row in rows]
    csv = HEADER + "".join(rows)
    wanted = fed(csv).model()
    tsv = csv.replace(",", "\t")
    records = [{"size": float(size), "colour": colour, "kind": kind} for size, colour, kind in cells]
    for text in (tsv, "".join(json.dumps(record) + "\n" for record in records)):
        assert np.array_equal(fed(text).model().learned.coef, wanted.learned.coef)
    numbered = "".join(
        f"{'+1' if kind == 'large' else '-1'} 1:{size} {2 + len(colour)}:1\n" for size, colour, kind in cells
    )
    endless = fed(numbered, target=None)
    assert endless.is_streaming
    assert endless.accuracy.right / endless.accuracy.rows > 0.9
    for name in ("gzip", "bz2", "lzma"):
        packed = __import__(name).compress(csv.encode())
        (tmp_path / "rows").write_bytes(packed)
        with open(tmp_path / "rows", "rb", buffering=0) as file:
            endless = EndlessInput(Request(target="kind"))
            assert endless.run(PipeReader(file), lambda _: None) == "end"
        assert np.array_equal(endless.model().learned.coef, wanted.learned.coef)


def test_a_table_of_a_typed_file_is_read_whole(tmp_path):
    import pyarrow as arrow
    from pyarrow import parquet

    cells = list(zip(*(row.strip().split(",") for row in lines(1500)), strict=True))
    table = arrow.table({"size": [float(x) for x in cells[0]], "colour": cells[1], "kind": cells[2]})
    file = io.BytesIO()
    parquet.write_table(table, file)
    result = json.loads(piped(file.getvalue(), "--target", "kind", "--model", tmp_path / "m", "--json").stdout)
    assert (result["rows"], result["streamed"], result["test_rows"]) == (1500, False, 300)


def test_quoted_rows_are_cut_nowhere():
    rows = [f'{k % 7},"a ""b""\nc, {k % 5}",{"large" if k % 7 > 3 else "small"}\n' for k in range(2500)]
    endless = fed(HEADER + "".join(rows), pieces=211)
    assert endless.rows == 2500
    assert endless.learner.encoder.kinds == {"size": "number", "colour": "category"}


def test_compressed_rows_come_as_soon_as_they_are_there():
    import zlib

    read_end, write_end = os.pipe()
    with open(read_end, "rb", buffering=0) as file, open(write_end, "wb", buffering=0) as pipe:
        arriving, packer = PipeReader(file), zlib.compressobj(wbits=31)
        for text in (b"a,b\n", b"1,2\n"):
            pipe.write(packer.compress(text) + packer.flush(zlib.Z_SYNC_FLUSH))
            assert arriving.take(30) == text
        assert arriving.take(0.01) == b""
        pipe.write(packer.flush() + gzip.compress(b"3,4\n"))
        assert arriving.take(30) == b"3,4\n"
        pipe.close()
        assert arriving.take(30) is None


def test_bytes_read_ahead_are_bounded(monkeypatch):
    monkeypatch.setattr("rosenblatt.tables.read.pipe_reader.MAX_AHEAD_SIZE", 1000)
    monkeypatch.setattr("rosenblatt.tables.read.pipe_reader.READ_SIZE", 100)
    file = io.BytesIO(bytes(100_000))
    arriving = PipeReader(file)
    while file.tell() < 900:
        time.sleep(0.01)
    time.sleep(0.1)  # a reader without a bound would go on
    assert file.tell() <= 1200
    taken = b""
    while (piece := arriving.take(30)) is not None:
        taken += piece
    assert taken == bytes(100_000)


def test_which_options_need_all_rows():
    for parameters in (
        {"C": 1.0},
        {"max_iter": 3},
        {"order": "shuffle"},
        {"solver": "gd"},
        {"features": "polynomial-2"},
    ):
        assert option_needing_all_rows(
            Request(algorithm="logistic", parameters=parameters)
            if "order" not in parameters
            else Request(parameters=parameters)
        ) == next(iter(parameters))
    assert option_needing_all_rows(Request(class_weight="balanced")) == "class_weight"
    assert option_needing_all_rows(Request(class_weight={"a": 2.0}, parameters={"alpha": 0.1})) is None
    assert option_needing_all_rows(Request(algorithm="passive-aggressive", parameters={"C": 0.1})) is None


def test_fit_takes_an_open_file(tmp_path):
    text = HEADER + "".join(lines(3000))
    (tmp_path / "rows.csv").write_text(text)
    with open(tmp_path / "rows.csv", "rb") as file:
        model = fit(file, target="kind")
    assert model.report_["rows"] == 3000
    assert model.report_["progressive_accuracy"] > 0.9
    assert np.array_equal(model[-1].coef_, fed(text).model().learned.coef)
    assert fit(io.BytesIO((HEADER + "".join(lines(300))).encode()), target="kind").report_["test_rows"] == 60
    for file, options, what in (
        (io.BytesIO(), {"folds": 3}, "folds needs all rows at once"),
        (io.StringIO(text), {}, "open it with mode 'rb'"),
        (io.BytesIO(), {}, "is empty"),
    ):
        with pytest.raises(InputError, match=what):
            fit(file, target="kind", **options)


class Tap(io.RawIOBase):
    """A pipe that gives some rows and then never ends."""

    def __init__(self, rows):
        self.left = iter([(HEADER + "".join(rows)).encode()])

    def readable(self):
        return True

    def read(self, size=-1):
        if (piece := next(self.left, None)) is not None:
            return piece
        return None  # as a pipe that does not wait


@pytest.fixture
def ctrl_c_when_idle(monkeypatch):
    """Ctrl-C reaches this process when it waits for rows in vain: it has then learned from those that were there."""
    take = PipeReader.take

    def take_or_interrupt(self, seconds):
        if (piece := take(self, seconds)) == b"":
            os.kill(os.getpid(), signal.SIGINT)
        return piece

    monkeypatch.setattr(PipeReader, "take", take_or_interrupt)


@pytest.mark.usefixtures("ctrl_c_when_idle")
def test_ctrl_c_ends_a_fit_of_an_open_file_and_leaves_what_it_learned():
    model = fit(Tap(lines(3000)), target="kind")
    assert (model.report_["rows"], model.report_["reason"]) == (3000, "interrupted")
    assert np.array_equal(model[-1].coef_, fed(HEADER + "".join(lines(3000))).model().learned.coef)
    few = fit(Tap(lines(300)), target="kind")
    assert few.report_["test_rows"] == 60  # few rows are an ordinary table
    with pytest.raises(KeyboardInterrupt):  # there is nothing to leave
        fit(Tap([]), target="kind")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_open_file_is_left_after_max_seconds():
    model = fit(Tap(lines(3000)), target="kind", max_seconds=2.0)
    assert (model.report_["rows"], model.report_["reason"]) == (3000, "max_seconds")


def test_a_column_0_may_turn_up_late():
    rows = [f"{k % 2} {'' if k < 1500 else '0:1 '}{1 + k % 2}:1 3:1\n" for k in range(4000)]
    learner = fed("".join(rows), target=None).learner
    assert learner.encoder.names == ["0", "1", "2", "3"]
    assert learner.stream.coef[0, 1] < 0 < learner.stream.coef[0, 2]
    assert fed("".join(rows[:1500]), target=None).learner.encoder.names == ["1", "2", "3"]


def test_columns_numbered_far_beyond_are_refused():
    with pytest.raises(InputError, match=r"2,000,000,000 columns, but a stream allows 16,777,216"):
        fed("".join(f"{k % 2} 1:1 {2_000_000_000 if k == 500 else 7}:1\n" for k in range(2000)), target=None)
    endless = fed("".join(f"{k % 2} 1:1 {2_000_000_000 if k == 1500 else 7}:1\n" for k in range(2000)), target=None)
    assert endless.learner.encoder.columns == MAX_COLUMNS


@pytest.mark.parametrize("algorithm", ["averaged", "logistic"])
def test_a_row_whose_score_overflows_leaves_probabilities_alone(algorithm, tmp_path):
    random = np.random.default_rng(0)
    X = random.normal(size=(2500, 2))
    rows = [f"{a:.4f},{b:.4f},{'p' if a + b > 0 else 'n'}" for a, b in X]
    rows[1500] = "1e308,-1e308,n"
    path = tmp_path / "m"
    stream = io.BytesIO(("a,b,y\n" + "\n".join(rows) + "\n").encode())
    model = fit(io.BufferedReader(stream), target="y", algorithm=algorithm)
    save(model, path)
    assert model.report_["log_loss"] < 0.3
    assert np.isfinite(load(path).predict_proba({"a": [0.0, 3.0], "b": [0.0, 3.0]})).all()
