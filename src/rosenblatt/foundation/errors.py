"""Errors about what users give: files, tables and models that cannot be used."""

from typing import Any


class InputError(ValueError):
    """Input cannot be used. The text is one sentence: what, where, what to do."""


class TooLarge(InputError):
    """Sums with these numbers overflow. Only the user can see which factor is too large."""

    def __init__(self) -> None:
        super().__init__(
            "Numbers in X, their weights, or parameters such as eta0 are so large that sums with them overflow: "
            "scale them down."
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()  # errors of worker processes are sent to the driver


class ColumnError(InputError):
    """One column cannot be used; `column` is its name."""

    def __init__(self, sentence: str, column: str) -> None:
        super().__init__(sentence)
        self.column = column

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.column)


def out_of_range(path: str) -> InputError:
    """`TooLarge` in the words of someone who gave a table."""
    return InputError(f"{path} holds numbers too large or too small to learn from: change their units.")
