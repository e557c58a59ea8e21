"""Files that commands write: one option for all, and nothing else is written over."""

from pathlib import Path

import pytest
from command_line import FLOWERS, call, refusal


def test_a_table_is_never_written_over(flowers, model):
    assert "is the table" in refusal(call("train", flowers, "--target", "kind", "--model", flowers))
    assert "is read here" in refusal(call("predict", model, flowers, "--output", flowers))
    assert flowers.read_text() == FLOWERS


@pytest.mark.parametrize("command", ["train", "predict", "check", "export"])
def test_outputs_have_one_option_and_overwrite_only_their_own_kind(command, flowers, model, tmp_path):
    out = tmp_path / "out.json"
    words = {
        "train": (flowers, "--target", "kind"),
        "predict": (model, flowers),
        "check": (flowers, "--target", "kind"),
        "export": (model,),
    }[command]
    for option in ("-o", "--output", "--output"):  # the last two overwrite what the first wrote
        result = call(command, *words, option, out)
        assert result.exit_code == 0, result.stderr
    out.write_text("the notes of a year")
    assert f"{out} exists and is not a" in refusal(call(command, *words, "-o", out))
    assert out.read_text() == "the notes of a year"
    assert call(command, *words, "-o", out, "--force").exit_code == 0
    assert "the notes" not in out.read_bytes().decode(errors="replace")
    out.write_text("")
    assert call(command, *words, "-o", out).exit_code == 0


def test_predictions_as_json_and_onnx_models_are_overwritten(flowers, model, tmp_path):
    for words in (("predict", model, flowers, "--add", "--json"), ("export", model, "--format", "onnx")):
        for _ in range(2):
            assert call(*words, "-o", tmp_path / words[0]).exit_code == 0


def test_older_names_of_the_output_still_work(flowers, tmp_path):
    train = ("train", flowers, "--target", "kind")
    assert call(*train, "--model", tmp_path / "m").exit_code == 0
    assert (tmp_path / "m").exists()
    assert "--output and --model mean the same" in refusal(
        call(*train, "--model", tmp_path / "m", "-o", tmp_path / "n")
    )
    assert "which file is to be written?" in refusal(call("export", tmp_path / "m"))


def test_stored_models_of_every_version_are_known_as_models(flowers, tmp_path):
    for stored in sorted((Path(__file__).parents[1] / "model" / "models").glob("*.safetensors")):
        copy = tmp_path / "copy"
        copy.write_bytes(stored.read_bytes())
        assert call("train", flowers, "--target", "kind", "-o", copy).exit_code == 0, stored
