// A sweep: each setting against the best, on one axis with the margin of "as good".

const STANDINGS = {best: "pass", tied: "pass", worse: "fail", unresolved: "inconclusive"};

function sweepSection(page, section) {
  const {sweep} = page;
  if (sweep === null) return;
  const rows =
    sweep.settings.map((setting) => ({...setting, outcome: STANDINGS[setting.standing]}));
  const scale = forestScale(rows);
  const items = rows.map(
    (row) => element(
      "li", {class: "gate"},
      element(
        "div", {class: "gate-line"}, element("span", {class: "word " + row.outcome}, row.standing),
        element("span", {class: "gate-name"}, row.name),
        missing(row.change.estimate)
          ? null
          : element("span", null, signedPercent(row.change.estimate) + " wall per step"),
        missing(row.blocks) ? null : element("span", {class: "dim"}, `${row.blocks} blocks`)),
      forestRow(row, scale)));
  section.append(
    element("p", null, element("strong", null, sweep.word), ": " + sweep.answer),
    sentences(sweep.sentences), element("ul", {class: "gates"}, ...items), forestAxis(scale),
    element(
      "p", {class: "dim small"},
      "Change of the wall time per step against the best setting, %; right is slower. Bar: the " +
        "interval that decides; dashed: the margin; thin line: changes that so many blocks could " +
        "not have told from none."),
    element("p", {class: "small"}, sweep.basis));
  section.append(numbersOf({
    title: "settings",
    name: "sweep",
    numbers: () => ({
      caption: "Settings against the best: change of the wall time per step.",
      columns: [
        {head: "setting", left: true}, {head: "standing", left: true}, {head: "estimate"},
        {head: "lower"}, {head: "upper"}, {head: "margin"}, {head: "blocks"}
      ],
      rows: rows.map(
        ({name, standing, change, blocks}) =>
          [name, standing, change.estimate, change.lower, change.upper, change.margin, blocks]),
    }),
  }));
  for (const name of ["sweep", "curve"]) {
    if (page.tables[name]) section.append(reportTable(page.tables[name], "table-" + name));
  }
}
