"""The first pass: what each block holds, and whether it can be trained on."""

import operator
from dataclasses import dataclass

import numpy as np

from ..foundation.errors import InputError
from ..foundation.types import Floats
from ..parts.features import IDENTITY, Features
from .block import LoadedBlock
from .cluster import Cluster


@dataclass(frozen=True)
class BlockFacts:
    """What the driver knows of a block."""

    fingerprint: str
    rows: int
    columns: int
    stored_values: int
    sparse: bool
    class_rows: Floats  # rows of each class
    class_weights: Floats  # the weight of the rows of each class
    first_not_finite: int  # the first row with a number that is not finite; `rows` where there is none


@dataclass(frozen=True)
class Survey:
    """What the driver knows of all blocks together."""

    count: int
    columns: int
    stored_values: int
    sparse: bool
    class_rows: Floats
    class_weights: Floats
    block_rows: tuple[int, ...]  # the rows of each block

    def every(self, stride: int) -> "Survey":
        """That of every stride-th block, as if all blocks were alike but for their rows."""
        block_rows = self.block_rows[::stride]
        share = sum(block_rows) / self.count
        classes = self.class_rows * share, self.class_weights * share
        return Survey(
            sum(block_rows), self.columns, round(self.stored_values * share), self.sparse, *classes, block_rows
        )


def block_facts(block: LoadedBlock, features: Features, classes: int) -> list[BlockFacts]:
    """The facts of one block, in a list, so that lists add up to those of all blocks."""
    rows, codes = features.lifted(block.rows), block.codes
    counts: Floats = np.bincount(codes, minlength=classes).astype(np.float64)
    weights = counts if block.weights is None else np.bincount(codes, block.weights, classes).astype(np.float64)
    size = rows.columns, rows.stored_values, rows.sparse
    return [BlockFacts(block.fingerprint, rows.count, *size, counts, weights, rows.first_not_finite(1))]


def survey_facts(cluster: Cluster, classes: int, features: Features = IDENTITY) -> list[BlockFacts]:
    """The facts of each block. They are noted: from then on a block that changes is refused."""
    found: list[BlockFacts] = cluster.reduce(block_facts, operator.add, features, classes)
    for facts, block in zip(found, cluster.blocks, strict=True):
        if facts.columns != found[0].columns:
            raise InputError(f"{block.name} have {facts.columns} columns where the first rows have {found[0].columns}.")
        if facts.first_not_finite < facts.rows:
            raise InputError(
                f"row {facts.first_not_finite} of {block.name} contains NaN or infinity: "
                "fill in or drop such values first."
            )
    cluster.fingerprints = [facts.fingerprint for facts in found]
    return found


def survey_blocks(cluster: Cluster, classes: int, features: Features = IDENTITY) -> Survey:
    """Survey all blocks, and note what they contain."""
    found = survey_facts(cluster, classes, features)
    return Survey(
        sum(facts.rows for facts in found),
        found[0].columns,
        sum(facts.stored_values for facts in found),
        found[0].sparse,
        sum((facts.class_rows for facts in found[1:]), found[0].class_rows),
        sum((facts.class_weights for facts in found[1:]), found[0].class_weights),
        tuple(facts.rows for facts in found),
    )
