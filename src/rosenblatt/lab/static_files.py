"""The page's files. The JavaScript modules are joined into one, which browser and notebooks load: no build step."""

from functools import cache
from importlib.resources import files

from .module_bundle import Module, bundle, parse_module

STYLE_SHEETS = ("lab.css", "guidance.css", "sharing.css")
ENTRY = "notebook_host"  # imports the page, and with it all other modules


@cache
def static_text(name: str) -> str:
    """The text of one file of `static/`."""
    return (files(__package__) / "static" / name).read_text(encoding="utf-8")


@cache
def page_styles() -> str:
    """All style sheets in one."""
    return "\n".join(map(static_text, STYLE_SHEETS))


@cache
def static_module(name: str) -> Module:
    """One module of `static/`, by its name without ".js"."""
    return parse_module(name, static_text(f"{name}.js"))


@cache
def joined_module() -> str:
    """All modules in one. It exports `mount` for a page, and for notebooks the default that anywidget asks for."""
    return f"{bundle(static_module, ENTRY)}\nexport const {{ mount }} = $page;\nexport default {{ render }};\n"
