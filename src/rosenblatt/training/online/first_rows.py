"""A learner made from the first rows of a stream: they decide the kinds of its columns, their scales and the plan."""

from ...foundation.errors import InputError
from ...foundation.seeds import draw_seed
from ...tables.encode.prepare import prepare_encoder
from ...tables.read.batches import CATEGORY, TEXT
from ...tables.read.column_names import find_target
from ...tables.read.text_lines import TextSource
from ..request import Request
from .first_scales import limit_first_outliers
from .one_pass import plan_one_pass, start_stream
from .online_learner import LearnerParts, OnlineLearner
from .progressive_accuracy import ProgressiveAccuracy

MAX_FIRST_COLUMNS = 1 << 24


def learn_first_rows(
    source: TextSource, request: Request, accuracy: ProgressiveAccuracy, few: bool = False, predict_batch: int = 1
) -> OnlineLearner:
    """A learner after all rows of a source. If these are `few`, the caller starts again with more of them."""
    target = find_target(source, request.target)
    encoder = prepare_encoder(source, request, target)
    batches = source.read_all({**encoder.reading(), target: CATEGORY})
    every = dict(encoder.column_encoders)
    encoded = encoder.fit_encode(batches, limit_first_outliers)
    if encoder.columns > MAX_FIRST_COLUMNS:
        raise InputError(
            f"{source.path} has {encoder.columns:,} columns, but a stream allows {MAX_FIRST_COLUMNS:,}: number "
            "them from 1, or train from a file."
        )
    texts = set(encoder.kinds.values()) == {TEXT}
    plan = plan_one_pass(request, texts)
    stream = start_stream(plan, encoded.rows(), draw_seed(request.seed))
    learner = OnlineLearner(source, request, accuracy, LearnerParts(encoder, every, plan, stream, texts), predict_batch)
    learner.learn_first(batches, encoded)
    learner.begin(renews=not few)
    return learner
