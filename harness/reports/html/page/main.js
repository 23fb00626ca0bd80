// The page from its data, from top to bottom.

function restSection(page, section) {
  for (const name of ["sure", "launches"]) {
    if (page.tables[name]) section.append(reportTable(page.tables[name], "table-" + name));
  }
  if (page.commands === null) windowsSection(page, section);
  if (page.notes.length > 0)
    section.append(element("h3", {class: "group"}, "Notes"), sentences(page.notes));
}

const runSections = (page) => [
  page.gates.length > 0 || page.sweep === null
    ? addSection("verdict", "Verdict", (section) => gatesSection(page, section))
    : null,
  addSection("sweep", "Sweep", (section) => sweepSection(page, section)),
  addSection("scenario", "What was run", (section) => scenarioSection(page, section)),
  addSection(
    "throughput", page.commands === null ? "Throughput and steps" : "Launches",
    (section) => throughputSection(page, section)),
  addSection("time", "Over the run", (section) => timeSection(page, section)),
  addSection("ranks", "Ranks", (section) => ranksSection(page, section)),
  addSection("input", "Input", (section) => inputSection(page, section)),
  addSection("resources", "Memory and devices", (section) => resourcesSection(page, section)),
  addSection("trace", "Trace of a few steps", (section) => runTraceSection(page, section)),
  addSection("more", "How sure, windows, notes", (section) => restSection(page, section)),
];

// What each kind of page is made of.
const KINDS = {
  run: {head: fillRunHead, sections: runSections},
  compare: {head: fillHead, sections: compareSections},
  history: {head: fillHead, sections: historySections},
  selfcheck: {head: fillHead, sections: selfcheckSections},
  trace: {head: fillTraceHead, sections: traceSections},
};

const page = JSON.parse(document.getElementById("data").textContent);
const kind = KINDS[page.kind];
(page.arms || []).forEach((arm) => armNames.push(arm.name));
kind.head(page);
const sections = kind.sections(page).filter((section) => section !== null);

document.getElementById("contents")
  .append(element(
    "ul", null,
    ...sections.map(({id, title}) => element("li", null, element("a", {href: "#" + id}, title)))));
if ((page.warnings || []).length > 0) {
  document.getElementById(sections[0].id).append(element(
    "details", {open: page.warnings.length <= 5},
    element(
      "summary", null,
      page.warnings.length === 1 ? "1 warning" : `${page.warnings.length} warnings`),
    sentences(page.warnings)));
}
followTheme();
showIn(document.getElementById("main"));

// Pictures have the width of the window. Heights alone change where a telephone's bars come and go.
let width = innerWidth;
let timer = null;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  clearTimeout(timer);
  timer = setTimeout(redraw, 150);
});
document.documentElement.dataset.ready = "yes";
