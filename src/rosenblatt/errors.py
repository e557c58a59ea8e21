"""What goes wrong outside the program: files, tables and models that cannot be used."""


class InputError(ValueError):
    """Something given from outside cannot be used. The text is one sentence: what, where, what to do."""


class TooLarge(InputError):
    """Sums with these numbers overflow."""

    def __init__(self) -> None:
        super().__init__("Some numbers in X are so large that sums with them overflow. Scale the columns down first.")


class ColumnError(InputError):
    """One column cannot be used; `column` is its name."""

    def __init__(self, sentence: str, column: str) -> None:
        super().__init__(sentence)
        self.column = column
