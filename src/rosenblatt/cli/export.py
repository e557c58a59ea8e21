"""`rosenblatt export`: a model for other programs."""

from pathlib import Path
from typing import Annotated

from .console import ending_well
from .fast_parser import Argument, Option
from .options import Json


def export(
    model: Annotated[Path, Argument(metavar="MODEL", readable=False, help="A file that train has saved.")],
    output: Annotated[Path, Argument(metavar="OUT", readable=False, help="A file that ends in .onnx or .json.")],
    form: Annotated[
        str | None,
        Option("--format", metavar="NAME", show_default=False, help="onnx or json, whatever the ending."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a model for other programs: as ONNX, or as JSON with named weights.

    \b
      rosenblatt export flowers.rosenblatt.safetensors flowers.onnx
      rosenblatt export mails.rosenblatt.safetensors mails.json

    In ONNX each column is an input: numbers as float64 (NaN where missing),
    categories as text. Words and dates have no counterpart there.
    """
    with ending_well():
        import json

        from ..foundation.errors import InputError
        from ..model.export import export as write
        from ..model.file import read
        from .output_paths import same_as_any

        if same_as_any(output, [str(model)]):
            raise InputError(f"{output} is the model: choose another name.")
        known = {"model": str(model), "format": write(read(model), output, form), "output": str(output)}
        print(json.dumps(known) if as_json else f"{known['output']}: {known['format']}")
