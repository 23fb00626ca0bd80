"""report.html as people open it, in headless Chromium: of runs on the virtual clock, and of samples
with hostile names, devices and 1,024 ranks (tests/reports/page_samples.cpp).

TRACEML_PAGE_SHOTS=DIR keeps screenshots of every page there.
"""
import json
import subprocess
import unittest

from harness_run import run, run_json
from opened_pages import DATA, MOST_BYTES, OPEN_ALL, SAMPLES, OpenedPages
from page_runs import equal_arms, launches, nights, traced, virtual_run

MOST_SECONDS = 20  # opening 1,024 ranks takes 1 s; this is for a machine that does much else

CASES = {"spin-equal": "PASS", "spin-slower": "FAIL", "spin-noisy": "INCONCLUSIVE",
         "spin-dead-rank": "RUN FAILED", "spin-stall": "FAIL", "spin-input": "FAIL"}

class Pages(OpenedPages):
    @classmethod
    def make_pages(cls):
        subprocess.run([SAMPLES, str(cls.path)], check=True)
        cls.runs = {config: virtual_run(cls.path, config) for config in [*CASES, "spin-sweep"]}
        cls.compared, cls.told = nights(cls.path)
        cls.runs["launches"] = launches(cls.path)
        cls.runs["traced"] = traced(cls.path)
        cls.pages = {config: out / "report.html" for config, out in cls.runs.items()}
        cls.pages.update({page.stem: page for page in cls.path.glob("*.html")})
        cls.equal = equal_arms(cls.path)
        cls.pages["selfcheck"] = cls.equal / "selfcheck.html"

    def test_every_page_opens_without_a_fault_or_a_request(self):
        for name in self.pages:
            with self.subTest(name):
                self.open(name)
                self.assertEqual(self.browser.faults(), [])

    def test_the_verdict_stands_first_in_words(self):
        for name, word in CASES.items():
            with self.subTest(name):
                self.open(name)
                verdict = (self.runs[name] / "verdict.txt").read_text().strip()
                self.assertEqual(self.text("h1"), verdict)
                self.assertEqual(self.text("h1 .word"), word)
                self.assertIn("Virtual clock", self.text(".badges"))

    def test_a_sweep_shows_each_setting_against_the_best(self):
        self.open("spin-sweep")
        settings = run_json(self.runs["spin-sweep"])["sweep"]["settings"]
        shown = self.browser.evaluate(DATA + ".sweep.settings")
        self.assertEqual([one["standing"] for one in shown], [one["standing"] for one in settings])
        rows = self.browser.evaluate("document.querySelectorAll('#sweep .gate').length")
        self.assertEqual(rows, len(settings))
        answer = run_json(self.runs["spin-sweep"])["sweep"]["answer"]
        self.assertIn(answer, self.text("#sweep p"))

    def test_input_pipelines_show_what_a_sample_costs(self):
        self.open("spin-input")
        shown = self.browser.evaluate(
            "document.querySelector('#figure-stages .plot').chart.data.datasets"
            ".map((set) => set.data[0])")
        for value, planted in zip(shown, (0.5, 6, 1.5)):
            self.assertAlmostEqual(value, planted, delta=planted / 20)

    def test_a_traced_run_shows_its_findings_one_step_and_its_kernels(self):
        self.open("traced")
        told = self.text("#trace")
        self.assertIn("5.461 ms a step traced against 5.456 ms of candidate", told)
        for finding in self.browser.evaluate(DATA + ".trace.traces[0].full.findings"):
            self.assertIn(finding["next_check"], told)
        self.assertIn("late_batch", told)
        self.assertIn("ProfilerStep#", self.text("#trace select option:checked"))
        kernels = self.browser.evaluate(DATA + ".trace.traces[0].full.tables.kernels.rows")
        self.assertEqual(kernels[0][0], "spin_backward")
        self.assertIn("spin_backward", told)
        self.open("spin-stall")
        self.assertFalse(self.browser.evaluate("document.getElementById('trace') !== null"))

    def test_programs_show_the_numbers_of_their_launches(self):
        self.open("launches")
        drawn = self.browser.evaluate(
            "document.querySelector('#figure-launches .plot').chart.data.datasets[0].data")
        self.assertEqual(drawn, [5.0, 5.3])
        self.assertIn("traced against bare", self.text(".gate-name"))
        self.assertNotIn("per step", self.text("main"))

    def test_planted_faults_are_told_at_the_top(self):
        self.open("spin-slower")
        self.assertIn("Planted faults: candidate {slowdown: 6.5%}", self.text(".badges"))

    def test_a_comparison_shows_its_verdict_and_each_pair(self):
        self.open("compare")
        self.assertEqual(self.text("h1"), self.compared.splitlines()[-1])
        self.assertIn("allows < 2 %", self.text(".gate-line"))
        drawn = self.browser.evaluate(
            "document.querySelector('#figure-pairs .plot').chart.data.datasets[0].data"
            ".map((point) => point.y)")
        self.assertEqual(len(drawn), 7)
        for change in drawn:
            self.assertAlmostEqual(change, 4.62, delta=0.05)

    def test_a_history_shows_each_run_of_each_gate(self):
        self.open("history")
        self.assertRegex(self.text("h1"), r"^NO CREEP \(0 of 2 gates over 14 runs\)$",
                         "planted faults stand apart")
        told = [point["estimate"] for point in self.told["series"][0]["gates"][0]["runs"]]
        drawn = self.browser.evaluate(
            "document.querySelector('#figure-series-1-gate-1 .plot').chart.data.datasets"
            ".flatMap((set) => set.data).filter((point) => point.run !== undefined)"
            ".sort((a, b) => a.run - b.run).map((point) => point.estimate)")
        self.assertEqual(drawn, told)

    def test_a_self_check_shows_each_run_of_each_arm(self):
        self.open("selfcheck")
        told = json.loads((self.equal / "selfcheck.json").read_text())
        self.assertRegex(self.text("h1"), r"^NO SIGN AGAINST THEM \(exit 0\): .*, virtual clock$")
        self.assertEqual([len(arm["runs"]) for arm in told["arms"]], [6, 6])
        for place, arm in enumerate(told["arms"], 1):
            drawn = self.browser.evaluate(
                f"document.querySelector('#figure-arm-{place} .plot').chart.data.datasets"
                ".flatMap((set) => set.data).filter((point) => point.outcome !== undefined)"
                ".sort((a, b) => a.x - b.x).map(({estimate, lower, upper}) => "
                "({estimate, lower, upper}))")
            self.assertEqual(drawn, [{key: one[key] for key in ("estimate", "lower", "upper")}
                                     for one in arm["runs"]])
        labels = self.browser.evaluate(
            "document.querySelector('#figure-arm-2 .plot').chart.data.datasets"
            ".map((set) => [set.label, set.data.length])")
        self.assertEqual(labels[0], ["FAIL", 6])

    def test_figures_are_those_of_run_json(self):
        for name in CASES:
            with self.subTest(name):
                self.open(name)
                page, run_of = self.browser.evaluate(DATA), run_json(self.runs[name])
                gates = {gate["name"]: gate for gate in run_of["gates"]}
                for gate in page["gates"]:
                    for key in ("outcome", "unit", "estimate", "lower", "upper", "margin",
                                "minimum_detectable"):
                        self.assertEqual(gate[key], gates[gate["name"]][key], key)
                for arm in page["arms"]:
                    own = run_of["arms"][arm["name"]]
                    for key in ("step_wall_ms", "step_cpu_ms", "step_gpu_ms", "images_per_s",
                                "clock", "fraction_of_reference", "outside_ms", "residual_ms",
                                "phases"):
                        self.assertEqual(arm[key], own[key], key)

    def test_what_is_drawn_is_what_the_data_hold(self):
        self.open("spin-stall")
        page = self.browser.evaluate(DATA)
        drawn = self.browser.evaluate(
            "document.querySelector('#figure-throughput .plot').chart.data.datasets[0].data")
        self.assertEqual(drawn, [arm["images_per_s"] for arm in page["arms"]])
        waits = self.browser.evaluate(
            "document.querySelector('#figure-steps .plot').chart.data.datasets.map(d => d.label)")
        self.assertIn("candidate, stands out", waits)
        steps = {steps["arm"]: steps for steps in page["steps"]}
        marked = steps["candidate"]["outliers"]
        windows = sum(1 for window in page["windows"] if window["arm"] == "candidate")
        per_window = next(window["steps"] for window in page["windows"]) // 8
        ranks = len(steps["candidate"]["ranks"])
        self.assertEqual(len(marked["steps"]) + marked["left_out"], windows * per_window * ranks,
                         "each planted stall on each rank")

    def test_the_steps_of_one_rank_can_be_chosen(self):
        self.open("lively")  # rank 5 stalled once
        marked = ("document.querySelector('#figure-steps .plot').chart.data.datasets"
                  ".flatMap((set) => set.data).filter((point) => point.of !== undefined)"
                  ".map((point) => [point.of, point.time])")
        choose = ("(() => {const box = document.querySelector('#figure-steps select'); "
                  "box.value = '%d'; box.dispatchEvent(new Event('change'))})()")
        for rank, stalled in ((5, True), (3, False)):
            self.browser.evaluate(choose % rank)
            seen = self.browser.evaluate(marked)
            self.assertEqual({of for of, _ in seen}, {rank})
            self.assertEqual(any(time > 50 for _, time in seen), stalled)

    def test_nulls_are_breaks_and_dashes_and_no_zeros(self):
        self.open("spin-equal")
        page = self.browser.evaluate(DATA)
        window = len(page["steps"][0]["bins"]) // 2
        broken = json.loads(json.dumps(page))
        broken["steps"][0]["bins"][window][4:7] = [None] * 3
        broken["arms"][0]["step_gpu_ms"] = None
        points = self.browser.evaluate(
            f"lineOf({json.dumps(broken['steps'][0]['bins'])}.map(binOf), "
            "windowOffsets(page.windows), (bin) => bin.mean).map((point) => point.y)")
        self.assertEqual(points.count(0), 0)
        self.assertIn(None, points)
        self.assertFalse(self.browser.evaluate("Chart.defaults.spanGaps"))
        texts = self.browser.evaluate("[fixed(null, 2), fixed(0, 2), ms(undefined), percent(NaN)]")
        self.assertEqual(texts, ["-", "0.00", "-", "-"])

    def test_names_that_look_like_scripts_are_text(self):
        self.open("hostile_names")
        self.assertEqual(self.browser.faults(), [])
        self.assertIn("<script>alert(1)</script>", self.text(".run-name"))
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('script').length"), 3)
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('main b').length"), 0)

    def test_nothing_runs_but_the_scripts_of_the_page(self):
        source = self.pages["spin-equal"].read_text()
        planted = self.path / "planted.html"
        planted.write_text(source.replace(
            "</footer>", "</footer><script>window.planted = 1</script>"
            "<img src=x onerror='window.planted = 1'>"))
        self.pages["planted"] = planted
        self.addCleanup(self.pages.pop, "planted")
        self.open("planted")
        self.assertIsNone(self.browser.evaluate("window.planted ?? null"))
        self.assertTrue(self.browser.faults(), "the policy says what it blocked")

    def test_many_ranks_open_quickly_from_a_small_file(self):
        size = self.pages["many_ranks"].stat().st_size
        self.assertLess(size, MOST_BYTES)
        seconds = self.open("many_ranks")
        print(f"many_ranks: {size:,} bytes, opened in {seconds:.2f} s")
        self.assertLess(seconds, MOST_SECONDS)
        self.assertEqual(self.browser.evaluate(DATA + ".steps[0].ranks.length"), 1024)

    def test_a_file_made_again_is_the_same(self):
        page = self.pages["spin-slower"]
        before = page.read_bytes()
        self.assertEqual(run("report", str(page.parent)).returncode, 10)
        self.assertEqual(page.read_bytes(), before)

    def test_tables_sort_and_filter(self):
        self.open("many_ranks")
        self.browser.evaluate("document.querySelector('#figure-last-1 details').open = true; 0")
        self.browser.evaluate("new Promise((done) => setTimeout(done, 50))")
        first = "document.querySelector('#figure-last-1 tbody tr').textContent"
        head = "document.querySelectorAll('#figure-last-1 th button')[2]"
        self.assertTrue(self.browser.evaluate(first).startswith("0"))
        self.browser.evaluate(f"{head}.click(); {head}.click(); 0")
        self.assertTrue(self.browser.evaluate(first).startswith("1023"))
        self.assertEqual(self.browser.evaluate(f"{head}.parentElement.ariaSort"), "descending")
        rows = self.browser.evaluate(
            "(() => {const box = document.querySelector('#figure-last-1 input'); "
            "box.value = 'node12'; box.dispatchEvent(new Event('input')); "
            "return document.querySelectorAll('#figure-last-1 tbody tr').length})()")
        self.assertEqual(rows, 8 + 8 * 8, "node12 and node120 to node127")

    def test_every_figure_has_its_numbers_and_a_csv_file(self):
        for name in ("lively", "device", "compare", "history", "selfcheck"):
            self.open(name)
            self.browser.evaluate(OPEN_ALL)
            for part in ("details", ".csv", "tbody tr"):
                bare = self.browser.evaluate(
                    "[...document.querySelectorAll('figure')].filter((figure) => "
                    f"!figure.querySelector('{part}')).map((figure) => figure.id)")
                self.assertEqual(bare, [], part)
        csv = self.browser.evaluate("csvOf({columns: [{head: 'a\\nb'}, {head: 'c'}], "
                                    "rows: [[1, null], ['x,\"y', 0]]})")
        self.assertEqual(csv, 'a b,c\n1,\n"x,""y",0\n')

    def test_cells_can_be_read_with_the_keyboard(self):
        self.open("lively")
        self.browser.evaluate("document.querySelector('#figure-ranks-phases-1 canvas').focus()")
        self.browser.press("ArrowDown")
        told = self.text("#figure-ranks-phases-1 .readout")
        self.assertRegex(
            told, r"^rank 1 on node0, input_wait: [\d.]+ ms, [+-]?[\d.]+ ms from the mean")

    def test_accessibility_in_both_themes(self):
        # The tables of two are of the same kinds as the others'.
        self.check_accessibility([
            ("spin-slower", False, True), ("hostile_names", False, False), ("lively", True, False),
            ("no_gates", True, True), ("compare", True, True), ("history", False, True),
            ("selfcheck", True, True), ("traced", False, True), ("traced", True, False)])

    def test_nothing_is_wider_than_the_window(self):
        self.check_widths(("spin-slower", "lively", "hostile_names", "many_ranks", "device",
                           "stored", "spin-sweep", "compare", "history", "selfcheck", "traced"))

    def test_screenshots(self):
        self.take_screenshots()


if __name__ == "__main__":
    unittest.main(verbosity=2)
