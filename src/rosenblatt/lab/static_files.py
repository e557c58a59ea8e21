"""The page's files. The JavaScript modules are joined into one, which the browser and notebooks load: no build step."""

import re
from functools import cache
from importlib.resources import files

# In the order of use: a module imports only from modules listed before it.
MODULES = (
    "numbers", "pens", "shapes", "course", "fields", "plane", "axis", "lift", "neuron", "charts", "words", "share",
    "editing", "controls", "placing", "playing", "reading", "sharing", "theory", "table", "page", "notebook",
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
