"""The lab as a file: what is recorded, and what the command says."""

import subprocess
import sys

from rosenblatt.lab.lessons import lessons_content
from rosenblatt.lab.recorded_runs import DEFAULT_STATE, Recorder, record_lesson
from rosenblatt.lab.static_files import static_text


def lab(*words):
    return subprocess.run([sys.executable, "-m", "rosenblatt.cli", "lab", *words], capture_output=True, text=True)


def test_a_lesson_is_recorded_with_its_solutions():
    recorder = Recorder()
    record_lesson(recorder, "novikoff")
    recorded = [one["content"]["points"] for one in recorder.answers if one["kind"] == "run"]
    (lesson,) = (lesson for lesson in lessons_content() if lesson["name"] == "novikoff")
    for step in lesson["steps"]:
        assert step["state"]["points"] in recorded
        assert step["goal"]["solution"].get("points", step["state"]["points"]) in recorded


def test_the_page_and_the_recording_begin_lessons_alike():
    assert f'{{ learner: "{DEFAULT_STATE["learner"]}", parameters: {{ order: "cyclic" }}, dimension: 2,' in static_text(
        "lesson_state.js"
    )


def test_the_command_writes_one_file(tmp_path):
    path = tmp_path / "lesson.html"
    done = lab("--lesson", "loop", "--export", str(path))
    assert (done.returncode, done.stdout) == (0, f"{path}\n")
    assert path.read_text().startswith("<!doctype html>")
    path.write_text("my notes")
    done = lab("--lesson", "loop", "--export", str(path))
    assert done.returncode == 2
    assert "exists and is not a page of the lab" in done.stderr
    assert path.read_text() == "my notes"


def test_the_command_refuses_what_cannot_be_exported(tmp_path):
    done = lab("rows.csv", "--export", str(tmp_path / "lesson.html"))
    assert (done.returncode, "leave rows.csv out" in done.stderr) == (2, True)
    done = lab("--lesson", "nand", "--no-browser")
    assert (done.returncode, "lesson must be one of loop" in done.stderr) == (2, True)
