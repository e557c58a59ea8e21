"""Requests to the lab: whatever they ask, they are answered or refused in one sentence."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lab_runs import THREE, run_request

from rosenblatt.foundation.errors import InputError
from rosenblatt.lab.presets import PRESETS
from rosenblatt.lab.questions import answer_question
from rosenblatt.lab.registry import classifier_entries
from rosenblatt.lab.run_request import MAX_POINTS


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"points": [[0, 0, 0]] * (MAX_POINTS + 1)}, "The lab takes 500 points at most, not 501"),
        ({"points": [[0, 0, 0], [1, 1, 0]]}, "Place points of at least two classes"),
        ({"points": [[0, float("nan"), 0]]}, "Point 1 has the coordinate nan"),
        ({"points": [[0, 1e300, 0]]}, "use numbers up to a million"),
        ({"points": [[0, True, 0]]}, "Point 1 has the coordinate True"),
        ({"points": [[0, 0, 4]]}, "classes are 0 to 3"),
        ({"points": [[0, 0]]}, r"Point 1 must be \[x1, x2, class\]"),
        ({"points": "all"}, "points must be a list, not 'all'"),
        ({"dimension": 3}, "dimension must be 1 or 2, not 3"),
        ({"reach": [1]}, "reach must be two numbers above 0"),
        ({"reach": [1, -1]}, "reach must be two numbers above 0"),
        ({"learner": "Oracle"}, "learner must be one of Perceptron, .*, not 'Oracle'"),
        ({"parameters": {"n_jobs": 64}}, "Perceptron has no parameter 'n_jobs' in the lab"),
        ({"parameters": {"order": "cycle"}}, "order must be one of 'cyclic', .*, not 'cycle'"),
        ({"parameters": {"max_iter": 10**9}}, "max_iter can be 1,000 at most in the lab"),
        ({"parameters": {"max_iter": 0}}, "max_iter must be a whole number of at least 1, not 0"),
        ({"parameters": {"max_iter": 1.5}}, "max_iter must be a whole number, not 1.5"),
        ({"parameters": {"eta0": -1}}, "eta0 must be a finite number above 0, not -1"),
        ({"parameters": {"eta0": 10**400}}, "."),
        ({"parameters": {"eta0": "1"}}, "eta0 must be a number, not '1'"),
        ({"parameters": {"fit_intercept": 1}}, "fit_intercept must be one of true or false, not 1"),
        ({"parameters": {"random_state": -1}}, "."),
    ],
    ids=str,
)
def test_what_cannot_be_used_is_refused_in_one_sentence(change, sentence):
    with pytest.raises(InputError, match=sentence) as refusal:
        answer_question("run", {**THREE, **change})
    assert re.fullmatch(r"[^\n]*\.", str(refusal.value))


def test_parts_that_do_not_go_together_are_named():
    with pytest.raises(InputError, match="order='working-set' does not go with keep='best'"):
        answer_question("run", run_request("three", order="working-set", keep="best"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
NEARLY = st.fixed_dictionaries(
    {},
    optional={
        "points": st.lists(st.lists(st.integers(-3, 3) | st.floats(), min_size=3, max_size=3) | JSON, max_size=6),
        "dimension": st.integers(0, 3) | JSON,
        "learner": st.sampled_from([*classifier_entries(), "x"]) | JSON,
        "parameters": st.dictionaries(
            st.sampled_from(sorted({name for one in classifier_entries().values() for name in one.parameters})),
            st.sampled_from(["cyclic", "l2", "gd", "sgd", "optimum", "joint", None, True, 0, 1, 2, -1, 1e300, 1e-300])
            | JSON,
            max_size=3,
        ),
        "preset": st.sampled_from([*PRESETS, "x"]) | JSON,
        "margin": JSON,
        "seed": JSON,
    },
)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(["about", "run", "prove", "preset", "x"]), JSON | NEARLY)
def test_any_request_is_answered_or_refused(kind, content):
    assert sentence_or_json(kind, content)[-1] in ".?}"


def sentence_or_json(kind, content):
    try:
        return json.dumps(answer_question(kind, content))
    except InputError as error:
        return str(error)
