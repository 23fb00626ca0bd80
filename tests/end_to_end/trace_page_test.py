"""The page of `explain --html` in headless Chromium: of traces that are made here, and of samples
with hostile names, several ranks and no device (tests/reports/page_samples.cpp).

TRACEML_PAGE_SHOTS=DIR keeps screenshots of every page there.
"""
import gzip
import json
import subprocess
import unittest

from harness_run import run
from opened_pages import DATA, MOST_BYTES, OPEN_ALL, SAMPLES, OpenedPages

STEPS, KERNELS, LATE = 40, 60, 23
LENGTH = 100.123  # of a kernel, us
HOSTILE = "<script>alert(1)</script>"


def events():
    """Steps of one loader range and KERNELS kernels; the batch of step LATE comes 20 ms
    late. One kernel of each step has a name that is mark-up."""
    host, free, number = 1_000_000, 0, 0  # us

    def event(category, name, begin, length, thread=7, **args):
        return {"ph": "X", "cat": category, "name": name, "pid": 9, "tid": thread, "ts": begin,
                "dur": length, "args": args}

    for step in range(STEPS):
        begin = host
        wait = 20_000 if step == LATE else 50
        yield event("user_annotation", "enumerate(DataLoader)#__next__", host, wait)
        host += wait
        for kernel in range(KERNELS):
            number += 1
            yield event("cuda_runtime", "cudaLaunchKernel", host, 6, correlation=number)
            start = max(free, host + 8)
            free = round(start + LENGTH, 3)
            name = HOSTILE if kernel == 7 else f"gemm_{kernel % 4}"
            yield event("kernel", name, start, LENGTH, 20, stream=20, device=0, correlation=number)
            host += 10
        yield event("cuda_runtime", "cudaDeviceSynchronize", host, round(free - host, 3),
                    correlation=-1)
        host = int(free) + 20
        yield event("user_annotation", f"ProfilerStep#{step}", begin, host - begin)
        host += 5


def write_trace(path):
    trace = {"schemaVersion": 1, "traceEvents": list(events()),
             "deviceProperties": [{"id": 0, "name": "NVIDIA H200"}]}
    with gzip.open(path, "wt") as file:
        json.dump(trace, file)


class TracePages(OpenedPages):
    @classmethod
    def make_pages(cls):
        subprocess.run([SAMPLES, str(cls.path), "traces"], check=True)
        private = cls.path / "of-ann"
        private.mkdir()
        write_trace(private / "rank0.json.gz")
        write_trace(private / "rank1.json.gz")
        page, told = cls.path / "trace.html", cls.path / "trace.json"
        done = run("explain", str(private / "rank0.json.gz"), "--html", str(page), "--json",
                   str(told), "--against", str(private / "rank1.json.gz"))
        assert done.returncode == 0, done.stdout + done.stderr
        cls.told = json.loads(told.read_text())["traces"][0]
        cls.pages = {one.stem: one for one in cls.path.glob("*.html")}

    def bars(self, figure):
        """What the stacked bars of a figure hold: (label, values of each device)."""
        return dict(self.browser.evaluate(
            f"document.querySelector('#figure-{figure} .plot').chart.data.datasets"
            ".map((set) => [set.label, set.data])"))

    def test_every_page_opens_without_a_fault_or_a_request(self):
        self.assertGreaterEqual(len(self.pages), 5)
        for name, page in self.pages.items():
            with self.subTest(name):
                self.open(name)
                self.browser.evaluate(OPEN_ALL)
                self.assertEqual(self.browser.faults(), [])
                self.assertLess(page.stat().st_size, MOST_BYTES)

    def test_trust_stands_first_then_what_was_found(self):
        self.open("trace")
        self.assertEqual(self.text("h1"),
                         "idle is a number (100.0 % of device work has its launch recorded)")
        for finding in self.told["findings"]:
            self.assertIn(finding["cause"], self.text("#head"))
        self.assertIn("late_batch", self.text("#head"))
        self.assertNotIn("of-ann", self.pages["trace"].read_text(), "folders are private")

    def test_device_time_and_causes_are_those_of_the_json(self):
        self.open("trace")
        device = self.told["devices"][0]
        time = device["selected"]
        self.assertEqual(self.bars("times"), {
            "compute": [time["compute_ns"] / 1e6],
            "exposed communication": [time["exposed_communication_ns"] / 1e6],
            "exposed copies": [time["exposed_copies_ns"] / 1e6],
            "idle": [time["idle_ns"] / 1e6]})
        self.assertEqual(self.bars("causes"), {
            one["cause"]: [one["total_ns"] / 1e6] for one in device["idle_by_cause"]
            if one["total_ns"] > 0})

    def test_tables_hold_the_kernels_and_findings_of_the_json(self):
        self.open("trace")
        shown = self.browser.evaluate(DATA + ".traces[0].full.tables.kernels.rows")
        self.assertEqual([(row[0], row[1], row[3]) for row in shown], [
            (one["kernel"], f"{one['total_ns'] / 1e6:.3f}", f"{one['count']:,}")
            for one in self.told["kernels"]])
        for finding in self.told["findings"]:
            self.assertIn(finding["observation"], self.text("#findings"))
            self.assertIn(finding["next_check"], self.text("#findings"))
        for sentence in self.told["cannot_tell"]:
            self.assertIn(sentence, self.text("#findings"))

    def test_the_most_idle_step_is_shown_first_with_the_cause_of_its_gap(self):
        self.open("trace")
        self.assertIn(f"ProfilerStep#{LATE}:", self.text("#step select option:checked"))
        gaps = self.text("#step ol")
        longest = self.told["devices"][0]["gaps"][0]
        self.assertIn(f"idle for {longest['length_ns'] / 1e6:.3f} ms", gaps)
        self.assertIn("waiting for input", gaps)

    def drawn(self):
        return self.browser.evaluate(
            "document.querySelector('#step .plot').lanes().map(({title, items}) => "
            "[title, items.map(({start, length, kindName, name, gap}) => "
            "[start, length, kindName ?? 'gap', name ?? null])])")

    def test_lanes_are_the_events_of_the_step(self):
        self.open("trace")
        lanes = dict(self.drawn())
        kernels = lanes["device 0, stream 20 (device clock)"]
        self.assertEqual(len(kernels), KERNELS)
        self.assertEqual({(length, kind) for _, length, kind, _ in kernels},
                         {(100_123, "kernel")})
        self.assertEqual([name for *_, name in kernels][7], HOSTILE)
        host = lanes["main thread, launches and loads (host clock)"]
        self.assertIn([20_000_000, "waiting for input"], [[one[1], one[2]] for one in host])
        self.assertEqual(sum(name == "cudaLaunchKernel" for *_, name in host), KERNELS)

    def test_another_step_can_be_chosen_and_its_numbers_follow(self):
        self.open("trace")
        lanes = self.browser.evaluate(DATA + ".traces[0].full.lanes")
        self.assertEqual(lanes["all_steps"], STEPS)
        self.assertEqual(len(lanes["steps"]), 12)
        self.assertIn("12 of 40 steps are on this page", self.text("#step"))
        self.browser.evaluate(OPEN_ALL)
        of_rows = "document.querySelector('#step tbody').textContent"
        self.assertIn("waiting for input", self.browser.evaluate(of_rows))
        other = next(i for i, one in enumerate(lanes["steps"]) if not one["gaps"])
        self.browser.evaluate(
            "(() => {const box = document.querySelector('#step select'); "
            f"box.value = '{other}'; box.dispatchEvent(new Event('change'))}})()")
        titles = [title for title, _ in self.drawn()]
        self.assertIn("device 0, no idle gap of 1.000 ms or more (device clock)", titles)
        self.browser.evaluate(OPEN_ALL)
        self.assertNotIn("idle: waiting", self.browser.evaluate(of_rows))

    def test_events_are_told_with_the_keyboard_and_can_be_looked_at_closer(self):
        self.open("trace")
        self.browser.evaluate("document.querySelector('#step canvas').focus()")
        self.browser.press("ArrowDown")
        self.assertRegex(self.text("#step .readout"),
                         r"^device 0, stream 20 \(device clock\): kernel gemm_0: 100.1 us, from ")
        view = "document.querySelector('#step .plot').view()"
        whole = self.browser.evaluate(view)
        self.browser.evaluate("[...document.querySelectorAll('#step button')]"
                              ".find((one) => one.textContent === 'Closer').click()")
        closer = self.browser.evaluate(view)
        self.assertAlmostEqual(closer["to"] - closer["from"], (whole["to"] - whole["from"]) / 2)

    def test_names_that_look_like_scripts_are_text(self):
        for name in ("trace", "trace_hostile"):
            self.open(name)
            self.browser.evaluate(OPEN_ALL)
            self.assertIn(HOSTILE, self.text("#work"))
            self.assertIn(HOSTILE, self.text("#step table"))
            self.assertEqual(self.browser.evaluate("document.querySelectorAll('script').length"), 3)
            self.assertEqual(
                self.browser.evaluate("document.querySelectorAll('main b, main img').length"), 0)
            self.assertEqual(self.browser.faults(), [])

    def test_ranks_have_a_bar_each_and_few_have_lanes(self):
        self.open("trace_many_ranks")
        self.assertRegex(self.text("h1"), r"^idle is a number \(70 of 70 traces\)$")
        self.assertEqual(len(self.bars("times")["idle"]), 64)
        self.assertIn("54 of 70 traces", self.text("#trust"))
        self.assertRegex(self.text("#head"), r"exposed_communication in 16 of 16 traces in full")
        self.assertEqual(
            self.browser.evaluate("document.querySelectorAll('#step figure').length"), 16)
        numbers = self.browser.evaluate(
            "(document.querySelector('#figure-times details').open = true, "
            "new Promise((done) => setTimeout(() => "
            "done(document.querySelectorAll('#figure-times tbody tr').length), 100)))")
        self.assertEqual(numbers, 70)
        self.browser.evaluate(OPEN_ALL)
        rows = self.browser.evaluate(
            "[...document.querySelectorAll('#trust tbody tr')].map((row) => row.textContent)")
        self.assertEqual(len(rows), 70)
        self.assertIn("idle is a number", rows[69])

    def test_without_device_work_there_are_no_lanes_and_no_bars(self):
        self.open("trace_no_device")
        self.assertEqual(self.text("h1"), "no idle is given")
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('figure').length"), 0)
        self.assertIn("no device work is in the file", self.text("#trust"))

    def test_every_figure_has_its_numbers_and_a_csv_file(self):
        for name in ("trace", "trace_ranks"):
            self.open(name)
            self.browser.evaluate(OPEN_ALL)
            self.browser.evaluate(OPEN_ALL)  # those inside of others
            for part in ("details", ".csv", "tbody tr"):
                bare = self.browser.evaluate(
                    "[...document.querySelectorAll('figure')].filter((figure) => "
                    f"!figure.querySelector('{part}')).map((figure) => figure.id)")
                self.assertEqual(bare, [], part)

    def test_accessibility_in_both_themes(self):
        self.check_accessibility([("trace", False, True), ("trace_ranks", True, True),
                                  ("trace_hostile", False, False)])

    def test_nothing_is_wider_than_the_window(self):
        self.check_widths(self.pages)

    def test_screenshots(self):
        self.take_screenshots()


if __name__ == "__main__":
    unittest.main(verbosity=2)
