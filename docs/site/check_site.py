"""Visit every page of the site as readers do: `python docs/site/check_site.py FOLDER`, or with a second
argument only the pages whose names contain it.

A browser opens each page at the width of a desk and of a phone, in light and dark. Complaints are: a message of the
console, a request that leaves this machine, a page that scrolls sideways, a rule of axe that is broken, a link to a
page or a place that does not exist, and a search that finds nothing. Addresses of other sites are not visited.
"""

import shutil
import sys
import threading
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

WIDTHS = (1280, 390)
ALL_RULES: dict[str, Any] = {"preload": False}  # axe fetches style sheets again, from wrong addresses
IN_THE_DARK = ALL_RULES | {"runOnly": ["color-contrast"]}  # nothing else depends on colours
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SOUGHT = "quasi-complete"


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
    """The pages, but for files that the theme keeps for itself."""
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


def serve(folder: Path) -> ThreadingHTTPServer:
    """Serve the site on the loopback address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Visitor:
    """A browser window of some width, which remembers what was wrong."""

    def __init__(self, browser: Any, address: str, width: int, axe: Any) -> None:
        self.address, self.axe, self.width, self.name = address, axe, width, ""
        self.complaints: list[str] = []
        self.context = browser.new_context(viewport={"width": width, "height": 900})
        self.context.route(lambda url: not url.startswith(address), self.refuse)
        self.page = self.context.new_page()
        self.page.set_default_timeout(120_000)  # milliseconds, because the machine may be busy
        self.page.on(
            "console",
            lambda said: said.type in ("error", "warning") and self.complain(f"{said.text} {said.location['url']}"),
        )
        self.page.on("pageerror", lambda error: self.complain(str(error)))

    def complain(self, text: str) -> None:
        self.complaints.append(f"{self.name} ({self.width} px): {text}")
        print(self.complaints[-1], flush=True)

    def refuse(self, route: Any) -> None:
        self.complain(f"asks for {route.request.url}")
        route.abort()

    def visit(self, name: str) -> None:
        """Open a page in light, then switch to dark."""
        self.name = name
        self.page.emulate_media(color_scheme="light", reduced_motion="reduce")
        self.page.goto(self.address + name)
        self.page.evaluate("window.MathJax?.startup?.promise.then(() => null)")
        if self.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            self.complain("scrolls sideways")
        self.judge("light", ALL_RULES)
        self.page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        self.page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
        self.judge("dark", IN_THE_DARK)

    def judge(self, scheme: str, options: dict[str, Any]) -> None:
        for rule in self.axe.run(self.page, options=options).response["violations"]:
            self.complain(f"{scheme}: {rule['id']}: {rule['nodes'][0]['html'][:160]}")

    def search(self) -> None:
        """Open the search by its button, as a reader would, and ask."""
        self.name = "search"
        self.page.goto(self.address)
        self.page.locator("button.search-button__button:visible").first.click()
        self.page.keyboard.type(SOUGHT)
        self.page.keyboard.press("Enter")
        self.page.wait_for_url("**/search.html*")
        found = self.page.locator("ul.search > li")
        found.first.wait_for()
        print(f'{self.width} px: "{SOUGHT}" is found on {found.count()} pages')


def visit_all(folder: Path, only: str) -> list[str]:
    """Everything that is wrong with the site."""
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        sys.exit("the check needs Chromium (Debian: apt-get install chromium)")
    names = [name for page in site_pages(folder) if only in (name := str(page.relative_to(folder)))]
    complaints = [*dead_links(folder)]
    print(*complaints, f"{len(complaints)} dead links", sep="\n", flush=True)
    address = f"http://127.0.0.1:{serve(folder).server_port}/"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for width in WIDTHS:
            visitor = Visitor(browser, address, width, Axe())
            for name in names:
                visitor.visit(name)
            visitor.search()
            complaints += visitor.complaints
            print(f"{width} px: {len(names)} pages, {len(visitor.complaints)} complaints", flush=True)
            visitor.context.close()
        browser.close()
    return complaints


if __name__ == "__main__":
    folder, only, *_ = [*sys.argv[1:], "build/site", ""] if len(sys.argv) < 2 else [*sys.argv[1:], ""]
    found = visit_all(Path(folder).resolve(), only)
    sys.exit(f"{len(found)} complaints" if found else 0)
