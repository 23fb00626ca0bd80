// The verdict first: in words, then each gate against its margin, then what was run.

const ZEROS = "A dash is something that was not measured; 0.00 is a measured zero.";

// The line that everything comes to: its first word stands out.
function fillHead({name, verdict}, foot = "traceml-bench. ") {
  const cut = verdict.line.indexOf(" (");
  const [word, rest] =
    cut < 0 ? [verdict.line, ""] : [verdict.line.slice(0, cut), verdict.line.slice(cut)];
  document.getElementById("head").append(
    element("div", {class: "head-row"}, element("p", {class: "run-name"}, name), themeButton()),
    element("h1", null, element("span", {class: "word " + verdict.state}, word), rest));
  document.getElementById("foot").append(foot + ZEROS);
}

function fillRunHead(page) {
  const {verdict} = page;
  fillHead(
    page, `traceml-bench ${page.tool_version}, ` +
      (verdict.virtual_clock ? "on the virtual clock. " : `run of ${page.created_utc}. `));
  const head = document.getElementById("head");
  if (page.question !== "") head.append(element("p", null, page.question));
  const planted = page.scenario.find(([label]) => label === "planted");
  head.append(element(
    "div", {class: "badges"},
    verdict.virtual_clock
      ? element(
          "span", {class: "badge"}, "Virtual clock: these times were simulated, not measured")
      : null,
    planted ? element("span", {class: "badge"}, "Planted faults: " + planted[1]) : null));
  if (verdict.failure !== null) {
    head.append(element(
      "p", {class: "failure"}, "What follows comes from what was finished before the run ended."));
  }
}

function gatesSection(page, section) {
  if (page.gates.length === 0) {
    section.append(element("p", null, "The config has no gate: measured, not judged."));
    return;
  }
  const units = page.kind === "compare" ? "pairs of runs" : "blocks or launches";
  const axis = page.commands
    ? "Change of a launch's cost against the baseline, %; right is worse."
    : "Change of the wall time per step against the baseline, %; right is slower.";
  const columns = [
    {head: "gate", left: true}, {head: "verdict", left: true}, {head: "unit", left: true},
    {head: "estimate"}, {head: "lower"}, {head: "upper"}, {head: "margin"},
    {head: "could have seen"}
  ];
  const picture = element(
    "div", null, ...forestList(page),
    element(
      "p", {class: "dim small"},
      axis + " Circle: estimate; bar: the interval that decides; dashed: the margin; " +
        `thin line: changes that so many ${units} could not have told from none.`));
  section.append(picture);
  if (page.verdict.basis) section.append(element("p", {class: "small"}, page.verdict.basis));
  const numbers = () => ({
    caption:
      "As the gates are written: relative is the change of time, fraction that of throughput.",
    columns,
    rows: page.gates.map(
      (gate) =>
        [gate.name, gate.word, gate.unit, gate.estimate, gate.lower, gate.upper, gate.margin,
         gate.minimum_detectable]),
  });
  section.append(numbersOf({title: "gates", name: "gates", numbers}));
}

const factList = (pairs) => element(
  "dl", {class: "facts"},
  ...pairs.flatMap(([label, text]) => [element("dt", null, label), element("dd", null, text)]));

function scenarioSection(page, section) {
  const halves = element("div", {class: "halves"}, element("div", null, factList(page.scenario)));
  if (page.fingerprint.length > 0) {
    halves.append(
      element("div", null, element("h3", null, "Fingerprint"), factList(page.fingerprint)));
  }
  section.append(halves);
}
