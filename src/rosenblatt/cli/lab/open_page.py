"""The work of `rosenblatt lab`: read what is to be looked at, listen, open the page."""

import threading
import webbrowser
from collections.abc import Mapping
from pathlib import Path

from ...foundation.errors import InputError
from ...lab.questions import Answer
from ...lab.server import EVERYWHERE, application, is_loopback, listening, names_of, own_name, serve
from ..console import say


def open_lab(
    files: list[Path],
    target: str | None,
    drop: tuple[str, ...],
    host: str,
    port: int | None,
    usual: int,
    browser: bool,
) -> None:
    """Serve the lab until Ctrl-C. Its address is printed once it can be asked."""
    questions = _questions(files, target, drop)
    listener = listening(host, port, usual)
    port = listener.getsockname()[1]
    shown = f"[{host}]" if ":" in host else own_name() if host in EVERYWHERE else host
    address = f"http://{shown}:{port}/"
    app = application(names_of(host, port), questions)
    listener.listen()
    print(address, flush=True)
    if not is_loopback(host):
        say(
            "warning: everyone who can reach this machine can open the page, with your data on it if you gave any; "
            "leave --host out to be alone."
        )
    elif browser:
        threading.Timer(0.3, webbrowser.open, [address]).start()
    serve(listener, app)


def _questions(files: list[Path], target: str | None, drop: tuple[str, ...]) -> Mapping[str, Answer]:
    """What the page can be asked besides: about the user's own data, if there are any."""
    if not files:
        if target is not None:
            raise InputError("--target names a column of a table: give the table too.")
        return {}
    from ...lab.user_data import opened

    return {"data": opened(files, target, drop)}
