"""Build the site: `python docs/site/build.py FOLDER` writes its pages. A warning is an error; no network is needed."""

import sys
from pathlib import Path

from source_tree import SITE, write_tree
from sphinx.cmd.build import main as run_sphinx


def main(folder: Path) -> int:
    """Gather the pages, then let Sphinx write them as HTML."""
    sys.path.append(str(SITE.parent))  # make_pictures.py has the style of all pictures
    source = folder.parent / f"{folder.name}-source"
    write_tree(source)
    settings = ["--conf-dir", str(SITE), "--doctree-dir", str(folder.parent / f"{folder.name}-doctrees")]
    strict = ["--fail-on-warning", "--keep-going", "--quiet"]
    result = run_sphinx([*settings, *strict, "--builder", "html", str(source), str(folder)])
    if result == 0:
        print(folder / "index.html")
    return result


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/site").resolve()))
