"""Print which layer imports which, from the sources: `python docs/layer_graph.py`. `tests/test_layers.py` checks it.

A layer is a folder of the package. A module may import from its own layer and from the layers above it in `LAYERS`,
wherever the import statement stands. Every layer may import the compiled core, whose folders are layers in the same
way: `CORE_LAYERS`.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "rosenblatt"
LAYERS = (
    "foundation",
    "parts",
    "engine",
    "prove",
    "solvers",
    "distributed",
    "tables",
    "classifiers",
    "statistics",
    "risk",
    "model",
    "training",
    "plots",
    "reference",
    "lab",
    "serve",
    "cli",
)
CORE = f"{PACKAGE}._core"
SOURCES = Path(__file__).parents[1] / "src"
CORE_LAYERS = (
    "system",
    "numerics",
    "rows",
    "parts",
    "targets",
    "passes",
    "loop",
    "kernels",
    "solvers",
    "prove",
    "text",
    "bindings",
)
CORE_SOURCES = Path(__file__).parents[1] / "core"
COMPILED_PER_TARGET = "targets/target.inc"  # it includes all code that is compiled once for each instruction set


def modules(sources: Path = SOURCES) -> dict[str, Path]:
    """The path of every module, by its full name."""
    found = {}
    for path in sorted((sources / PACKAGE).rglob("*.py")):
        parts = path.relative_to(sources).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name: str, path: Path, known: dict[str, Path]) -> Iterator[str]:
    """The modules of the package that a module imports, at the top or inside functions."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == PACKAGE)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            if base.split(".")[0] == PACKAGE:
                full = (f"{base}.{alias.name}" for alias in node.names)
                yield from (one if one in known or one == CORE else base for one in full)


def graph(sources: Path = SOURCES) -> dict[str, set[str]]:
    """What each module imports. The top module is left out: it only names what users can import."""
    known = modules(sources)
    return {name: set(imports(name, path, known)) - {name} for name, path in known.items() if name != PACKAGE}


def layer(module: str) -> str:
    """
    >>> layer("rosenblatt.prove.margin.wolfe")
    'prove'
    """
    return module.split(".")[1] if "." in module else module


def upward(edges: dict[str, set[str]]) -> list[str]:
    """Imports of a higher layer, or of the top module."""
    rank = {name: place for place, name in enumerate(LAYERS)}
    return [
        f"{module} imports {target}"
        for module, targets in edges.items()
        for target in sorted(targets - {CORE})
        if rank.get(layer(target), len(LAYERS)) > rank[layer(module)]
    ]


def cycle(edges: dict[str, set[str]]) -> list[str]:
    """The modules of one cycle of imports; none if there is no cycle."""
    left = {module: set(targets) & edges.keys() for module, targets in edges.items()}
    while ready := [module for module, targets in left.items() if not targets]:
        for module in ready:
            del left[module]
        for targets in left.values():
            targets.difference_update(ready)
    if not left:
        return []
    walk = [next(iter(left))]
    while len(set(walk)) == len(walk):
        walk.append(min(left[walk[-1]]))
    return walk[walk.index(walk[-1]) :]


def table(edges: dict[str, set[str]]) -> str:
    """One line a layer: the layers that its modules import."""
    lines = []
    for name in LAYERS:
        own = [module for module in edges if layer(module) == name]
        used = {layer(target) for module in own for target in edges[module] - {CORE}} - {name}
        core = ["core"] if any(CORE in edges[module] for module in own) else []
        below = core + [other for other in LAYERS if other in used]
        lines.append(f"{name:<12} {' '.join(below)}")
    return "\n".join(lines)


def core_graph(sources: Path = CORE_SOURCES) -> dict[str, set[str]]:
    """The folders that each file of the core includes, but for the file that gathers code for an instruction set."""
    files = [path for name in CORE_LAYERS for path in sorted((sources / name).glob("*.*"))]
    included = {path: re.findall(r'^#include "(\w+)/', path.read_text(encoding="utf-8"), re.M) for path in files}
    edges = {
        path.relative_to(sources).as_posix(): set(folders) - {path.parent.name} for path, folders in included.items()
    }
    return {name: folders for name, folders in edges.items() if name != COMPILED_PER_TARGET}


def core_upward(edges: dict[str, set[str]]) -> list[str]:
    """Includes of a higher layer of the core, or of a folder that is none, such as the tests."""
    rank = {name: place for place, name in enumerate(CORE_LAYERS)}
    return [
        f"core/{name} includes {folder}/"
        for name, folders in edges.items()
        for folder in sorted(folders)
        if rank.get(folder, len(CORE_LAYERS)) > rank[name.split("/")[0]]
    ]


def core_table(edges: dict[str, set[str]]) -> str:
    """One line a layer of the core: the layers that its files include."""
    used = {
        name: set[str]().union(*(edges[file] for file in edges if file.split("/")[0] == name)) for name in CORE_LAYERS
    }
    below = {name: " ".join(other for other in CORE_LAYERS if other in used[name]) for name in CORE_LAYERS}
    return "\n".join(f"{name:<12} {below[name]}".rstrip() for name in CORE_LAYERS)


if __name__ == "__main__":
    found, core = graph(), core_graph()
    print(f"{table(found)}\n\n{core_table(core)}")
    problems = [*upward(found), *core_upward(core), *([" -> ".join(cycle(found))] if cycle(found) else [])]
    print("\n".join(problems) or "no import goes up, and none goes round in a circle")
    sys.exit(bool(problems))
