"""A formula, read by formulaic and checked: its response, its columns, and whether it has an intercept."""

from dataclasses import dataclass
from typing import Any

from ...foundation.errors import InputError
from ...foundation.extras import needs_extra
from .expressions import MAX_LENGTH, Columns


@dataclass(frozen=True)
class ParsedFormula:
    """The right side for formulaic, and what the formula needs of a table."""

    right: Any
    response: str | None
    intercept: bool
    columns: list[str]
    categories: list[str]  # those within C()


def parse_formula(text: str) -> ParsedFormula:
    """Read a formula, such as "ill ~ age + C(drug):dose"; one sentence says what is wrong with it."""
    if not isinstance(text, str) or len(text) > MAX_LENGTH:
        raise InputError(f"formula must be a text of at most {MAX_LENGTH:,} characters, not {type(text).__name__}.")
    with needs_extra("formula", "formula="):
        from formulaic import Formula, SimpleFormula
        from formulaic.errors import FormulaicError
    try:
        formula = Formula(text)
    except (FormulaicError, RecursionError, SyntaxError) as error:
        said = str(error).partition("\n")[0].partition(". ")[0].replace("`", "'").rstrip(".")
        if "'.' operator" in said:
            raise InputError(f"formula {text!r} must name its columns: '.' for all others is not understood.") from None
        raise InputError(f"formula {text!r} cannot be read: {said}.") from None
    one_sided = isinstance(formula, SimpleFormula)
    left, right = (None, formula) if one_sided else (getattr(formula, "lhs", None), getattr(formula, "rhs", None))
    if not isinstance(right, SimpleFormula) or not (one_sided or isinstance(left, SimpleFormula)):
        raise InputError(f"formula {text!r} must have one side left of ~ and one right of it, without |.")
    columns = _columns_of(text, right)
    used = list(dict.fromkeys([*columns.plain, *columns.categories]))
    both = [name for name in columns.categories if name in columns.plain]
    if both:
        raise InputError(f"formula {text!r} uses {both[0]!r} as it is and by C(): copy the column under another name.")
    if not used:
        raise InputError(f"formula {text!r} names no column on its right side.")
    intercept = any(str(term) == "1" for term in right)
    response = None if one_sided else _response(text, left)
    if response in used:
        raise InputError(f"formula {text!r} has {response!r} on both sides of ~: leave it out on the right.")
    return ParsedFormula(right, response, intercept, used, columns.categories)


def _columns_of(text: str, right: Any) -> Columns:
    """The columns of the right side; expressions that are not allowed are refused."""
    columns = Columns(text)
    for factor in (factor for term in right for factor in term.factors):
        if factor.eval_method.value == "lookup":
            columns.plain.append(factor.expr)
        elif factor.eval_method.value == "python":
            columns.add_expression(factor.expr)
        elif factor.expr not in ("0", "1"):
            raise InputError(f"formula {text!r}: {factor.expr} is neither a column nor an intercept.")
    return columns


def _response(text: str, left: Any) -> str:
    factors = [factor for term in left for factor in term.factors]
    if len(factors) != 1 or factors[0].eval_method.value != "lookup":
        raise InputError(f"formula {text!r} must have the name of one column left of ~.")
    return str(factors[0].expr)
