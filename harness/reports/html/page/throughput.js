// What each arm delivers and where its step goes.

// A line at each bar: the throughput of the arm's matched reference.
const referenceLines = (references) => ({
  id: "references",
  afterDatasetsDraw(chart) {
    const {ctx, scales} = chart;
    ctx.save();
    ctx.strokeStyle = colour("ink");
    ctx.lineWidth = 2;
    ctx.setLineDash([5, 3]);
    references.forEach((value, i) => {
      if (missing(value)) return;
      const bar = chart.getDatasetMeta(0).data[i];
      const x = scales.x.getPixelForValue(value);
      ctx.beginPath();
      ctx.moveTo(x, bar.y - bar.height / 2 - 4);
      ctx.lineTo(x, bar.y + bar.height / 2 + 4);
      ctx.stroke();
    });
    ctx.restore();
  },
});

function throughputFigure(page, parent) {
  const arms = page.arms.filter((arm) => !missing(arm.images_per_s));
  if (arms.length === 0) return;
  const rate = Object.fromEntries(page.arms.map((arm) => [arm.name, arm.images_per_s]));
  const references = arms.map((arm) => (arm.reference === null ? null : rate[arm.reference]));
  addFigure(parent, {
    name: "throughput",
    title: "Throughput",
    basis:
      "images/s over all ranks, by the wall time per step: host clock, max over ranks, mean of " +
      "windows. Dashed: the matched input-free reference.",
    picture: chartPicture(
      "Throughput of each arm: " +
        arms.map((arm) => `${arm.name} ${fixed(arm.images_per_s, 1)} images/s`).join(", "),
      barHeight(arms.length),
      () => armBars(
        "images/s", arms.map((arm) => arm.name), arms.map((arm) => arm.images_per_s),
        [referenceLines(references)])),
    numbers: () => ({
      caption: "Throughput by wall time per step, host clock, max over ranks, mean of windows.",
      columns: [
        {head: "arm", left: true}, {head: "images/s"}, {head: "wall per step, ms"},
        {head: "reference", left: true}, {head: "fraction of reference"}
      ],
      rows: arms.map(
        (arm) =>
          [arm.name, arm.images_per_s, arm.step_wall_ms, arm.reference, arm.fraction_of_reference])
    }),
  });
}

// The arm's own clock first, then the other where it has times.
function clocksOf(arm) {
  const own = arm.clock;
  return [own, own === "gpu" ? "cpu" : "gpu"].filter((clock) => !missing(arm[`step_${clock}_ms`]));
}

function waitFigure(page, parent) {
  const bars =
    page.arms.filter((arm) => arm.clock !== null).flatMap((arm) => clocksOf(arm).map((clock) => {
      const step = arm[`step_${clock}_ms`];
      const wait = arm.phases.input_wait ? arm.phases.input_wait[clock + "_ms"] : null;
      return {arm, clock, step, wait, rest: missing(wait) ? null : step - wait};
    }));
  if (bars.length === 0) return;
  const labels = bars.map((bar) => onClock(bar.arm.name, bar.clock));
  const set = (label, key, shade) =>
    ({label, data: bars.map((bar) => bar[key]), backgroundColor: colour(shade), barThickness: 18});
  addFigure(parent, {
    name: "waiting",
    title: "Time per step: waiting for the batch, and the rest",
    basis:
      "ms, input_wait + traced, mean of ranks and steps; each arm on its own clock first and on " +
      "the other below it. On the device clock the wait is how long the device stood idle for " +
      "want of a batch, on the host clock how long the training thread sat in next().",
    picture: chartPicture(
      "Time per step of each arm: " +
        bars.map((bar, i) => `${labels[i]}: ${ms(bar.wait)} ms waiting of ${ms(bar.step)} ms`)
          .join("; "),
      barHeight(bars.length),
      () => stackedBars(
        "ms per step", labels,
        [set("waiting for the batch", "wait", "input_wait"), set("rest", "rest", "rest")])),
    numbers: () => ({
      caption: "ms per step, mean of ranks and steps.",
      columns: [
        {head: "arm", left: true}, {head: "clock", left: true}, {head: "input_wait, ms"},
        {head: "rest, ms"}, {head: "step, ms"}
      ],
      rows: bars.map((bar) => [bar.arm.name, clockName(bar.clock), bar.wait, bar.rest, bar.step])
    }),
  });
}

const PHASES =
  ["input_wait", "decode", "h2d", "normalize", "forward", "loss", "backward", "optimizer"];

function phaseFigure(page, parent) {
  const arms = page.arms.filter((arm) => arm.clock !== null && Object.keys(arm.phases).length > 0);
  if (arms.length === 0) return;
  const time = (arm, phase) =>
    (phase === "residual"  ? arm.residual_ms
       : arm.phases[phase] ? arm.phases[phase][arm.clock + "_ms"]
                           : null);
  const share = (arm, phase) => {
    const step = arm[`step_${arm.clock}_ms`];
    return missing(time(arm, phase)) || missing(step) ? null : time(arm, phase) / step;
  };
  const seen =
    [...PHASES, "residual"].filter((phase) => arms.some((arm) => !missing(time(arm, phase))));
  const labels = arms.map((arm) => onClock(arm.name, arm.clock));
  const bars = (phase) => ({
    label: phase,
    backgroundColor: colour(phase),
    data: arms.map((arm) => time(arm, phase)),
    barThickness: 22,
  });
  const label = ({datasetIndex, dataIndex, raw}) =>
    `${seen[datasetIndex]}: ${ms(raw)} ms, ${percent(share(arms[dataIndex], seen[datasetIndex]))}`;
  const tooltip = {callbacks: {label}};
  addFigure(parent, {
    name: "phases",
    title: "Phases of a step",
    basis:
      "ms, mean of ranks and steps, each arm on its one clock; in the bars: shares of the step " +
      "on that clock.",
    picture: chartPicture(
      "Phases of each arm: " +
        arms
          .map(
            (arm, i) => labels[i] + ": " +
              seen.map((phase) => `${phase} ${percent(share(arm, phase))}`).join(", "))
          .join("; "),
      barHeight(arms.length) + 24,
      () => ({
        ...stackedBars("ms per step", labels, seen.map(bars), {plugins: {tooltip}}),
        plugins: [writtenShares((arm, i) => share(arms[arm], seen[i]))],
      })),
    numbers: () => ({
      caption: "Phases, each arm on its one clock.",
      columns: [
        {head: "phase", left: true},
        ...arms.flatMap((arm, i) => [{head: labels[i] + ", ms"}, {head: "share"}])
      ],
      rows: seen.map(
        (phase) => [phase, ...arms.flatMap((arm) => [time(arm, phase), share(arm, phase)])])
    }),
  });
}

// The share of each part, written into it where it is wide enough.
const writtenShares = (share) => ({
  id: "shares",
  afterDatasetsDraw(chart) {
    const {ctx} = chart;
    ctx.save();
    ctx.font = "12px " + Chart.defaults.font.family;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    chart.data.datasets.forEach((dataset, i) => {
      if (!chart.isDatasetVisible(i)) return;
      ctx.fillStyle = inkOn(dataset.backgroundColor);
      chart.getDatasetMeta(i).data.forEach((bar, arm) => {
        const text = percent(share(arm, i), 0);
        if (text === NONE || ctx.measureText(text).width + 8 > bar.x - bar.base) return;
        ctx.fillText(text, (bar.x + bar.base) / 2, bar.y + 1);
      });
    });
    ctx.restore();
  },
});

function launchFigure(page, parent) {
  if (page.commands === null) return;
  const {arms, unit} = page.commands;
  addFigure(parent, {
    name: "launches",
    title: "Numbers of the launches",
    basis: `${unit}; bar: mean of the launches of valid blocks.`,
    picture: chartPicture(
      "Mean number of each arm: " +
        arms.map((arm) => `${arm.name} ${arm.mean ?? NONE} ${unit}`).join(", "),
      barHeight(arms.length),
      () => armBars(unit, arms.map((arm) => arm.name), arms.map((arm) => arm.mean), [])),
    numbers: () => ({
      caption: `Numbers of launches, ${unit}.`,
      columns: [
        {head: "arm", left: true}, {head: "launches"}, {head: "mean"}, {head: "min"}, {head: "max"}
      ],
      rows: arms.map((arm) => [arm.name, arm.launches, arm.mean, arm.min, arm.max])
    }),
  });
}

function throughputSection(page, section) {
  const halves = element("div", {class: "halves"});
  throughputFigure(page, halves);
  waitFigure(page, halves);
  launchFigure(page, halves);
  if (halves.childElementCount > 0) section.append(halves);
  phaseFigure(page, section);
  for (const name of ["arms", "phases"]) {
    if (page.tables[name]) section.append(reportTable(page.tables[name], "table-" + name));
  }
}
