"""The work of `rosenblatt serve`: open the model or the log, listen, and run the service."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from ...foundation.errors import InputError
from ...foundation.network_address import ALL_INTERFACES, allowed_hosts, is_loopback, machine_name, open_listener
from ...serve.access_tokens import AccessTokens
from ...serve.application import application
from ...serve.log_writer import LogWriter
from ...serve.model_provider import LogFollower, ModelFile, ModelProvider
from ...serve.run_service import TlsFiles, run_service
from ...serve.service import Limits, Service
from ..console import say
from ..options import require_positive


@dataclass(frozen=True)
class ServeOptions:
    """The options of `rosenblatt serve`."""

    model: Path | None
    log: Path | None
    follow: Path | None
    host: str
    port: int | None
    default_port: int
    tokens: Path | None
    tls_certificate: Path | None
    tls_key: Path | None
    name: str | None
    max_body: int
    max_rows: int
    max_rate: float | None
    timeout: float
    new_classes: bool
    log_requests: bool


def start_service(options: ServeOptions) -> None:
    """Serve until a signal. The address is printed when the service hears requests and signals."""
    tls, limits, tokens = _tls_files(options), _limits(options), _tokens(options)
    listener = open_listener(options.host, options.port, options.default_port)
    service = Service(_provider(options), limits, options.model)
    port = listener.getsockname()[1]
    hosts = allowed_hosts(options.host, port)
    app = application(service, _name(options), hosts, tokens, options.log_requests)
    listener.listen(1024)
    address = f"{'http' if tls is None else 'https'}://{_shown_host(options.host)}:{port}/"
    run_service(listener, app, service, lambda: print(address, flush=True), tls)


def _shown_host(host: str) -> str:
    return f"[{host}]" if ":" in host else machine_name() if host in ALL_INTERFACES else host


def _provider(options: ServeOptions) -> ModelProvider:
    if options.follow is not None:
        if options.model is not None or options.log is not None:
            raise InputError("--follow takes the model from the log: leave MODEL and --log out.")
        return LogFollower(options.follow, say)
    if options.log is not None:
        if options.log.exists() and not options.log.is_dir():
            raise InputError(f"{options.log} is a file, and --log takes the folder of a log: give another path.")
        writer = LogWriter(options.log, options.model, say)
        _note_other_model(writer, options)
        return writer
    if options.model is None:
        raise InputError("give a model file, or a log with --log or --follow.")
    return ModelFile(options.model)


def _note_other_model(writer: LogWriter, options: ServeOptions) -> None:
    """A log that was there before goes on from its own model, whatever file is given."""
    if options.model is None or sha256(options.model.read_bytes()).hexdigest() == writer.published.version:
        return
    version = (writer.published.version or "")[:12]
    say(
        f"note: the log goes on from its model {version}, not from {options.model}: send SIGHUP or POST /admin/reload "
        "to start from the file."
    )


def _name(options: ServeOptions) -> str:
    given = options.model or options.log or options.follow
    assert given is not None
    return options.name or given.name.partition(".")[0] or "model"


def _tokens(options: ServeOptions) -> AccessTokens | None:
    if options.tokens is not None:
        return AccessTokens.read(options.tokens)
    if not is_loopback(options.host):
        raise InputError(f"--host {options.host} opens the service to other machines: give --tokens FILE.")
    return None


def _tls_files(options: ServeOptions) -> TlsFiles | None:
    if (options.tls_certificate is None) != (options.tls_key is None):
        raise InputError("--tls-certificate and --tls-key go together: give both.")
    if options.tls_certificate is None or options.tls_key is None:
        return None
    for path in (options.tls_certificate, options.tls_key):
        path.open("rb").close()
    return TlsFiles(options.tls_certificate, options.tls_key)


def _limits(options: ServeOptions) -> Limits:
    given = {"--max-rows": options.max_rows, "--max-body": options.max_body}
    for option, value in {**given, "--max-rate": options.max_rate, "--timeout": options.timeout}.items():
        require_positive(option, value)
    return Limits(
        body_bytes=options.max_body << 20,
        rows=options.max_rows,
        answer_seconds=options.timeout,
        requests_per_second=options.max_rate,
        new_classes=options.new_classes,
    )
