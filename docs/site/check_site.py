"""Visit every page of the site as readers do: `python docs/site/check_site.py FOLDER`, or with a second
argument only the pages whose names contain it.

A browser opens each page at the width of a desk and of a phone, in light and dark. Complaints are: a message of the
console, a request that leaves this machine, a page that scrolls sideways, a rule of axe that is broken, a link to a
page or a place that does not exist, and a search that finds nothing. Each lesson is opened from its file without a
network and played to its end. Addresses of other sites are not visited.
"""

import shutil
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from visitor import Visitor

WIDTHS = (1280, 390)
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
LESSONS = "_static/lessons"
REPORT_EVERY = 25  # pages


class Anchors(HTMLParser):
    """The links of a page, and the places in it that links may lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.places |= {given[name] or "" for name in ("id", "name") if name in given}
        self.links += [given[name] or "" for name in ("href", "src") if name in given]


def site_pages(folder: Path) -> list[Path]:
    """The pages, but for lessons and files that the theme keeps for itself."""
    return sorted(page for page in folder.rglob("*.html") if "_static" not in page.parts)


def dead_links(folder: Path) -> Iterator[str]:
    """Links within the site that lead nowhere."""
    pages = {path: Anchors(path.read_text()) for path in site_pages(folder)}
    for path, page in pages.items():
        for link in sorted(set(page.links)):
            address, place = urldefrag(urljoin(path.as_uri(), link))
            if not address.startswith("file:"):
                continue
            target = Path(unquote(urlsplit(address).path))
            if not target.exists():
                yield f"{path.relative_to(folder)}: {link} does not exist"
            elif place and target in pages and unquote(place) not in pages[target].places:
                yield f"{path.relative_to(folder)}: {link} names no place of that page"


class Quiet(SimpleHTTPRequestHandler):
    """A server that does not report each request."""

    def log_message(self, *_: Any) -> None: ...


def serve(folder: Path) -> str:
    """Serve the site on the loopback address, which is returned."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def visit_pages(browser: Any, folder: Path, width: int, only: str) -> list[str]:
    """What is wrong with the pages at one width, and with the search."""
    names = [name for page in site_pages(folder) if only in (name := str(page.relative_to(folder)))]
    visitor = Visitor(browser, serve(folder), width)
    for count, name in enumerate(names, 1):
        visitor.visit(name)
        if count % REPORT_EVERY == 0 or count == len(names):
            print(f"{width} px: {count} of {len(names)} pages, {len(visitor.complaints)} complaints", flush=True)
    visitor.search()
    return visitor.complaints


def visit_lessons(browser: Any, folder: Path, width: int, only: str) -> list[str]:
    """What is wrong with the lessons at one width, read from their files without a network."""
    names = [page.name for page in sorted((folder / LESSONS).glob("*.html")) if only in f"{LESSONS}/{page.name}"]
    visitor = Visitor(browser, f"{(folder / LESSONS).as_uri()}/", width, offline=True)
    for name in names:
        visitor.visit(name)
        visitor.play_lesson()
    print(f"{width} px: {len(names)} lessons played offline, {len(visitor.complaints)} complaints", flush=True)
    return visitor.complaints


def visit_all(folder: Path, only: str, width: int) -> list[str]:
    """Everything that a reader with a window of this width would complain of."""
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        sys.exit("the check needs Chromium (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        complaints = [*visit_pages(browser, folder, width, only), *visit_lessons(browser, folder, width, only)]
        browser.close()
    return complaints


def main(folder: Path, only: str) -> int:
    """Check the links, then visit the pages at all widths side by side; return the number of complaints."""
    dead = [*dead_links(folder)]
    print(*dead, f"{len(dead)} dead links", sep="\n", flush=True)
    with ProcessPoolExecutor(len(WIDTHS)) as pool:
        found = pool.map(partial(visit_all, folder, only), WIDTHS)
        return len(dead) + sum(map(len, found))


if __name__ == "__main__":
    given = [*sys.argv[1:], *("build/site", "")[len(sys.argv) - 1 :]]
    complaints = main(Path(given[0]).resolve(), given[1])
    sys.exit(f"{complaints} complaints" if complaints else 0)
