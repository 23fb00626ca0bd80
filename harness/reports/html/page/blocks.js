// Block by block: what each gate saw, and when it was looked at.

// The estimate and interval of each look, at the block after which it was taken.
const lookBars = (looks) => ({
  id: "looks",
  afterDatasetsDraw(chart) {
    const {ctx, scales, chartArea} = chart;
    ctx.save();
    for (const look of looks) {
      const x = scales.x.getPixelForValue(look.blocks - 0.5);
      ctx.strokeStyle = colour("axis");
      ctx.setLineDash([2, 3]);
      ctx.beginPath();
      ctx.moveTo(x, chartArea.top);
      ctx.lineTo(x, chartArea.bottom);
      ctx.stroke();
      if (missing(look.lower)) continue;
      ctx.setLineDash([]);
      ctx.strokeStyle = colour("ink");
      ctx.lineWidth = 3;
      ctx.beginPath();
      ctx.moveTo(x, scales.y.getPixelForValue(look.lower * 100));
      ctx.lineTo(x, scales.y.getPixelForValue(look.upper * 100));
      ctx.stroke();
      ctx.lineWidth = 1;
      ctx.fillStyle = colour("ink");
      ctx.beginPath();
      ctx.arc(x, scales.y.getPixelForValue(look.estimate * 100), 4, 0, 2 * Math.PI);
      ctx.fill();
    }
    ctx.restore();
  },
});

function blockPoints(gate) {
  return gate.points.map(
    (point, i) =>
      ({...point, x: i, y: missing(point.log_ratio) ? null : 100 * Math.expm1(point.log_ratio)}));
}

// The blocks by what ran first, and the levels across.
function blockSets(gate, points) {
  const set = (label, sign, hue, wanted) => ({
    label,
    pointStyle: sign,
    pointRadius: 5,
    borderColor: colour(hue),
    backgroundColor: faded(colour(hue), 0.5),
    data: points.filter(wanted)
  });
  const ends = [-0.5, points.length - 0.5];
  const counts = (point) => !point.voided;
  return [
    set("baseline ran first", "circle", "arm-0", (one) => counts(one) && !one.candidate_first),
    set("candidate ran first", "rectRot", "arm-1", (one) => counts(one) && one.candidate_first),
    ...(points.every(counts) ? [] : [set("void", "crossRot", "dim", (one) => one.voided)]),
    levelLine("margin", 100 * gate.change.margin, ends, "ink", [6, 4]),
    levelLine("no change", 0, ends, "axis", []),
  ];
}

function blockChart(gate, points) {
  const bounds = gate.looks.flatMap((look) => [look.lower, look.upper])
                   .filter((x) => !missing(x))
                   .map((x) => 100 * x);
  const [least, most] =
    extremes([...points.map((point) => point.y), ...bounds, 0, 100 * gate.change.margin]);
  return {
    type: "scatter",
    data: {datasets: blockSets(gate, points)},
    options: {
      scales: {
        x: numericAxis("block", {
          min: -0.5,
          max: points.length - 0.4,  // the bar of the last look stands at the edge of a block
          ticks: {
            color: colour("dim"),
            precision: 0,
            callback: (value) => (Number.isInteger(value) ? points[value]?.block : null)
          }
        }),
        y: numericAxis("change, %", {suggestedMin: least, suggestedMax: most, grace: "5%"}),
      },
      plugins: {
        tooltip: {
          filter: ({raw}) => raw.block !== undefined,
          callbacks: {label: ({raw}) => `block ${raw.block}: ${fixed(raw.y, 2)} %`}
        }
      },
    },
    plugins: [lookBars(gate.looks)],
  };
}

function gateFigure(page, gate, index, parent) {
  const points = blockPoints(gate);
  if (points.every((point) => point.y === null)) return;
  const unit = page.commands ? "launches" : "windows";
  addFigure(parent, {
    name: `gate-${index + 1}`,
    title: gate.name,
    basis: `Change from baseline to candidate in each block, %; ${
             unit} of a block run one behind the other. ` +
      "Dotted: the looks that were taken; bars: estimate and interval then.",
    picture: chartPicture(
      `${gate.name}: change in each of ${points.length} blocks, looks after ` +
        (gate.looks.map((look) => look.units).join(", ") || "none"),
      260, () => blockChart(gate, points)),
    numbers: () => ({
      caption: "ln(time of the candidate / time of the baseline) of each block.",
      columns: [
        {head: "block"}, {head: "log ratio"}, {head: "first", left: true},
        {head: "void", left: true}
      ],
      rows: gate.points.map(
        (point) =>
          [point.block, point.log_ratio, point.candidate_first ? "candidate" : "baseline",
           point.voided ? "void" : ""])
    }),
  });
}

function timeSection(page, section) {
  timeFigure(page, section);
  const halves = element("div", {class: "halves"});
  page.gates.forEach((gate, i) => gateFigure(page, gate, i, halves));
  if (halves.childElementCount > 0)
    section.append(element("h3", {class: "group"}, "Block by block, and the looks"), halves);
}
