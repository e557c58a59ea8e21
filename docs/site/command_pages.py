"""The reference of the command line: one page for each command, from the parser that reads the commands."""

import inspect
import re
from collections.abc import Iterator
from typing import Any

import typer

from rosenblatt.cli.app import app

FORMATS = {"train": ["tables", "large", "checkpoints", "endless", "cluster"], "check": ["proofs"], "lab": ["lab"]}


def commands() -> dict[str, Any]:
    """The parsers of all commands, by name."""
    group: Any = typer.main.get_command(app)
    return dict(group.commands)


def command_pages() -> dict[str, str]:
    """The pages by name."""
    found = commands()
    pages = {f"reference/commands/{name}.md": "\n".join(_page(name, one)) + "\n" for name, one in found.items()}
    pages["reference/commands/index.md"] = "\n".join(_index(found)) + "\n"
    return pages


def _index(found: dict[str, Any]) -> Iterator[str]:
    yield "# The command line\n"
    about, _, rest = inspect.cleandoc(app.registered_callback.callback.__doc__).partition("\n\n")  # type: ignore[union-attr,arg-type]
    yield f"{about}\n"
    yield from _help(rest)
    yield "\n| command | what it does |\n|---|---|"
    yield from (f"| [`rosenblatt {name}`]({name}.md) | {_first_sentence(one.help)} |" for name, one in found.items())
    group: Any = typer.main.get_command(app)
    yield "\n## Options of every call\n\n| option | what it does |\n|---|---|"
    yield from (_row(option) for option in group.params)
    yield "| `-h`, `--help` | Show the help of the command and exit. |"


def _first_sentence(text: str) -> str:
    return " ".join(text.strip().split("\n\n")[0].split())


def _page(name: str, command: Any) -> Iterator[str]:
    arguments = [one for one in command.params if not one.opts[0].startswith("-")]
    options = [one for one in command.params if one not in arguments]
    yield f"# rosenblatt {name}\n"
    yield f"```text\nrosenblatt {name} [OPTIONS] {' '.join(_argument(one) for one in arguments)}\n```\n"
    yield from _help(command.help)
    if arguments:
        yield "\n## Arguments\n\n| argument | what it is |\n|---|---|"
        yield from (f"| `{one.metavar or one.name.upper()}` | {_cell(one.help or '')} |" for one in arguments)
    for title, shown in ("Options", False), ("Options that `--help` leaves out", True):
        listed = [one for one in options if one.hidden is shown]
        if listed:
            yield f"\n## {title}\n\n| option | what it does |\n|---|---|"
            yield from (_row(one) for one in listed)
    yield (
        "\n| option | what it does |\n|---|---|\n| `-h`, `--help` | Show the help of the command and exit. |"
        if not options
        else ""
    )
    guides = FORMATS.get(name, [])
    if guides:
        yield "\n## Read on\n"
        yield from (f"- {{doc}}`../../guide/{guide}`" for guide in guides)


def _argument(one: Any) -> str:
    shown = one.metavar or one.name.upper()
    shown = f"{shown}..." if one.nargs == -1 else shown
    return shown if one.required else f"[{shown}]"


def _help(text: str) -> Iterator[str]:
    r"""Paragraphs; those after \b are examples."""
    for block in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        lines = [line for line in block.splitlines() if line.strip() not in ("", "\b")]
        if (
            (lines and lines[0].strip().startswith("rosenblatt "))
            or "\b" in block
            or all(line.startswith("  ") for line in lines)
        ):
            yield "\n".join(["```sh", *(line.strip() for line in lines), "```\n"])
        else:
            yield _cell(" ".join(line.strip() for line in lines)) + "\n"


def _row(option: Any) -> str:
    value = "" if option.is_flag else f" {option.metavar or 'VALUE'}"
    names = ", ".join(f"`{name}{value}`" for name in sorted([*option.opts, *option.secondary_opts], key=len))
    return f"| {names} | {_cell(option.help or 'Another spelling, kept for scripts.')}{_default(option)} |"


def _default(option: Any) -> str:
    has_one = not option.is_flag and option.default not in (None, (), []) and not callable(option.default)
    return f" Default: `{option.default}`." if has_one else ""


def _cell(text: str) -> str:
    """Text as it is typed; words with dashes in front are code."""
    text = re.sub(r"([\\*_$<|])", r"\\\1", text)
    return re.sub(r"(?<![\w`-])(--?[A-Za-z][\w-]*)", r"`\1`", text)
