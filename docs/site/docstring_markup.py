"""Docstrings as they are written here, as reStructuredText that says the same.

The docstrings are plain text with a few habits: sections underlined with dashes, items `name : kind`, sessions that
begin with >>>, formulas indented after a double colon, code in single backticks. Everything else must appear as it is
typed, such as ||w||^2, coef_ and **fit, which reStructuredText would take for markup.
"""

import re
from collections.abc import Iterator, Mapping

HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
CODE = re.compile(r"(``[^`]+``|`[^`]+`)", re.DOTALL)
NAME = re.compile(r"[A-Za-z_][\w.]*")
LISTS = {"Parameters", "Attributes", "Returns", "Raises", "Yields"}


def restructured(docstring: str, own: Mapping[str, str] | None = None) -> str:
    """The whole docstring; `own` are the full names of what belongs to the same class.

    >>> print(restructured("The norm ||w|| of `coef_`.\\n\\nReturns\\n-------\\nfloat\\n    At least 0."))
    The norm \\|\\|w\\|\\| of :py:obj:`coef_`.
    <BLANKLINE>
    .. rubric:: Returns
    <BLANKLINE>
    ``float``
        At least 0.
    """
    markup = Markup(own or {})
    first, *rest = HEADING.split(docstring.strip())
    parts = [markup.text(first)]
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        render = markup.items if title in LISTS else markup.entries if title == "References" else markup.text
        parts += [f".. rubric:: {title}", render(body)]
    return "\n\n".join(parts)


class Markup:
    """Turns pieces of a docstring into markup, given the full names of the members of its class."""

    def __init__(self, own: Mapping[str, str]) -> None:
        self.own = own

    def prose(self, text: str) -> str:
        """One paragraph: code is marked, all else is escaped.

        >>> print(Markup({"fit": "a.B.fit"}).prose("`fit` and `a.b` are not `a + b`, x_ * y"))
        :py:obj:`~a.B.fit` and :py:obj:`a.b` are not ``a + b``, x\\_ \\* y
        """
        return "".join(self._code(one) if place % 2 else _escaped(one) for place, one in enumerate(CODE.split(text)))

    def _code(self, span: str) -> str:
        inside = " ".join(span.strip("`").split())
        if inside in self.own:
            return f":py:obj:`~{self.own[inside]}`"
        return f":py:obj:`{inside}`" if NAME.fullmatch(inside) else f"``{inside}``"

    def text(self, body: str) -> str:
        """Paragraphs, formulas and sessions."""
        done, literal = [], False
        for block in re.split(r"\n[ \t]*\n", body.strip("\n")):
            if block.lstrip().startswith(">>>") or (literal and block.startswith(" ")):
                done.append(block)
                continue
            done.append("\n".join(self._paragraphs(block)))
            literal = block.rstrip().endswith("::")
        return "\n\n".join(done)

    def _paragraphs(self, block: str) -> Iterator[str]:
        """The lines of a block; a list stays a list."""
        for item in re.split(r"\n(?=- )", block):
            mark = "- " if item.startswith("- ") else ""
            yield mark + self.prose(item.removeprefix(mark))

    def entries(self, body: str) -> str:
        """A list of references: a line that is not indented begins one."""
        found = re.split(r"\n(?=\S)", body.strip())
        return "\n".join(f"- {self.prose(' '.join(entry.split()))}" for entry in found)

    def items(self, body: str) -> str:
        """A definition list: each name with its kind and its description."""
        return "\n\n".join(self._item(item) for item in re.split(r"\n(?=\S)", body.strip("\n")))

    def _item(self, item: str) -> str:
        """One name. A description that begins on the line of the name has no kind of its own.

        >>> print(Markup({})._item("y : labels, one a row,\\n    of two classes"))
        ``y``
            labels, one a row, of two classes
        """
        head, _, below = item.partition("\n")
        name, colon, kind = head.partition(" : ")
        text = re.sub(r"^    ", "", below, flags=re.MULTILINE).strip()
        if colon and (not text or text[0].islower()):
            kind, text = "", f"{kind} {text}".strip()
        names = ", ".join(f"``{one}``" for one in name.split(", "))
        term = f"{names} : {self.prose(kind)}" if kind else names
        return "\n".join([term, *(f"    {line}" for line in (self.text(text) or "\\").splitlines())])


def _escaped(text: str) -> str:
    return re.sub(r"([\\*|_`])", r"\\\1", text)
