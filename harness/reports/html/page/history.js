// Many runs of a config: each gate over the runs, and where the fingerprint changed.

const OUTCOMES = [["pass", "circle"], ["fail", "crossRot"], ["inconclusive", "triangle"]];

// A line behind each run whose fingerprint is not that of the run before.
const changeLines = (runs) => ({
  id: "changes",
  beforeDatasetsDraw(chart) {
    const {ctx, scales, chartArea} = chart;
    ctx.save();
    ctx.strokeStyle = colour("axis");
    ctx.setLineDash([2, 3]);
    for (const run of runs) {
      const x = scales.x.getPixelForValue(run - 0.5);
      ctx.beginPath();
      ctx.moveTo(x, chartArea.top);
      ctx.lineTo(x, chartArea.bottom);
      ctx.stroke();
    }
    ctx.restore();
  },
});

function gateChart(series, gate, points) {
  const counted = (point) => point.not_counted === "";
  const drawn = ({data}) => data.some(({y}) => y !== null);
  const set = (label, sign, shade, wanted) => ({
    label,
    pointStyle: sign,
    pointRadius: 5,
    borderWidth: 2,
    borderColor: colour(shade),
    backgroundColor: faded(colour(shade), 0.4),
    data: points.filter(wanted),
  });
  const ends = [0.5, series.runs.length + 0.5];
  const margin =
    missing(gate.margin) ? [] : [levelLine("margin", 100 * gate.margin, ends, "ink", [6, 4])];
  const sets = [
    ...OUTCOMES.map(
      ([outcome, sign]) =>
        set(outcome, sign, outcome, (point) => counted(point) && point.outcome === outcome)),
    set("not counted for creep", "rect", "other", (point) => !counted(point)),
  ];
  // One interval of a night without a verdict may be wider than all others together.
  const reach = extremes(points.filter(counted).flatMap(({y, range}) => [y, ...(range || [])]));
  return {
    type: "scatter",
    data: {datasets: [...sets.filter(drawn), ...margin]},
    options: {
      scales: {
        x: countAxis("run, by time", series.runs.length),
        y: numericAxis(
          gate.fraction ? "throughput, % of the baseline's" : "change of time, %",
          {grace: "5%", suggestedMin: reach[0], suggestedMax: reach[1]}),
      },
      plugins: {
        tooltip: {
          filter: ({raw}) => raw.run !== undefined,
          callbacks: {
            label: ({raw}) => `run ${raw.x}, ${series.runs[raw.run].began}: ${fixed(raw.y, 2)} % ${
              raw.outcome}`
          },
        },
      },
    },
    plugins: [
      whiskers, changeLines(series.runs.flatMap((run, i) => (run.changed === "" ? [] : [i + 1])))
    ],
  };
}

function gateOverRuns(series, gate, name, parent) {
  const points = gate.points.map((point) => changePoint(point, point.run + 1));
  if (points.every(({y}) => y === null)) return;
  addFigure(parent, {
    name,
    title: gate.name,
    basis: (gate.fraction ? "Throughput in % of the baseline's" : "Change of time in %") +
      "; bars: the interval that decides, dashed: the margin, dotted: another fingerprint.",
    picture: chartPicture(
      `${gate.name} over ${series.runs.length} runs; the numbers below hold it.`, 300,
      () => gateChart(series, gate, points)),
    numbers: () => ({
      caption: "Estimate and the interval that decides, in the unit of the gate.",
      columns: [
        {head: "run"}, {head: "began", left: true}, {head: "verdict", left: true},
        {head: "estimate"}, {head: "lower"}, {head: "upper"}, {head: "reason", left: true},
        {head: "not counted for creep", left: true}, {head: "changed", left: true},
        {head: "folder", left: true}
      ],
      rows: gate.points.map((point) => {
        const run = series.runs[point.run];
        return [
          point.run + 1, run.began, point.outcome, point.estimate, point.lower, point.upper,
          point.reason, point.not_counted || null, run.changed || null, run.folder
        ];
      }),
    }),
  });
}

function creepSection(page, section) {
  const word = {true: "CREEP", false: "none", null: "too few runs"};
  const state = {true: "fail", false: "pass", null: ""};
  const gates = page.series.flatMap((series) => series.gates.map((gate) => ({series, gate})));
  if (gates.length === 0) section.append(element("p", null, "No run has a gate."));
  const items = gates.map(
    ({series, gate}) => element(
      "li", {class: "gate"},
      element(
        "div", {class: "gate-line"},
        element("span", {class: "word " + state[gate.creeps]}, word[gate.creeps]),
        element("span", {class: "gate-name"}, gate.name),
        page.series.length > 1 ? element("span", {class: "dim"}, "settings " + series.config_hash)
                               : null),
      element("p", null, gate.creep)));
  section.append(
    element("ul", {class: "gates"}, ...items),
    element(
      "p", {class: "dim small"},
      "Creep: a slow rise of the time over the runs, whatever the gate of each run says."));
  if (page.left_out.length > 0) {
    section.append(
      element("h3", {class: "group"}, "Runs that were left out"), sentences(page.left_out));
  }
}

function seriesSection(series, place, section) {
  if (series.other_settings !== "")
    section.append(element("p", null, "Other settings: " + series.other_settings));
  const changed = series.runs.flatMap(
    (run, i) => (run.changed === "" ? [] : [`run ${i + 1}, ${run.began}: ${run.changed}`]));
  if (changed.length > 0)
    section.append(element("h3", null, "What changed"), sentences(changed));
  const halves = element("div", {class: "halves"});
  series.gates.forEach(
    (gate, i) => gateOverRuns(series, gate, `series-${place}-gate-${i + 1}`, halves));
  if (halves.childElementCount > 0) section.append(halves);
}

const historySections = (page) => [
  addSection("creep", "Creep", (section) => creepSection(page, section)),
  ...page.series.map(
    (series, i) => addSection(
      "series-" + (i + 1),
      `${series.config}, settings ${series.config_hash}: ${series.runs.length} ` +
        (series.runs.length === 1 ? "run" : "runs"),
      (section) => seriesSection(series, i + 1, section))),
];
