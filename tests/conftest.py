"""What all tests stand on."""

import os
import signal
import subprocess

import pytest
from hypothesis import settings

# Modules beside the tests. Their assertions show their values, too.
HELPERS = (
    "checkpointed_runs",
    "command_line",
    "e2e.lab_page",
    "family",
    "lab_client",
    "linear_laws",
    "people_table",
    "saved_models",
    "service_answers",
    "stream_rows",
)
pytest.register_assert_rewrite(*HELPERS)

# Fixtures hold no doctests. Collected as modules, those of several folders would all be called conftest.
collect_ignore_glob = ["*conftest.py"]

settings.register_profile("busy", deadline=None)  # an example may take long on a busy machine
settings.load_profile("busy")

if "PYTEST_XDIST_WORKER" in os.environ:  # several processes share the cores already; read when NumPy is imported
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_configure() -> None:
    """Let the processes that tests start hear Ctrl-C and SIGHUP, which some tests send.

    A shell that starts the tests in the background has them ignore Ctrl-C, `nohup` has them ignore SIGHUP, and a new
    process ignores what its parent ignores. A signal with a handler is back to its default in a new process, so that
    the handler that does nothing keeps the promise of `nohup` to the tests themselves.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda number, frame: None)


@pytest.fixture
def start():
    """Start processes as `subprocess.Popen` does. Those still running when the test ends are killed."""
    started = []

    def popen(*command, **options):
        started.append(subprocess.Popen(*command, **options))
        return started[-1]

    yield popen
    for process in started:
        process.kill()
        process.wait()
        with process:  # closes its pipes
            pass


@pytest.fixture
def ctrl_c_amid_training(monkeypatch):
    """Ctrl-C reaches this process when the training of a classifier has ended its eleventh epoch."""
    from rosenblatt.classifiers import linear
    from rosenblatt.classifiers.messages import Watcher

    sent = []

    class Interrupter(Watcher):
        hears_epochs = True

        def __call__(self, progress):
            if progress.epochs >= 11 and not sent:
                sent.append(signal.SIGINT)
                os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(linear, "Watcher", Interrupter)
