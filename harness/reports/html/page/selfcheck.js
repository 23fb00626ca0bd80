// Equal arms, again and again: what each run said of them, and of the planted ones.

const CLAIMS = [
  ["not told apart", "pass", "circle", ({outcome, direction}) =>
    outcome !== "fail" && direction === "unresolved"],
  ["called faster", "inconclusive", "triangle", ({outcome, direction}) =>
    outcome !== "fail" && direction === "faster"],
  ["called slower", "inconclusive", "rectRot", ({outcome, direction}) =>
    outcome !== "fail" && direction === "slower"],
  ["FAIL", "fail", "crossRot", ({outcome}) => outcome === "fail"],
];

function claimChart(points, margin) {
  const sets = CLAIMS.map(([label, shade, sign, wanted]) => ({
    label,
    pointStyle: sign,
    pointRadius: 5,
    borderWidth: 2,
    borderColor: colour(shade),
    backgroundColor: faded(colour(shade), 0.4),
    data: points.filter((point) => point.y !== null && wanted(point)),
  }));
  const ends = [0.5, points.length + 0.5];
  const drawn = points.flatMap(({y, range}) => [y, ...(range || [])]);
  const reach = extremes([...drawn, 100 * margin, 0]);
  return {
    type: "scatter",
    data: {
      datasets: [
        ...sets.filter(({data}) => data.length > 0),
        levelLine("margin", 100 * margin, ends, "ink", [6, 4]),
        levelLine("no change", 0, ends, "axis", [])
      ],
    },
    options: {
      scales: {
        x: countAxis("run", points.length),
        y: numericAxis(
          "change of time, %", {grace: "5%", suggestedMin: reach[0], suggestedMax: reach[1]}),
      },
      plugins: {
        tooltip: {
          filter: ({raw}) => raw.outcome !== undefined,
          callbacks: {label: ({raw}) => `run ${raw.x}: ${fixed(raw.y, 2)} %, ${raw.outcome}`},
        },
      },
    },
    plugins: [whiskers],
  };
}

function armFigure(page, arm, place, parent) {
  const points = arm.runs.map((claim, i) => changePoint(claim, i + 1));
  if (points.every(({y}) => y === null)) return;
  addFigure(parent, {
    name: "arm-" + (place + 1),
    title: (place === 0 ? "Equal: " : "Planted: ") + arm.name,
    basis: `Change of the wall time per step against ${page.against} in each run, %, host clock, ` +
      "max over ranks; bars: the interval that decides.",
    picture: chartPicture(
      `${arm.name} in ${points.length} runs: ` +
        CLAIMS.map(([label, , , wanted]) => `${arm.runs.filter(wanted).length} ${label}`)
          .join(", "),
      280, () => claimChart(points, page.margin)),
    numbers: () => ({
      caption: "Relative changes of the time per step.",
      columns: [
        {head: "run"}, {head: "outcome", left: true}, {head: "direction", left: true},
        {head: "estimate"}, {head: "lower"}, {head: "upper"}
      ],
      rows: points.map(
        (point) =>
          [point.x, point.outcome, point.direction, point.estimate, point.lower, point.upper]),
    }),
  });
}

const selfcheckSections = (page) => [
  addSection(
    "verdict", "What the runs showed",
    (section) => {
      const halves = element("div", {class: "halves"}, element("div", null, factList(page.facts)));
      if (page.machine.length > 0) {
        halves.append(element("div", null, element("h3", null, "Machine"), factList(page.machine)));
      }
      section.append(halves);
    }),
  addSection(
    "runs", "Run by run",
    (section) => {
      const halves = element("div", {class: "halves"});
      page.claims.forEach((arm, i) => armFigure(page, arm, i, halves));
      if (halves.childElementCount > 0) section.append(halves);
    }),
  addSection(
    "tables", "Budget and planted slowdowns",
    (section) => page.tables.forEach(
      (table) => section.append(reportTable(table, "table-" + table.title.toLowerCase())))),
];
