"""Where the rows of a text end. Blank lines, and comments of LIBSVM text, are no rows: they must not change a model."""

import numpy as np
import numpy.typing as npt

UNSURE = np.frombuffer(b"\n\r\t\v\f #", np.uint8)  # how lines that may be no rows begin


def ends_of_rows(text: bytes, newline: bytes, kind: str) -> npt.NDArray[np.intp]:
    """Where each line that is a row ends.

    >>> ends_of_rows(b"a,b\\n\\n1,2\\n\\r\\n3,", b"\\n", "delimited").tolist()
    [4, 9]
    """
    characters = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(characters == ord(newline)) + 1
    starts = np.concatenate([[0], ends[:-1]])[: len(ends)]
    rows = np.ones(len(ends), bool)
    for k in np.flatnonzero(np.isin(characters[starts], UNSURE)):
        rows[k] = is_row(text[starts[k] : ends[k]], kind)
    return ends[rows]


def is_row(line: bytes, kind: str) -> bool:
    """Whether a line of this kind of text is a row. A CSV line of spaces is one: it holds a value.

    >>> [is_row(line, "svmlight") for line in (b"+1 1:2\\n", b" \\n", b"# a note\\n")]
    [True, False, False]
    """
    if kind == "delimited":
        return bool(line.strip(b"\r\n"))
    return bool(line.strip()) and not (kind == "svmlight" and line.lstrip().startswith(b"#"))
