"""The page's files. Its small modules are joined into one, which a browser and a notebook load alike: no build step."""

import re
from functools import cache
from importlib.resources import files

# In the order of use: a module imports only from those above it.
MODULES = (
    "numbers", "pens", "shapes", "course", "fields", "plane", "axis", "lift", "neuron", "charts", "words", "share",
    "editing", "controls", "placing", "playing", "reading", "sharing", "theory", "table", "page", "notebook",
)  # fmt: skip
IMPORT = re.compile(r"^import .*?;\n", re.MULTILINE | re.DOTALL)
EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


@cache
def text(name: str) -> str:
    """One of the files as it is."""
    return (files(__package__) / "static" / name).read_text(encoding="utf-8")


@cache
def module() -> str:
    """All modules as one."""
    parts = [EXPORT.sub("", IMPORT.sub("", text(f"{name}.js"))) for name in MODULES]
    return "\n".join([*parts, "export { mount };\nexport default { render };\n"])
