"""Write characters.inc: what the tokenizer knows of every Unicode character, from Python's own tables.

    python core/text/make_characters.py > core/text/characters.inc

A character is part of a word (letters and numbers: what str.isalnum says, and so what \\w means in Python's regular
expressions), goes on with a word (marks and joiners) or ends one. Folding is one to one: the case folding of the
character if that is one character, else its lower case if that is one, else itself; I with a dot becomes i.
Two stages: the page of a character, then its record in the page.
"""

import sys
import unicodedata

PAGE = 256
BREAK, WORD, MARK = range(3)
JOINERS = "\u200c\u200d"


def kind(character: str) -> int:
    if character.isalnum() or character == "_":
        return WORD
    return MARK if unicodedata.category(character)[0] == "M" or character in JOINERS else BREAK


def folded(character: str) -> str:
    if character == "\u0130":
        return "i"
    return next((form for form in (character.casefold(), character.lower()) if len(form) == 1), character)


def record(code: int) -> tuple[int, int]:
    """What happens to a character: its kind, and how far its folded form is away."""
    character = chr(code)
    word = kind(character)
    return word, ord(folded(character)) - code if word else 0


def listed(values: list[int]) -> str:
    lines, line = [], ""
    for value in values:
        if len(line) + len(str(value)) > 116:
            lines.append(line)
            line = ""
        line += f"{value},"
    return "\n".join([*lines, line])


def main() -> None:
    records: dict[tuple[int, int], int] = {(BREAK, 0): 0}
    pages: dict[tuple[int, ...], int] = {}
    first = []
    for start in range(0, sys.maxunicode + 1, PAGE):
        page = tuple(records.setdefault(record(code), len(records)) for code in range(start, start + PAGE))
        first.append(pages.setdefault(page, len(pages)))
    assert max(len(records), len(pages)) <= 256
    print(f"// Made by make_characters.py from Unicode {unicodedata.unidata_version}; do not edit.")
    print("// clang-format off")
    print("constexpr CharacterRecord character_records[] = {")
    print(", ".join(f"{{{word}, {delta}}}" for word, delta in records))
    print("};\nconstexpr std::uint8_t character_pages[] = {")
    print(listed(first))
    print(f"}};\nconstexpr std::uint8_t character_entries[][{PAGE}] = {{")
    for page in pages:
        print("{" + listed(list(page)) + "},")
    print("};")


if __name__ == "__main__":
    main()
