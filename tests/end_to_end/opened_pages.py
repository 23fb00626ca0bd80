"""What the tests of pages share: Chromium where there is one, and what a page must be."""
import json
import os
import pathlib
import tempfile
import unittest

import browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = os.environ.get("TRACEML_PAGE_SAMPLES")
SHOTS = os.environ.get("TRACEML_PAGE_SHOTS")
REQUIRED = "readers" in os.environ.get("TRACEML_REQUIRE", "").split(",")
WIDTHS = (400, 1280, 1920)
MOST_BYTES = 5_000_000

# Tables are made when they are opened.
OPEN_ALL = ("document.querySelectorAll('details').forEach((one) => one.open = true); "
            "new Promise((done) => setTimeout(done, 200))")

# The data as the page has it.
DATA = 'JSON.parse(document.getElementById("data").textContent)'


def axe_script():
    """axe-core, as the wheel axe-core-python has it (ci/setup)."""
    found = sorted(ROOT.glob(".deps/axe/axe_core_python/axe.min.js"))
    return found[0].read_text() if found else None


def missing():
    if SAMPLES is None:
        return "the page is not built in (TRACEML_WITH_HTML)"
    if browser.program() is None:
        return "there is no Chromium (package chromium-headless-shell)"
    return None


class OpenedPages(unittest.TestCase):
    """`pages`: the file of each name, by make_pages() of the class that tests them."""

    @classmethod
    def setUpClass(cls):
        why = missing()
        if why and REQUIRED and SAMPLES:
            raise RuntimeError(f"TRACEML_REQUIRE asks for the readers, but {why}")
        if why:
            raise unittest.SkipTest(why)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.path = pathlib.Path(folder.name)
        cls.make_pages()
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.close)

    def open(self, name, width=1280, dark=False):
        self.browser.set_size(width, dark=dark)
        seconds = self.browser.open(self.pages[name])
        self.assertEqual(self.browser.evaluate("document.documentElement.dataset.ready"), "yes",
                         [name, self.browser.faults()])
        return seconds

    def text(self, selector):
        return self.browser.evaluate(f"document.querySelector({json.dumps(selector)}).textContent")

    def check_accessibility(self, pages):
        """pages: (name, dark, whether all tables are opened); each takes seconds."""
        axe = axe_script()
        if axe is None and REQUIRED:
            self.fail("TRACEML_REQUIRE asks for the readers, but there is no axe-core (ci/setup)")
        if axe is None:
            self.skipTest("no axe-core in .deps/axe (ci/setup)")
        for name, dark, opened in pages:
            with self.subTest(name, dark=dark):
                self.open(name, dark=dark)
                self.browser.evaluate(axe + "; 0")
                if opened:
                    self.browser.evaluate(OPEN_ALL)
                found = self.browser.evaluate(
                    "axe.run(document, {resultTypes: ['violations']}).then((result) => "
                    "result.violations.map((one) => [one.id, one.nodes.length, "
                    "one.nodes[0].html.slice(0, 200), one.nodes[0].failureSummary]))")
                self.assertEqual(found, [])

    def check_widths(self, names):
        for name in names:
            for width in WIDTHS:
                with self.subTest(name, width=width):
                    self.open(name, width)
                    wide = self.browser.evaluate("document.documentElement.scrollWidth")
                    self.assertLessEqual(wide, width)

    def take_screenshots(self):
        if SHOTS is None:
            self.skipTest("TRACEML_PAGE_SHOTS names no folder for them")
        for name in self.pages:
            for width in WIDTHS:
                self.open(name, width)
                self.browser.screenshot(pathlib.Path(SHOTS) / f"{name}-{width}.png")
            self.open(name, dark=True)
            self.browser.screenshot(pathlib.Path(SHOTS) / f"{name}-dark.png")
