"""The start of `rosenblatt serve`: what it prints first, and what a signal does then."""

import json
import subprocess
import sys

COMMAND = [sys.executable, "-m", "rosenblatt.cli", "serve"]


def test_files_that_are_no_certificate_are_named_before_an_address_is_printed(model_path, tmp_path):
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    certificate.write_text("no PEM")
    key.write_text("no PEM")
    words = [*COMMAND, model_path, "--port", "0", "--tls-certificate", certificate, "--tls-key", key]
    found = subprocess.run(words, capture_output=True, text=True)
    assert (found.returncode, found.stdout) == (2, "")
    assert f"{certificate} and {key} are no certificate" in found.stderr


def test_a_signal_at_the_moment_of_the_address_ends_the_service_in_good_order(model_path, tmp_path):
    """The signal comes from within `print`, the earliest moment at which another process can know the address."""
    program = (
        "import os, signal, sys\n"
        "from rosenblatt.cli.serve import start_service\n"
        "start_service.print = lambda *a, **k: (print(*a, **k), os.kill(os.getpid(), signal.SIGTERM))\n"
        "from rosenblatt.cli.main import main\n"
        "sys.argv = ['rosenblatt', *sys.argv[1:]]\n"
        "main()\n"
    )
    words = ["serve", model_path, "--log", tmp_path / "log", "--port", "0"]
    found = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert found.stdout.startswith("http://127.0.0.1:")
    assert json.loads(found.stderr)["event"] == "stopped"
