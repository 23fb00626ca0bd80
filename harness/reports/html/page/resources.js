// Window by window: batches ready, loss, memory and the devices. Each figure stands only where some
// window has its value.

function windowLines(page, arms, series, values, unit) {
  const mid = (value) => (Array.isArray(value) ? value[1] : value);
  const points = (arm, s) => page.windows.flatMap(
    (window, i) =>
      (window.arm === arm ? [{x: i, y: mid(values[s][i]), range: values[s][i]}] : []));
  const line = (arm, {label}, s) => ({
    label: series.length === 1 ? arm : `${arm}, ${label}`,
    pointStyle: armSign(arm),
    pointRadius: 4,
    showLine: true,
    borderWidth: 1,
    borderDash: s === 0 ? [] : [4, 3],
    borderColor: armColour(arm),
    backgroundColor: s === 0 ? armColour(arm) : faded(armColour(arm), 0.2),
    data: points(arm, s),
  });
  const [least, most] = extremes(values.flat(2));  // whiskers too
  const label = ({raw, dataset}) => `${dataset.label}: ${fixed(raw.y, 2)} ${unit}` +
    (Array.isArray(raw.range) ? ` (${raw.range[0]} to ${raw.range[2]})` : "");
  return {
    type: "scatter",
    data: {datasets: arms.flatMap((arm) => series.map((one, s) => line(arm, one, s)))},
    options: {
      scales: {
        x: numericAxis("windows in the order of the run", {
          min: -0.5,
          max: page.windows.length - 0.5,
          ticks: {
            color: colour("dim"),
            maxRotation: 0,
            callback: (value) => (Number.isInteger(value) ? page.windows[value]?.window : null)
          },
        }),
        y: numericAxis(unit, {grace: "5%", suggestedMin: least, suggestedMax: most}),
      },
      plugins: {tooltip: {callbacks: {label}}},
    },
    plugins: [whiskers],
  };
}

// One line an arm over the windows, with whiskers where the value is a range over ranks.
function windowFigure(page, parent, {name, title, basis, unit, series}) {
  const values = series.map(({read}) => page.windows.map((window) => read(window)));
  if (values.every((column) => column.every((value) => value === null))) return;
  const arms = [...new Set(page.windows.map((window) => window.arm))];
  addFigure(parent, {
    name,
    title,
    basis,
    picture: chartPicture(
      `${title} over ${page.windows.length} windows of ${
        arms.join(", ")}; the numbers below hold it.`,
      240, () => windowLines(page, arms, series, values, unit)),
    numbers: () => ({
      caption: basis,
      columns: [
        {head: "window"}, {head: "arm", left: true}, {head: "block"},
        ...series.flatMap(
          ({label, range}) =>
            (range ? ["least", "mean", "most"].map((end) => ({head: `${label}, ${end}`}))
                   : [{head: label}]))
      ],
      rows: page.windows.map(
        (window, i) =>
          [window.window, window.arm, window.block,
           ...series.flatMap(
             ({range}, s) => (range ? values[s][i] ?? [null, null, null] : [values[s][i]]))])
    }),
  });
}

const whiskers = {
  id: "whiskers",
  beforeDatasetsDraw(chart) {
    const {ctx, scales} = chart;
    const {left, top, width, height} = chart.chartArea;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    chart.data.datasets.forEach((dataset, i) => {
      if (!chart.isDatasetVisible(i)) return;
      ctx.strokeStyle = dataset.borderColor;
      for (const {x, range} of dataset.data) {
        if (!Array.isArray(range) || range[0] === range[2]) continue;
        ctx.beginPath();
        ctx.moveTo(scales.x.getPixelForValue(x), scales.y.getPixelForValue(range[0]));
        ctx.lineTo(scales.x.getPixelForValue(x), scales.y.getPixelForValue(range[2]));
        ctx.stroke();
      }
    });
    ctx.restore();
  },
};

const WINDOW_FIGURES = [
  {
    name: "queue",
    title: "Batches ready",
    unit: "batches",
    basis:
      "Queue of ready batches when a window began and when it ended, mean over ranks; whiskers: " +
      "least and most.",
    series: [
      {label: "at the start", read: (window) => window.queue_start, range: true},
      {label: "at the end", read: (window) => window.queue_end, range: true}
    ]
  },
  {
    name: "memory",
    title: "Memory of the device's allocator",
    unit: "GiB",
    basis: "Peaks by the end of each window's steps, largest over ranks, GiB.",
    series: [
      {label: "allocated", read: (window) => gibibytes(window.allocated_peak_bytes)},
      {label: "reserved", read: (window) => gibibytes(window.reserved_peak_bytes)}
    ]
  },
  {
    name: "clock",
    title: "Clock of the multiprocessors",
    unit: "MHz",
    basis: "Just before and just after each window, mean over ranks; whiskers: least and most.",
    series: [{label: "clock", read: (window) => window.sm_clock_mhz, range: true}]
  },
  {
    name: "power",
    title: "Power",
    unit: "W",
    basis: "Just before and just after each window, mean over ranks; whiskers: least and most.",
    series: [{label: "power", read: (window) => window.power_w, range: true}]
  },
  {
    name: "temperature",
    title: "Temperature",
    unit: "degrees C",
    basis: "Just before and just after each window, mean over ranks; whiskers: least and most.",
    series: [{label: "temperature", read: (window) => window.temperature_c, range: true}]
  },
  {
    name: "loss",
    title: "Loss",
    unit: "loss",
    basis:
      "Of the first and of the last step of each window, mean over ranks. Each window begins " +
      "with the same parameters.",
    series: [
      {label: "first", read: (window) => window.loss_first},
      {label: "last", read: (window) => window.loss_last}
    ]
  },
];

function resourcesSection(page, section) {
  const halves = element("div", {class: "halves"});
  WINDOW_FIGURES.forEach((figure) => windowFigure(page, halves, figure));
  if (halves.childElementCount > 0) section.append(halves);
  if (page.tables.devices) section.append(reportTable(page.tables.devices, "table-devices"));
}

function windowsSection(page, section) {
  if (page.windows.length === 0) return;
  const numbers = {
    caption:
      "Every window in the order of the run. Wall: ms per step, host clock, max over ranks; void " +
      "windows count for nothing.",
    columns: [
      {head: "window"}, {head: "arm", left: true}, {head: "block"}, {head: "place in the block"},
      {head: "steps"}, {head: "wall per step, ms", decimals: 4}, {head: "void", left: true}
    ],
    rows: page.windows.map(
      (window) =>
        [window.window, window.arm, window.block, window.order, window.steps, window.wall_ms,
         window.void_reason]),
  };
  section.append(element(
    "div", {class: "report-table"},
    element(
      "div", {class: "controls"}, element("h3", null, "Windows"),
      csvButton("windows", () => numbers)),
    makeTable(numbers)));
}
