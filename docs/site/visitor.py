"""A reader with a browser: opens pages of the site, searches it, plays lessons, and notes what is wrong."""

from typing import Any

TIMEOUT = 120_000  # milliseconds, because the machine may be busy
ALL_RULES: dict[str, Any] = {
    "preload": False,  # axe fetches style sheets again, from wrong addresses
    "resultTypes": ["violations"],  # to describe what is right takes half of the time
}
IN_THE_DARK = ALL_RULES | {"runOnly": ["color-contrast"]}  # nothing else depends on colours
IS_DARK = "['dark', undefined].includes(document.documentElement.dataset.theme)"  # a lesson has no switch for it
SOUGHT = "quasi-complete"


class Visitor:
    """A browser window of some width. Every page lies under `home`; any other request is a complaint."""

    def __init__(self, browser: Any, home: str, width: int, **settings: Any) -> None:
        from axe_playwright_python.sync_playwright import Axe

        self.home, self.axe, self.width, self.name = home, Axe(), width, ""
        self.complaints: list[str] = []
        self.context = browser.new_context(viewport={"width": width, "height": 900}, **settings)
        self.context.route(lambda url: not url.startswith((home, "blob:", "data:")), self.refuse)
        self.page = self.context.new_page()
        self.page.set_default_timeout(TIMEOUT)
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
        self.page.goto(self.home + name)
        self.page.evaluate("window.MathJax?.startup?.promise.then(() => null)")
        if self.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            self.complain("scrolls sideways")
        self.judge("light", ALL_RULES)
        self.page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        self.page.wait_for_function(IS_DARK)
        self.judge("dark", IN_THE_DARK)

    def judge(self, scheme: str, options: dict[str, Any]) -> None:
        for rule in self.axe.run(self.page, options=options).response["violations"]:
            self.complain(f"{scheme}: {rule['id']}: {rule['nodes'][0]['html'][:160]}")

    def search(self) -> None:
        """Open the search by its button, as a reader would, and ask."""
        self.name = "search"
        self.page.goto(self.home)
        self.page.locator("button.search-button__button:visible").first.click()
        self.page.keyboard.type(SOUGHT)
        self.page.keyboard.press("Enter")
        self.page.wait_for_url("**/search.html*")
        found = self.page.locator("ul.search > li")
        found.first.wait_for()
        print(f'{self.width} px: "{SOUGHT}" is found on {found.count()} pages', flush=True)

    def play_lesson(self) -> None:
        """Take the solution of every step of the lesson that is open."""
        progress, steps = self.page.locator(".lesson .progress"), 1
        while True:
            self.page.wait_for_selector(".rosenblatt-lab[data-busy=false]")
            self.page.locator("[data-lesson=solution]").click()
            self.page.locator(".feedback.right").wait_for()
            step, _, last = progress.inner_text().partition("step ")[2].partition(" of ")
            if int(step) != steps:
                self.complain(f"shows step {step} after {steps - 1} steps")
            if step == last.split()[0]:
                return
            self.page.locator("[data-lesson=next]").click()
            steps += 1
