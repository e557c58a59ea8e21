"""Count the lines of the core's functions: `python docs/function_lengths.py` prints the longest.

The lines of a function are those of its body, as for Python: from the first statement, or the first initialiser of a
constructor, to the last one, comments and empty lines between them included. A lambda counts in the function around it,
a function of a local class by itself, too. Nothing is compiled: a scanner knows comments, literals and braces, and
every branch of `#if` is read. `tests/test_function_lengths.py` checks it, and the share of short functions.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CORE = Path(__file__).parents[1] / "core"
SHORT = 15
TOKEN = re.compile(
    r"""(?P<space>\s+|//(?:\\\n|[^\n])*|/\*.*?\*/|(?m:^[ \t]*\#(?:\\\n|[^\n])*))
      | (?P<literal>(?:u8|[uUL])?R"(?P<mark>[^\s()\\]*)\(.*?\)(?P=mark)"
                   |(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"
                   |(?:u8|[uUL])?'(?:\\.|[^'\\\n])+'
                   |\.?\d(?:[eEpP][+-]|'\w|[\w.])*)
      | (?P<word>operator\s*(?:\(\s*\)|\[\s*\]|[-+*/%^&|~!=<>,]+)|[A-Za-z_]\w*)
      | (?P<mark_of_two>::|->|&&|\|\||[=!<>]=)
      | (?P<other>.)""",
    re.DOTALL | re.VERBOSE,
)
OPENING, CLOSING = "([{", ")]}"
TYPES = {"class", "struct", "union", "enum"}


@dataclass(frozen=True)
class Token:
    text: str
    line: int
    last_line: int


@dataclass(frozen=True)
class Function:
    name: str
    line: int
    lines: int


def tokens(text: str) -> list[Token]:
    """The words, literals and signs of a source, without comments and directives."""
    found, line = [], 1
    for match in TOKEN.finditer(text):
        last = line + match.group().count("\n")
        if not match["space"]:
            found.append(Token('""' if match["literal"] else match.group(), line, last))
        line = last
    return found


def partners(source: list[Token]) -> dict[int, int]:
    """The place of each closing bracket, by the place of the opening one. Raises ValueError if they do not match."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for place, token in enumerate(source):
        if token.text in OPENING:
            opened.append(place)
        elif token.text in CLOSING:
            if not opened or OPENING.index(source[opened[-1]].text) != CLOSING.index(token.text):
                raise ValueError(f"line {token.line}: nothing opens this {token.text!r}")
            found[opened.pop()] = place
    if opened:
        raise ValueError(f"line {source[opened[-1]].line}: nothing closes this {source[opened[-1]].text!r}")
    return found


def after_template(source: list[Token], close: dict[int, int], place: int) -> int:
    """The place after the parameters of a template, which begin at `place` with `<`."""
    depth = 0
    while place < len(source):
        depth += {"<": 1, ">": -1}.get(source[place].text, 0)
        place = close.get(place, place) + 1
        if depth == 0:
            break
    return place


def functions_between(source: list[Token], close: dict[int, int], place: int, end: int) -> Iterator[Function]:
    """The functions of a file, a namespace or a class, whose tokens are those from `place` to before `end`."""
    header: list[int] = []  # the places of the tokens of a declaration, what is in brackets left out
    while place < end:
        text = source[place].text
        if text in (";", "public", "private", "protected"):
            header = []
            place += 1
        elif text == "template":
            place = after_template(source, close, place + 1)
        elif text == "{":
            kind = kind_of_brace([source[at].text for at in header])
            if kind == "function":
                yield measured(source, header, place, close[place])
            if kind in ("scope", "function"):
                inner = functions_between if kind == "scope" else functions_of_local_classes
                yield from inner(source, close, place + 1, close[place])
                header = []
            place = close[place] + 1
            if kind == "initialiser":
                header.append(place - 1)
        elif text in OPENING:
            header += [place, close[place]]
            place = close[place] + 1
        else:
            header.append(place)
            place += 1


def functions_of_local_classes(source: list[Token], close: dict[int, int], place: int, end: int) -> Iterator[Function]:
    """The functions of the classes that a function declares."""
    for at in range(place, end):
        if source[at].text in TYPES and source[at - 1].text in "{};":
            begin = next((k for k in range(at, end) if source[k].text in "{;("), end)
            if begin < end and source[begin].text == "{":
                yield from functions_between(source, close, begin + 1, close[begin])


def kind_of_brace(header: list[str]) -> str:
    """Whether a brace opens a scope of functions, a function or an initialiser, by the tokens since the last statement.

    >>> kind_of_brace(["int", "f", "(", ")", "noexcept"])
    'function'
    >>> kind_of_brace(["constexpr", "int", "primes", "[", "]", "="])
    'initialiser'
    >>> kind_of_brace(["Row", "(", ")", ":", "size_"])
    'initialiser'
    >>> kind_of_brace(["struct", "Row", ":", "Base"])
    'scope'
    """
    if "=" in header:
        return "initialiser"
    if "(" not in header or header[:1] == ["extern"]:
        named = {"namespace", "extern", *TYPES} & set(header)
        return "scope" if named and "enum" not in header else "initialiser"
    if TYPES & set(header[: header.index("(")]):  # a type with alignas(64) before its name
        return "scope"
    initialised = ":" in header[header.index("(") :]
    return "function" if not initialised or header[-1] in (")", "}") else "initialiser"


def measured(source: list[Token], header: list[int], opening: int, closing: int) -> Function:
    """The function with the given header, whose body is between two braces."""
    texts = [source[place].text for place in header]
    parameters = texts.index("(")
    first = opening + 1
    if ":" in texts[parameters:]:
        first = header[texts.index(":", parameters)] + 1
    inside = closing > opening + 1 or first < opening
    lines = source[closing - 1].last_line - source[first].line + 1 if inside else 0
    return Function(texts[parameters - 1], source[header[parameters - 1]].line, lines)


def functions_of(text: str) -> list[Function]:
    """The functions that a C++ source defines, in their order.

    >>> functions_of("struct Sum {\\n  void add(double x) {\\n    total += x;\\n    ++count;\\n  }\\n};")
    [Function(name='add', line=2, lines=2)]
    """
    source = tokens(text)
    return list(functions_between(source, partners(source), 0, len(source)))


def functions_of_core(core: Path = CORE, *, tests: bool = False) -> list[tuple[Path, Function]]:
    """The functions of the core, or of its tests and fuzz targets, with the files that define them."""
    files = [
        path
        for pattern in ("*.hpp", "*.cpp", "*.inc")
        for path in core.rglob(pattern)
        if (path.relative_to(core).parts[0] in ("tests", "fuzz")) == tests
    ]
    return [
        (path.relative_to(core.parent), function)
        for path in sorted(files)
        for function in functions_of(path.read_text(encoding="utf-8"))
    ]


def share_of_short(functions: list[Function]) -> float:
    """
    >>> share_of_short([Function("dot", 1, 3), Function("fit", 5, 40)])
    0.5
    """
    return sum(function.lines <= SHORT for function in functions) / len(functions)


if __name__ == "__main__":
    for name, tests in (("the core", False), ("its tests and fuzz targets", True)):
        found = functions_of_core(tests=tests)
        short = share_of_short([function for _, function in found])
        print(f"{name}: {len(found)} functions, {short:.1%} of at most {SHORT} lines")
        for path, function in sorted(found, key=lambda item: -item[1].lines):
            if function.lines > SHORT:
                print(f"{function.lines:5} {path}:{function.line} {function.name}")
