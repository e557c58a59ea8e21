"""`rosenblatt export`: write a model in a format that other programs read."""

from pathlib import Path
from typing import Annotated

from .console import handle_errors
from .fast_parser import Argument, Option
from .options import MODEL_HELP, Force, Json


def export(
    model: Annotated[Path, Argument(metavar="MODEL", readable=False, help=MODEL_HELP)],
    out: Annotated[
        Path | None,
        Argument(metavar="OUT", readable=False, show_default=False, help="The file to write: .onnx or .json."),
    ] = None,
    output: Annotated[
        Path | None,
        Option("--output", "-o", metavar="OUT", show_default=False, help="The file to write, as an option."),
    ] = None,
    form: Annotated[
        str | None,
        Option("--format", metavar="NAME", show_default=False, help="onnx or json, whatever OUT ends in."),
    ] = None,
    force: Force = False,
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
        from .output_paths import check_overwrite, is_one_of, join_spellings

        path = join_spellings(output, out, "OUT")
        if path is None:
            raise InputError("which file is to be written? Name it: OUT.onnx or OUT.json.")
        if is_one_of(path, [str(model)]):
            raise InputError(f"{path} is the model: choose another name.")
        check_overwrite(path, "an exported model", force)
        known = {"model": str(model), "format": write(read(model), path, form), "output": str(path)}
        print(json.dumps(known) if as_json else f"{known['output']}: {known['format']}")
