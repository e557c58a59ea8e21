"""Read the user's table or model, start the server, and open the page."""

import threading
import webbrowser
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ...foundation.errors import InputError
from ...foundation.network_address import (
    ALL_INTERFACES,
    allowed_hosts,
    is_loopback,
    machine_name,
    open_listener,
    site_origin,
)
from ...lab.lessons import require_lesson
from ...lab.questions import QuestionHandler
from ...lab.server import application, serve
from ..console import say


def open_lab(
    files: list[Path],
    target: str | None,
    drop: tuple[str, ...],
    host: str,
    port: int | None,
    usual: int,
    browser: bool,
    lesson: str | None = None,
    embed_in: Sequence[str] = (),
) -> None:
    """Serve the lab until Ctrl-C. Print its address as soon as it answers."""
    opened = "" if lesson is None else f"?lesson={require_lesson(lesson)}"
    sites = [site_origin(site) for site in embed_in]
    questions = _questions(files, target, drop)
    listener = open_listener(host, port, usual)
    port = listener.getsockname()[1]
    shown = f"[{host}]" if ":" in host else machine_name() if host in ALL_INTERFACES else host
    address = f"http://{shown}:{port}/{opened}"
    app = application(allowed_hosts(host, port), questions, sites)
    listener.listen()
    print(address, flush=True)
    if not is_loopback(host):
        say(
            "warning: everyone who can reach this machine can open the page and see your data on it; "
            "leave --host out to keep it private."
        )
    elif browser:
        threading.Timer(0.3, webbrowser.open, [address]).start()
    with suppress(KeyboardInterrupt):  # the way to close it
        serve(listener, app)


def _questions(files: list[Path], target: str | None, drop: tuple[str, ...]) -> Mapping[str, QuestionHandler]:
    """Return the handlers of questions about the user's own data, if there are any."""
    if not files:
        if target is not None:
            raise InputError("--target names a column of a table: give the table too.")
        return {}
    from ...lab.user_data import open_user_data

    return open_user_data(files, target, drop)
