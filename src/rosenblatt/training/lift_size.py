"""The number of columns that `features` makes, told before training where it makes training slow."""

from ..parts.features import as_features
from ..tables.survey.encoded_table import EncodedTable
from .request import Request

# Numbers of lifted rows that every pass computes anew. 120 rows of 4 columns and 3 classes took 2.3 s of processor time
# with polynomial-40, which makes 16 million of them.
MAX_LIFTED_NUMBERS = 50_000_000


def note_large_lift(request: Request, table: EncodedTable) -> str | None:
    """What to tell the user before training on rows that a lift makes long, and which lift is faster."""
    name = request.parameters.get("features") or "identity"
    features, encoded, rows = as_features(name), table.train.encoded, len(table.train.codes)
    columns = features.columns(encoded.columns)
    if columns == encoded.columns:
        return None
    width = -(-encoded.stored // rows)  # sparse rows multiply only their stored numbers
    numbers = rows * features.columns(width)
    if numbers <= MAX_LIFTED_NUMBERS:
        return None
    faster = features.within(width, MAX_LIFTED_NUMBERS / rows)
    instead = "" if faster is None else f": {faster} is faster"
    return (
        f"note: {name} makes {columns:,} columns of {encoded.columns:,}, and each pass over the rows computes "
        f"{numbers:,} numbers, which takes long{instead}"
    )
