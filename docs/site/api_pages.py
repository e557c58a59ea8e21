"""The reference of the library: one page for each public name, one for each class that a public function returns.

Nothing is listed by hand: names come from `rosenblatt.__all__`, `rosenblatt.plots` and `rosenblatt.mlflow`, their texts
from docstrings.
"""

import inspect
import re
import typing
from collections.abc import Iterator
from typing import Any

import rosenblatt
from rosenblatt.cli.commands import COMMANDS

GROUPS = {
    "classifiers": "Classifiers",
    "training": "Tables and model files",
    "prove": "Proofs",
    "statistics": "Statistics",
    "risk": "Risk",
    "parts": "Parts of a learner",
    "plots": "Plots",
    "mlflow": "MLflow",
    "lab": "The lab",
    "answers": "What functions return",
    "warnings": "Warnings and errors",
}
SAME_GROUP = {"tables": "training", "model": "training", "distributed": "prove"}
WARNINGS = (
    "classifiers.messages.SeparationWarning",
    "foundation.errors.InputError",
    "distributed.worker_failures.ClusterError",
)
MODULES = ("plots", "mlflow")  # public names that hold functions; each is a group
INTERNAL = {"training_problem", "native", "lifted", "named", "recounted"}


class Entry(typing.NamedTuple):
    """A name to document: its path to import it from, its group and the object."""

    path: str
    group: str
    thing: Any

    @property
    def name(self) -> str:
        return self.path.rpartition(".")[2]

    @property
    def page(self) -> str:
        return f"reference/api/{self.shown}"

    @property
    def shown(self) -> str:
        return f"{self.group}.{self.name}" if self.group in MODULES else self.name

    @property
    def summary(self) -> str:
        return " ".join((inspect.getdoc(self.thing) or "").split("\n\n")[0].split())


def entries() -> list[Entry]:
    """All names, in the order of the groups."""
    public = [Entry(f"rosenblatt.{name}", _group(name), getattr(rosenblatt, name)) for name in _public_names()]
    found = [*public, *(one for module in MODULES for one in _module_entries(module))]
    returned = {path(kind): kind for one in public for kind in returned_classes(one.thing)}
    found += [
        Entry(name, "answers", kind) for name, kind in sorted(returned.items()) if kind not in {e.thing for e in public}
    ]
    found += [Entry(f"rosenblatt.{name}", "warnings", _imported(name)) for name in WARNINGS]
    return sorted(found, key=lambda one: [*GROUPS].index(one.group))


def _module_entries(module: str) -> Iterator[Entry]:
    """The functions of a public module: those that it lists, or all that it defines or imports."""
    holder = getattr(rosenblatt, module)
    for name in getattr(holder, "__all__", dir(holder)):
        if inspect.isfunction(getattr(holder, name)) and not name.startswith("_"):
            yield Entry(f"rosenblatt.{module}.{name}", module, getattr(holder, name))


def _public_names() -> list[str]:
    return [name for name in rosenblatt.__all__ if not name.startswith("_")]


def _group(name: str) -> str:
    folder = rosenblatt._PUBLIC[name].partition(".")[0]
    return SAME_GROUP.get(folder, folder)


def _imported(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    return getattr(__import__(f"rosenblatt.{module}", fromlist=[attribute]), attribute)


def path(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def returned_classes(thing: Any) -> Iterator[type]:
    """The classes of rosenblatt that a function, or a method of a class, says it returns."""
    calls = [thing] if inspect.isfunction(thing) else [getattr(thing, name) for name in members(thing)]
    for call in calls:
        hint = typing.get_type_hints(call).get("return") if inspect.isfunction(call) else None
        for kind in (hint, *typing.get_args(hint)):
            if inspect.isclass(kind) and kind.__module__.startswith("rosenblatt") and not kind.__name__.startswith("_"):
                yield kind


def members(kind: type) -> list[str]:
    """The public methods and properties that this library defines, inherited ones included."""
    found = []
    for name in sorted(vars_of(kind)):
        member = inspect.getattr_static(kind, name)
        call = getattr(member, "fget", None) or getattr(member, "__func__", None) or getattr(member, "fn", member)
        if inspect.isfunction(call) and call.__module__.startswith("rosenblatt") and inspect.getdoc(call):
            found.append(name)
    return [name for name in found if name not in INTERNAL]


def vars_of(kind: type) -> set[str]:
    return {name for base in kind.__mro__ for name in vars(base) if not name.startswith("_")}


def inherited(kind: type) -> list[str]:
    """What scikit-learn adds, for a sentence."""
    return [
        name
        for name in ("score", "get_params", "set_params", "set_output")
        if hasattr(kind, name) and name not in members(kind)
    ]


def api_pages(texts: dict[str, str]) -> dict[str, str]:
    """The pages by name; `texts` are the other pages of the site, to be linked from here."""
    found = entries()
    pages = {f"{one.page}.md": "\n".join(_page(one, texts)) + "\n" for one in found}
    pages["reference/index.md"] = "\n".join(_index(found)) + "\n"
    return pages


def _page(one: Entry, texts: dict[str, str]) -> Iterator[str]:
    module, _, name = one.path.rpartition(".")
    yield f"# {one.shown}\n"
    yield from ["```{eval-rst}", f".. currentmodule:: {module}", ""]
    if inspect.isclass(one.thing):
        yield f".. autoclass:: {name}"
        for member in members(one.thing):
            is_property = isinstance(inspect.getattr_static(one.thing, member), property)
            yield f"\n   .. auto{'property' if is_property else 'method'}:: {member}"
    else:
        yield f".. autofunction:: {name}"
    yield "```\n"
    more = inherited(one.thing) if inspect.isclass(one.thing) else []
    if more:
        yield f"From scikit-learn: {', '.join(f'`{name}`' for name in more)}.\n"
    used = mentions(name, texts)
    if used:
        yield "## Used in\n"
        yield from (f"- [{title}](../../{page})" for page, title in used)


def mentions(name: str, texts: dict[str, str]) -> list[tuple[str, str]]:
    """The pages of the guide and the theory that name it most often, with their titles."""
    word = re.compile(rf"\b{name}\b" if name[0].isupper() or "_" in name else rf"\b{name}\(")
    counts = {
        page: len(word.findall(text))
        for page, text in texts.items()
        if page.startswith(("guide/", "theory/", "start/"))
    }
    best = sorted((page for page, count in counts.items() if count), key=lambda page: (-counts[page], page))[:5]
    return [(page, re.search(r"^# (.*)$", texts[page], re.MULTILINE)[1]) for page in best]  # type: ignore[index]


def _index(found: list[Entry]) -> Iterator[str]:
    yield "# Reference\n"
    yield "Every public name, every command and every file format. `from rosenblatt import NAME` imports a name of the"
    yield "first groups; `from rosenblatt import plots` has the plots, `from rosenblatt import mlflow` the rest.\n"
    yield "- [The command line](commands/index.md): every command with all its options"
    yield "- [Parameters](parameters.md): all defaults, and the combinations that are refused"
    yield "- [Certificates](certificate.md): the format of proofs, and how to check one\n"
    for group, title in GROUPS.items():
        members = [one for one in found if one.group == group]
        yield f"\n## {title}\n\n| name | what it is |\n|---|---|"
        yield from (
            f"| [`{one.page.rpartition('/')[2]}`](api/{one.page.rpartition('/')[2]}.md) | {_cell(one.summary)} |"
            for one in members
        )
    yield "\n```{toctree}\n:hidden:\n\nparameters\ncertificate\n```"
    names = "\n".join(f"commands/{name}" for name in ("index", *COMMANDS))
    yield f"\n```{{toctree}}\n:hidden:\n:caption: The command line\n\n{names}\n```"
    for group, title in GROUPS.items():
        names = [one.page.removeprefix("reference/") for one in found if one.group == group]
        yield "\n".join(["\n```{toctree}", ":hidden:", f":caption: {title}", "", *names, "```"])


def _cell(text: str) -> str:
    """Text for a cell of a table, with everything but code as it is typed."""
    spans = re.split(r"(`[^`]*`)", text)
    return "".join(
        one if place % 2 else re.sub(r"([\\*_$<\[])", r"\\\1", one) for place, one in enumerate(spans)
    ).replace("|", "\\|")
