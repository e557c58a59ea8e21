"""What is read of a table of sizes and kinds."""

import numpy as np

from rosenblatt.tables.read.arrow_arrays import category_codes, floats

READING = {"kind": "category", "size": "number"}


def seen(source):
    """Numbers and texts of a source, in one list each."""
    batches = source.read_all(READING)
    sizes = np.concatenate([floats(batch.table.column("size")) for batch in batches])
    kinds = []
    for batch in batches:
        codes, texts = category_codes(batch.table.column("kind"))
        kinds += [None if code < 0 else texts[code] for code in codes]
    return sizes.tolist(), kinds
