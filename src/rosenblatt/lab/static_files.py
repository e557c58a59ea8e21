"""The page's files. The JavaScript modules are joined into one, which the browser and notebooks load: no build step."""

import re
from functools import cache
from importlib.resources import files

# In the order of use: a module imports only from modules listed before it.
MODULES = (
    # numbers and geometry, without the DOM
    "packed_arrays", "vector_math", "number_format", "plane_geometry", "space_geometry", "viewport", "class_markers",
    # the state of the page and the run that it shows, without the DOM
    "traced_run", "grid_scores", "update_explanation", "saved_state", "points_csv", "page_state", "request_queue",
    # pictures, drawn by a painter
    "painters", "plane_shapes", "plane_regions", "plane_theory", "plane_picture", "axis_picture",
    "lift_picture", "neuron_picture", "data_figures",
    # controls and panels
    "form_controls", "line_chart", "recipe_controls", "recipe_panel", "point_editor", "picture_canvas", "view_bar",
    "points_panel", "playback_controls", "update_panel", "share_panel", "theory_panel", "data_tables", "data_panel",
    # the page and its host in a notebook
    "palette", "theme", "frame_loop", "keyboard_shortcuts", "page_layout", "page", "notebook_host",
)  # fmt: skip
IMPORT = re.compile(r"^import .*?;\n", re.MULTILINE | re.DOTALL)
EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


@cache
def static_text(name: str) -> str:
    """The text of one file of `static/`."""
    return (files(__package__) / "static" / name).read_text(encoding="utf-8")


@cache
def joined_module() -> str:
    """All modules joined into one, without their imports and exports."""
    parts = [EXPORT.sub("", IMPORT.sub("", static_text(f"{name}.js"))) for name in MODULES]
    return "\n".join([*parts, "export { mount };\nexport default { render };\n"])
