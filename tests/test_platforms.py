"""No module needs at import what some platform lacks, and without it tables are still read and trained on."""

import ast
import subprocess
import sys
from pathlib import Path

import rosenblatt

PACKAGE = Path(rosenblatt.__file__).parent
UNIX_ONLY = {"fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}
WINDOWS_ONLY = {"_winapi", "msvcrt", "winreg", "winsound"}


def imports_at_the_top(tree):
    """The modules that are imported when this one is, also inside `if` and `try`, by their first name."""
    for node in tree.body:
        for found in ast.walk(node):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                break
            if isinstance(found, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in found.names)
            if isinstance(found, ast.ImportFrom) and not found.level:
                yield found.module.partition(".")[0]


def test_no_module_imports_what_a_platform_lacks():
    found = {file: {*imports_at_the_top(ast.parse(file.read_text()))} for file in PACKAGE.rglob("*.py")}
    assert len(found) > 300
    assert not {file: names for file, names in found.items() if names & (UNIX_ONLY | WINDOWS_ONLY)}


def test_the_check_sees_imports_in_branches_and_not_in_functions():
    source = "import os\nif os.name:\n    import fcntl\ntry:\n    from pwd import getpwall\nfinally:\n    pass\n"
    source += "def late():\n    import resource\n"
    assert [*imports_at_the_top(ast.parse(source))] == ["os", "fcntl", "pwd"]


def test_training_on_a_table_needs_none_of_them(tmp_path):
    (tmp_path / "rows.csv").write_text("width,kind\n" + "1.5,a\n2.5,b\n" * 10)
    code = "import sys\nfor name in ('fcntl', 'resource'):\n    sys.modules[name] = None\n"
    code += "sys.argv[1:] = ['train', 'rows.csv', '--target', 'kind']\nfrom rosenblatt.cli import main\nmain()"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "rows.rosenblatt.safetensors").exists()
