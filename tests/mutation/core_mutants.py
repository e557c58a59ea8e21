"""Mutants of C++ sources. All of a file are compiled at once: `a < b` becomes `(on(7) ? a <= b : a < b)`.

Only one mutant acts at a time, so a mutated alternative holds its operands as they were. Templates' arguments, requires
clauses, `if constexpr`, attributes, types, texts and the preprocessor are left alone.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from mutant import Mutant

if TYPE_CHECKING:
    from tree_sitter import Node

OPERATORS = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
    "&&": ("||",),
    "||": ("&&",),
    "+": ("-",),
    "-": ("+",),
    "*": ("/",),
    "/": ("*",),
    "%": ("*",),
    "<<": (">>",),
    ">>": ("<<",),
    "+=": ("-=",),
    "-=": ("+=",),
    "*=": ("/=",),
    "/=": ("*=",),
    "++": ("--",),
    "--": ("++",),
}
KINDS = {"binary_expression": "operator", "assignment_expression": "assignment", "update_expression": "assignment"}
LEFT_ALONE = {
    "template_argument_list",
    "template_parameter_list",
    "requires_clause",
    "requires_expression",
    "static_assert_declaration",
    "attribute_declaration",
    "attribute_specifier",
    "enumerator_list",
    "type_descriptor",
    "decltype",
    "string_literal",
}
REMOVED = {"expression_statement", "throw_statement", "continue_statement", "break_statement"}
ON = "rosenblatt::mutant::on"


class Change(NamedTuple):
    operator: str
    after: str


def parse(source: bytes) -> "Node":
    import tree_sitter
    import tree_sitter_cpp

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language())).parse(source).root_node


def text(node: "Node") -> str:
    return node.text.decode()


class Schemata:
    """The mutants of one file, and the source that holds all of them. Numbers start at `first`."""

    def __init__(self, source: str, file: str, first: int) -> None:
        self.file, self.first, self.mutants = file, first, list[Mutant]()
        self.source = '#include "loop/mutant.hpp"\n' + self.render(parse(source.encode()))

    def render(self, node: "Node") -> str:
        if is_left_alone(node):
            return text(node)
        numbered = [(self.number(node, change), change) for change in changes(node)]
        if node.type == "return_statement" and node.named_children and numbered:
            [(number, _)] = numbered
            value = node.named_children[0]
            zero = f"rosenblatt::mutant::zero<decltype({text(value)})>()"
            return f"return ({ON}({number}) ? {zero} : {self.render(value)});"
        inner = self.render_constants(node) if is_constant(node) else self.render_children(node)
        for number, change in reversed(numbered):
            inner = chosen(number, change, inner)
        return inner

    def render_children(self, node: "Node") -> str:
        parts, at = list[bytes](), node.start_byte
        if not node.children:
            return text(node)
        for child in node.children:
            parts += [node.text[at - node.start_byte : child.start_byte - node.start_byte], self.render(child).encode()]
            at = child.end_byte
        return b"".join([*parts, node.text[at - node.start_byte :]]).decode()

    def render_constants(self, node: "Node") -> str:
        """Constants that mutants change are not known to the compiler: `constexpr int a = 1` becomes a function."""
        type_ = text(node.child_by_field_name("type"))
        computed = []
        for name, value in named_values(node):
            braced = value.type == "initializer_list"
            rendered = self.render(value) if braced else f"({self.render(value)})"
            computed.append(f"{text(name)}{{[] {{ return {type_}{rendered}; }}}}")
        place = "static inline " if node.type == "field_declaration" else ""
        return f"{place}const rosenblatt::mutant::Constant<{type_}> {', '.join(computed)};"

    def number(self, node: "Node", change: Change) -> int:
        row, column = node.start_point
        before, after = (" ".join(words.split()) for words in (text(node), change.after))
        number = self.first + len(self.mutants)
        self.mutants.append(Mutant(self.file, number, row + 1, column, row + 1, change.operator, before, after))
        return number


def chosen(number: int, change: Change, inner: str) -> str:
    """A source that acts as the mutant if it is chosen, and as `inner` otherwise."""
    if change.operator == "removal":
        return f"{{ if (!{ON}({number})) {inner} }}"
    if change.operator == "condition":
        inner = f"static_cast<bool>({inner})"
    return f"({ON}({number}) ? {change.after} : {inner})"


def is_constant(node: "Node") -> bool:
    return node.type in ("declaration", "field_declaration") and any(text(n) == "constexpr" for n in node.children)


def named_values(declaration: "Node") -> list[tuple["Node", "Node"]]:
    """Names and values of a declaration. In a class they are apart; elsewhere each declarator holds its value."""
    names = declaration.children_by_field_name("declarator")
    if values := declaration.children_by_field_name("default_value"):
        return list(zip(names, values, strict=True))
    return [(name.child_by_field_name("declarator"), name.child_by_field_name("value")) for name in names]


def is_left_alone(node: "Node") -> bool:
    if node.type in LEFT_ALONE or node.type.startswith("preproc"):
        return True
    return node.type == "condition_clause" and any(child.type == "constexpr" for child in node.parent.children)


def changes(node: "Node") -> Iterator[Change]:
    """All changes at one node."""
    if is_condition(node):
        yield Change("condition", "false")
        if node.parent.parent.type != "while_statement":
            yield Change("condition", "true")
    if node.type in KINDS:
        yield from other_operators(node)
    elif node.type == "unary_expression" and text(node.children[0]) in ("!", "-"):
        operand = text(node.children[1])
        yield Change("negation", f"static_cast<bool>({operand})" if text(node.children[0]) == "!" else f"({operand})")
    elif node.type == "number_literal":
        yield from (Change("constant", after) for after in other_numbers(text(node)))
    elif node.type in ("true", "false"):
        yield Change("constant", "false" if node.type == "true" else "true")
    elif node.type == "call_expression" and text(node.children[0]).startswith(("std::min", "std::max")):
        name = text(node.children[0])
        other = name.replace("std::min", "std::max") if name.startswith("std::min") else name.replace("max", "min", 1)
        yield Change("opposite", other + text(node.children[1]))
    elif node.type in REMOVED or text(node) == "return;":
        yield Change("removal", "")
    elif node.type == "return_statement" and may_be_zero(node.named_children[0]):
        yield Change("return", "zero")


def other_operators(node: "Node") -> Iterator[Change]:
    [operator] = [child for child in node.children if text(child) in OPERATORS or text(child) == "="] or [None]
    for other in OPERATORS.get(text(operator), ()) if operator else ():
        operands = [text(child) if child != operator else f" {other} " for child in node.children]
        yield Change(KINDS[node.type], f"({''.join(operands)})")


def is_condition(node: "Node") -> bool:
    """Whether this is the condition of an `if`, `while` or `?:`."""
    parent = node.parent
    if parent is None or node.type in ("true", "false", "declaration", "init_statement"):
        return False
    if parent.type == "condition_clause":
        return parent.parent.type != "switch_statement" and node == parent.child_by_field_name("value")
    return parent.type == "conditional_expression" and node == parent.child_by_field_name("condition")


def other_numbers(number: str) -> list[str]:
    if "." in number or ("e" in number and not number.startswith("0x")) or "p" in number:
        return [f"({number} + 1.0)"] + ["0.0"] * (number == "1.0")
    return [f"({number} + 1)"] + [f"({number} - 1)"] * (number != "0")


def may_be_zero(value: "Node") -> bool:
    """Whether a function may return 0 instead. A reference to it would dangle."""
    holder = value
    while holder.type not in ("function_definition", "lambda_expression", "translation_unit"):
        holder = holder.parent
    declarator = holder.child_by_field_name("declarator")
    if declarator is not None and declarator.type == "reference_declarator":
        return False
    return value.type not in ("initializer_list", "lambda_expression", "number_literal", "true", "false")
