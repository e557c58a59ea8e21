"""`rosenblatt export`: write a model in a format that other programs read."""

from pathlib import Path
from typing import Annotated

from .console import handle_errors
from .fast_parser import Argument, Option
from .options import MODEL_HELP, Json


def export(
    model: Annotated[Path, Argument(metavar="MODEL", readable=False, help=MODEL_HELP)],
    output: Annotated[Path, Argument(metavar="OUT", readable=False, help="The file to write: .onnx or .json.")],
    form: Annotated[
        str | None,
        Option("--format", metavar="NAME", show_default=False, help="onnx or json, whatever OUT ends in."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a model as ONNX, or as JSON with named weights.

    \b
      rosenblatt export flowers.rosenblatt.safetensors flowers.onnx
      rosenblatt export mails.rosenblatt.safetensors mails.json

    In ONNX each column is an input: numbers as float64 (NaN where missing),
    categories as text. ONNX cannot express columns of words or dates.
    Exits with 0, or with 2 if the model cannot be read or expressed.
    """
    with handle_errors():
        import json

        from ..foundation.errors import InputError
        from ..model.export import export as write
        from ..model.file import read
        from .output_paths import is_one_of

        if is_one_of(output, [str(model)]):
            raise InputError(f"{output} is the model: choose another name.")
        known = {"model": str(model), "format": write(read(model), output, form), "output": str(output)}
        print(json.dumps(known) if as_json else f"{known['output']}: {known['format']}")
