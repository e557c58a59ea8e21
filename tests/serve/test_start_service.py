"""The start of `rosenblatt serve`: what it prints first, and what a signal does then."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rosenblatt import LogisticRegression, save

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


def test_a_log_that_goes_on_from_another_model_than_the_one_given_says_so(model_path, tmp_path):
    """The file given is read for a new log only, which nobody would guess from an unchanged answer."""
    log, other = tmp_path / "log", tmp_path / "other.safetensors"

    def started(model):
        with subprocess.Popen(
            [*COMMAND, model, "--log", log, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as service:
            assert service.stdout.readline().startswith("http")
            service.terminate()
            return service.communicate()[1]

    assert "goes on from" not in started(model_path)
    assert "goes on from" not in started(model_path)
    other.write_bytes(model_path.read_bytes())
    assert "goes on from" not in started(other)  # the same model under another name
    save(LogisticRegression().fit([[0.0], [1.0]], [0, 1]), other)
    assert f"not from {other}: send SIGHUP or POST /admin/reload" in started(other)


def test_a_file_in_the_place_of_the_log_is_refused_and_stays(model_path, tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text("a,b\n")
    found = subprocess.run([*COMMAND, model_path, "--log", file, "--port", "0"], capture_output=True, text=True)
    assert (found.returncode, found.stdout) == (2, "")
    assert f"{file} is a file, and --log takes the folder of a log" in found.stderr
    assert file.read_text() == "a,b\n"


@pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="reads /proc")
def test_the_limit_on_open_files_leaves_room_for_the_log(model_path):
    """Many shells allow 1,024 files, which is as many as there may be connections."""
    import resource

    def low():
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))

    words = [*COMMAND, model_path, "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, preexec_fn=low) as service:
        assert service.stdout.readline().startswith("http://127.0.0.1:")
        limits = Path(f"/proc/{service.pid}/limits").read_text()
        service.terminate()
    soft, hard = next(line.split()[3:5] for line in limits.splitlines() if line.startswith("Max open files"))
    assert soft == hard or int(soft) > 2000
