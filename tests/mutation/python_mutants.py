"""Mutants of Python sources, made in the syntax tree.

Annotations, docstrings, decorators, `__all__`, texts of errors and warnings, and `strict=` of `zip` are left alone.
"""

import ast
import copy
from collections.abc import Iterator
from typing import NamedTuple

from mutant import Mutant

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}
OPPOSITES = [
    ("min", "max"),
    ("minimum", "maximum"),
    ("argmin", "argmax"),
    ("any", "all"),
    ("floor", "ceil"),
    ("logical_and", "logical_or"),
]
RENAMED = {a: b for pair in OPPOSITES for a, b in (pair, pair[::-1])}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LEFT_ALONE = {"annotation", "returns", "decorator_list", "type_params"}

Change = tuple[str, ast.AST]


class Site(NamedTuple):
    """A node, and where the tree holds it."""

    node: ast.AST
    holder: ast.AST
    field: str
    index: int | None
    statement: int

    def put(self, node: ast.AST) -> None:
        if self.index is None:
            setattr(self.holder, self.field, node)
        else:
            getattr(self.holder, self.field)[self.index] = node


def sites(node: ast.AST, statement: int = 0, in_function: bool = False) -> Iterator[Site]:
    """All nodes that may be changed, in the order of the source. Statement 0 is all that runs at import."""
    for field, value in ast.iter_fields(node):
        if field in LEFT_ALONE:
            continue
        inside = in_function or (isinstance(node, FUNCTIONS) and field == "body")
        for index, child in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(child, ast.AST) or is_exempt(child):
                continue
            first_line = child.lineno if inside and isinstance(child, ast.stmt) else statement
            yield Site(child, node, field, index if isinstance(value, list) else None, first_line)
            if not isinstance(child, ast.Raise):
                yield from sites(child, first_line, inside)


def is_exempt(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.keyword(arg="strict"):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id="warnings"))):
            return True
    return False


def changes(site: Site) -> Iterator[Change]:
    """All changes at one node, each with the name of its operator."""
    node = site.node
    if is_condition(site):
        yield from (("condition", ast.Constant(value)) for value in (False, True) if value < may_hold(site))
    match node:
        case ast.Compare():
            yield from comparisons(node)
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in ARITHMETIC:
            yield "arithmetic", replaced(node, op=ARITHMETIC[type(op)]())
        case ast.BoolOp(op=op):
            yield "boolean", replaced(node, op=ast.Or() if isinstance(op, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert(), operand=operand):
            yield "negation", operand
        case ast.Constant(value=value) if isinstance(value, bool | int | float):
            yield from (("constant", ast.Constant(other)) for other in other_numbers(value))
        case ast.Name(id=name, ctx=ast.Load()) if name in RENAMED:
            yield "opposite", replaced(node, id=RENAMED[name])
        case ast.Attribute(attr=name, ctx=ast.Load()) if name in RENAMED:
            yield "opposite", replaced(node, attr=RENAMED[name])
    yield from statements(node)


def statements(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Return(value=value) if value is not None and not isinstance(value, ast.Constant):
            yield "return", ast.Return(ast.Constant(None))
        case ast.Break():
            yield "jump", ast.Continue()
        case ast.Continue():
            yield "jump", ast.Break()
        case ast.Expr() | ast.AugAssign() | ast.Raise() | ast.Assert() | ast.Delete():
            yield "removal", ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "removal", ast.Pass()


def is_condition(site: Site) -> bool:
    held = (isinstance(site.holder, ast.If | ast.IfExp | ast.While) and site.field == "test") or site.field == "ifs"
    return held and not isinstance(site.node, ast.Constant)


def may_hold(site: Site) -> int:
    """How many constants a condition may become: `while True` would only hang."""
    return 1 if isinstance(site.holder, ast.While) else 2


def comparisons(node: ast.Compare) -> Iterator[Change]:
    for place, op in enumerate(node.ops):
        for other in COMPARISONS[type(op)]:
            yield "comparison", replaced(node, ops=[*node.ops[:place], other(), *node.ops[place + 1 :]])


def other_numbers(value: bool | int | float) -> list[bool | int | float]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1]
    others = [value + 1.0] if value != 1.0 else [2.0, 0.0]
    return [other for other in others if other != value]  # 1e300 + 1 is 1e300


def replaced(node: ast.AST, **fields: object) -> ast.AST:
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def python_mutants(source: str, file: str) -> list[Mutant]:
    """All mutants of a source."""
    found: list[Mutant] = []
    for site in sites(ast.parse(source)):
        for operator, node in changes(site):
            before, after = first_line(site.node), first_line(node)
            place = (site.node.lineno, site.node.col_offset, site.statement)
            found.append(Mutant(file, len(found), *place, operator, before, after))
    return found


def first_line(node: ast.AST) -> str:
    return ast.unparse(node).splitlines()[0]


def mutated_tree(source: str, number: int) -> ast.Module:
    """The syntax tree of a source with mutant `number`, ready to be compiled."""
    tree = ast.parse(source)
    counted = 0
    for site in sites(tree):
        for _, node in changes(site):
            if counted == number:
                site.put(ast.copy_location(node, site.node))
                return ast.fix_missing_locations(tree)
            counted += 1
    raise IndexError(f"there are {counted} mutants, but number {number} was asked for")
