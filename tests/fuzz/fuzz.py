"""Fuzz one target with atheris: `python tests/fuzz/fuzz.py TARGET FOLDER... -libFuzzer_option=...`.

New inputs go to the first folder, which also gets the target's intact files to begin with. Files instead of folders are
read once: that reproduces a defect.
"""

import hashlib
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path


def add_seeds(folder: Path, seeds: Iterable[bytes]) -> None:
    for seed in seeds:
        (folder / hashlib.sha1(seed).hexdigest()).write_bytes(seed)


def main() -> None:
    import atheris

    with atheris.instrument_imports(include=["rosenblatt"]):
        import targets

    name, *options = sys.argv[1:]
    folders = [Path(option) for option in options if Path(option).is_dir()]
    for folder in folders[:1]:
        add_seeds(folder, targets.TARGETS[name].seeds())
    warnings.simplefilter("ignore")  # that mistakes are left is no news of such tables
    atheris.Setup([sys.argv[0], *options], lambda data: targets.run(name, data))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
