"""The page's JavaScript modules as one module, by a bundler's rules: browser, notebook and file load the same text.

A module becomes a function that returns its exports, so every module keeps a scope of its own. An import becomes a
constant taken from them. A module comes after the modules that it imports. Imports and exports must have one of the two
forms below; anything else is refused, so no statement is overlooked.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

IMPORT = re.compile(r'import \{ (?P<names>\w+(?:, \w+)*) \} from "\./(?P<module>\w+)\.js";')
EXPORT = re.compile(r"export (?P<declaration>(?:async function|function|class|const) (?P<name>\w+)\b.*)")
STATEMENT = re.compile(r"(import|export)\b")


class Module(NamedTuple):
    """A module: the names it takes from each other module, the names it exports, and its text as a function body."""

    imports: dict[str, list[str]]
    exports: list[str]
    body: str


def parse_module(name: str, text: str) -> Module:
    """The parts of a module. Raises a ValueError for an import or export of another form.

    >>> parse_module("a", 'import { f } from "./b.js";\\nexport const g = f;\\n')
    Module(imports={'b': ['f']}, exports=['g'], body='const { f } = $b;\\nconst g = f;')
    """
    imports: dict[str, list[str]] = {}
    exports: list[str] = []
    lines = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not STATEMENT.match(line):
            lines.append(line)
        elif found := IMPORT.fullmatch(line):
            imports.setdefault(found["module"], []).extend(found["names"].split(", "))
            lines.append(f"const {{ {found['names']} }} = ${found['module']};")
        elif found := EXPORT.fullmatch(line):
            exports.append(found["name"])
            lines.append(found["declaration"])
        else:
            raise ValueError(f"{name}.js, line {number}: the bundle does not take the form of {line!r}.")
    return Module(imports, exports, "\n".join(lines))


def module_order(read: Callable[[str], Module], entry: str) -> list[str]:
    """The modules that an entry needs, each after those that it imports. A cycle is refused.

    >>> texts = {"a": 'import { f } from "./b.js";', "b": "export const f = 1;"}
    >>> module_order(lambda name: parse_module(name, texts[name]), "a")
    ['b', 'a']
    """
    order: list[str] = []

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise ValueError(f"The modules {' -> '.join((*above, name))} import each other.")
        if name not in order:
            for other in read(name).imports:
                visit(other, (*above, name))
            order.append(name)

    visit(entry, ())
    return order


def bundle(read: Callable[[str], Module], entry: str) -> str:
    """One module with everything that the entry needs, and without imports; it exports what the entry does.

    >>> texts = {"a": 'import { f } from "./b.js";\\nexport const g = f;', "b": "export const f = 1;"}
    >>> print(bundle(lambda name: parse_module(name, texts[name]), "a"))
    const $b = (() => {
    const f = 1;
    return { f };
    })();
    const $a = (() => {
    const { f } = $b;
    const g = f;
    return { g };
    })();
    export const { g } = $a;
    """
    return "\n".join([*_scopes(read, entry), f"export const {{ {', '.join(read(entry).exports)} }} = ${entry};"])


def _scopes(read: Callable[[str], Module], entry: str) -> Iterator[str]:
    for name in module_order(read, entry):
        module = read(name)
        yield f"const ${name} = (() => {{\n{module.body}\nreturn {{ {', '.join(module.exports)} }};\n}})();"
