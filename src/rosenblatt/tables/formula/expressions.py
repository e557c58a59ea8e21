"""Which expressions a formula may have: arithmetic, and functions of a list. So a formula of a file runs no other code.

Functions that learn from the rows, such as splines, are not among them, because a model file keeps only categories.
"""

import ast
import re

from ...foundation.errors import InputError

NUMPY = ("abs", "exp", "expm1", "log", "log10", "log1p", "log2", "sqrt", "square")
CONTRASTS = ("treatment", "sum", "helmert", "diff", "poly")  # as contr.sum
FUNCTIONS = ("C", "I", "exp", "log", "log10", "log2", "Treatment", "Sum", "Poly", "Diff", "Helmert")
ALLOWED = f"C, I, exp, log, log10, log2, contr.treatment, contr.sum and np.{', np.'.join(NUMPY)}"
PLAIN = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.List, ast.Tuple, ast.Load, ast.operator, ast.unaryop)
MAX_POWER = 20
MAX_LENGTH = 10_000  # of a formula, so that its tree is not too deep to be read


class Columns:
    """The columns that expressions use as numbers, and those that they use as categories, by C()."""

    def __init__(self, formula: str) -> None:
        self.formula = formula
        self.plain: list[str] = []
        self.categories: list[str] = []

    def add_expression(self, expression: str) -> None:
        """Add the columns of a Python expression, which is checked."""
        quoted: dict[str, str] = {}

        def alias(match: re.Match[str]) -> str:
            return quoted.setdefault(f"quoted_{len(quoted)}", match[1]) and f"quoted_{len(quoted) - 1}"

        try:
            tree = ast.parse(re.sub("`([^`]*)`", alias, expression), mode="eval")
        except (SyntaxError, ValueError, RecursionError):
            raise InputError(f"formula {self.formula!r}: {expression!r} is no expression.") from None
        self._visit(tree.body, quoted)

    def _visit(self, node: ast.AST, quoted: dict[str, str]) -> None:
        if isinstance(node, ast.Name):
            self.plain.append(quoted.get(node.id, node.id))
        elif isinstance(node, ast.Call):
            self._visit_call(node, quoted)
        elif isinstance(node, ast.Constant):
            if not isinstance(node.value, str | int | float):
                raise self._refusal(node)
        elif _is_named(node, "contr", CONTRASTS):
            return
        elif isinstance(node, PLAIN):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and not _is_small_power(node.right):
                raise InputError(f"formula {self.formula!r}: a power must be a number up to {MAX_POWER}.")
            for inner in ast.iter_child_nodes(node):
                self._visit(inner, quoted)
        else:
            raise self._refusal(node)

    def _visit_call(self, node: ast.Call, quoted: dict[str, str]) -> None:
        known = isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS
        if not (known or _is_named(node.func, "np", NUMPY) or _is_named(node.func, "contr", CONTRASTS)):
            raise self._refusal(node.func)
        inner = [*node.args, *(keyword.value for keyword in node.keywords)]
        if isinstance(node.func, ast.Name) and node.func.id == "C":
            if not inner or not isinstance(inner[0], ast.Name):
                raise InputError(f"formula {self.formula!r}: C() takes the name of a column.")
            self.categories.append(quoted.get(inner[0].id, inner[0].id))
            inner = inner[1:]
        for each in inner:
            self._visit(each, quoted)

    def _refusal(self, node: ast.AST) -> InputError:
        return InputError(
            f"formula {self.formula!r} may not use {ast.unparse(node)!r}: it has columns, arithmetic and {ALLOWED}."
        )


def _is_named(node: ast.AST, module: str, names: tuple[str, ...]) -> bool:
    """Whether this is an attribute of a module that is allowed."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == module
        and node.attr in names
    )


def _is_small_power(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and node.value <= MAX_POWER
