"""Requests for runs: three points, and a preset with a learner."""

from rosenblatt.lab.presets import preset_points

THREE = {"points": [[3, 3, 1], [4, 3, 1], [1, 1, 0]], "learner": "Perceptron", "parameters": {"order": "cyclic"}}


def run_request(preset, learner="Perceptron", **parameters):
    made = preset_points({"preset": preset})
    return {**made, "learner": learner, "parameters": parameters}
