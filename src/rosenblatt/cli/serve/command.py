"""`rosenblatt serve`: a model that answers over HTTP, and learns from what it is told."""

import gc
from pathlib import Path
from typing import Annotated

from ...foundation.extras import needs_extra
from ..console import handle_errors
from ..fast_parser import Argument, Option

PORT = 1957  # the year of Rosenblatt's first report


def serve(
    model: Annotated[
        Path | None, Argument(metavar="MODEL", readable=False, help="A model file that `rosenblatt train` wrote.")
    ] = None,
    log: Annotated[
        Path | None,
        Option(metavar="FOLDER", show_default=False, help="Learn, and keep every learned row in this folder."),
    ] = None,
    follow: Annotated[
        Path | None,
        Option(metavar="FOLDER", show_default=False, help="Serve the model of a log that another service writes."),
    ] = None,
    host: Annotated[
        str, Option(metavar="ADDRESS", help="Address to listen on; any but this machine needs --tokens.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        Option(metavar="N", show_default=False, help=f"Port to listen on; default: {PORT} or a free one."),
    ] = None,
    tokens: Annotated[
        Path | None,
        Option(metavar="FILE", show_default=False, help="Bearer tokens: lines of `predict,learn,admin TOKEN`."),
    ] = None,
    tls_certificate: Annotated[
        Path | None, Option(metavar="FILE", show_default=False, help="Certificate for HTTPS, with --tls-key.")
    ] = None,
    tls_key: Annotated[Path | None, Option(metavar="FILE", show_default=False, help="Key of the certificate.")] = None,
    name: Annotated[
        str | None, Option(metavar="NAME", show_default=False, help="Name of the model; default: that of its file.")
    ] = None,
    max_body: Annotated[int, Option(metavar="MIB", help="Largest body of a request, in MiB.")] = 16,
    max_rows: Annotated[int, Option(metavar="N", help="Most rows of a request.")] = 100_000,
    max_rate: Annotated[
        float | None, Option(metavar="X", show_default=False, help="Refuse requests beyond X a second, in all.")
    ] = None,
    timeout: Annotated[float, Option(metavar="S", help="Give up a request after S seconds.")] = 30.0,
    new_classes: Annotated[
        bool, Option("--new-classes", help="Learn classes that the model does not know; without it they are refused.")
    ] = False,
    log_requests: Annotated[bool, Option("--log-requests", help="Write a line of JSON for each request.")] = False,
) -> None:
    """Answer HTTP requests with a model, and learn from rows.

    \b
      rosenblatt serve mails.rosenblatt.safetensors
      rosenblatt serve mails.rosenblatt.safetensors --log mails.log
      rosenblatt serve --follow mails.log
      curl localhost:1957/predict -H 'content-type: application/json' \\
        -d '{"subject": "win money"}'

    With --log, a row is acknowledged only when it is on the disk, and after a crash the model has the same bits. Prints
    its address. Ctrl-C or SIGTERM ends it, SIGHUP reads MODEL again. Exits with 0, or with 2 if a file cannot be used.
    """
    with handle_errors():
        with needs_extra("serve", "rosenblatt serve"):
            from .start_service import ServeOptions, start_service
        start_service(
            ServeOptions(
                model=model,
                log=log,
                follow=follow,
                host=host,
                port=port,
                default_port=PORT,
                tokens=tokens,
                tls_certificate=tls_certificate,
                tls_key=tls_key,
                name=name,
                max_body=max_body,
                max_rows=max_rows,
                max_rate=max_rate,
                timeout=timeout,
                new_classes=new_classes,
                log_requests=log_requests,
            )
        )
        gc.collect()  # the process ends now: cycles of the service would be reported as leaks of the core
