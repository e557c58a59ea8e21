"""Network addresses: the socket that a server listens on, and the host names that requests may use."""

import re
import socket
from ipaddress import ip_address

from .errors import InputError

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
ALL_INTERFACES = ("0.0.0.0", "::")


def open_listener(host: str, port: int | None, default_port: int) -> socket.socket:
    """A socket bound to the given port; without one, to the default port if it is free, or else to any free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for choice in (default_port, 0) if port is None else (port,):
        # asyncio sends at once only if the protocol is named; else the second part of an answer waits some 40 ms.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, choice))
            return listener
        except (OSError, OverflowError) as error:
            listener.close()
            if choice in (port, 0):
                where = host if port is None else f"{host}, port {port}"
                why = getattr(error, "strerror", None) or "a port is a number from 0 to 65535"
                raise InputError(f"rosenblatt cannot listen on {where}: {why}.") from None
    raise AssertionError("port 0 is tried last")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens on this host."""
    return host.startswith("127.") or host in ("localhost", "::1")


def machine_name() -> str:
    """This machine's host name in lower case."""
    return socket.gethostname().lower()


def names_this_machine(host: str) -> bool:
    """Whether the Host header of a request is a numeric address or this machine's own name.

    Any other name is refused, because its owner can point it at this machine (DNS rebinding).

    >>> names_this_machine("192.168.1.7:1958"), names_this_machine("[::1]:80"), names_this_machine("evil.example:80")
    (True, True, False)
    """
    name = host.lower().rpartition(":")[0] if re.search(r":\d+$", host) else host.lower()
    if name in ("localhost", machine_name(), f"{machine_name()}.local"):
        return True
    try:
        ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def allowed_hosts(host: str, port: int) -> frozenset[str] | None:
    """The Host headers that requests may have; None if the server listens on all interfaces.

    >>> sorted(allowed_hosts("127.0.0.1", 1958))
    ['127.0.0.1:1958', '[::1]:1958', 'localhost:1958']
    """
    if host in ALL_INTERFACES:
        return None
    own = (f"[{host}]" if ":" in host else host.lower(),)
    names = LOOPBACK_NAMES if is_loopback(host) else own
    return frozenset(f"{name}:{port}" for name in (*names, *own))


def site_origin(site: str) -> str:
    """The origin of a site that may show the lab in a frame, in lower case. Anything but an origin is refused.

    >>> site_origin("https://Course.example.org/")
    'https://course.example.org'
    """
    origin = site.lower().removesuffix("/")
    if not re.fullmatch(r"https?://([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:]+\])(:\d{1,5})?", origin):
        raise InputError(f"--embed-in must be a site such as https://course.example.org, not {site!r}.")
    return origin
