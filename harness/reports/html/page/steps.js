// The run over time: the steps of each arm, in bins where they are many.

// Where each window begins, counted in timed steps of all arms, and the end of the last.
function windowOffsets(windows) {
  const offsets = [0];
  for (const window of windows) offsets.push(offsets.at(-1) + Math.max(window.steps, 1));
  return offsets;
}

function bandsOfBlocks(windows, offsets) {
  const bands = [];
  windows.forEach((window, i) => {
    if (window.block % 2 === 0) return;
    if (bands.length > 0 && bands.at(-1)[1] === offsets[i])
      bands.at(-1)[1] = offsets[i + 1];
    else
      bands.push([offsets[i], offsets[i + 1]]);
  });
  return bands;
}

// A bin of the data, by name: see page_steps_over_time.cpp.
const binOf = ([
  firstWindow, firstStep, lastWindow, lastStep, least, mean, most, waitLeast, waitMean, waitMost
]) => ({
  firstWindow,
  firstStep,
  lastWindow,
  lastStep,
  least,
  mean,
  most,
  waitLeast,
  waitMean,
  waitMost
});

// Points of one line over the bins of an arm. Between windows that do not touch the line is broken.
function lineOf(bins, offsets, value) {
  const points = [];
  let end = null;
  bins.forEach((bin, i) => {
    const from = offsets[bin.firstWindow] + bin.firstStep;
    const to = offsets[bin.lastWindow] + bin.lastStep + 1;
    if (end !== null && from !== end) points.push({x: (from + end) / 2, y: null});
    points.push({x: (from + to) / 2, y: value(bin, i)});
    end = to;
  });
  return points;
}

// Of one row of cells (a rank) or, with row null, of all ranks.
function stepDatasets(steps, offsets, row) {
  const bins = steps.bins.map(binOf);
  const cell = (cells, i) => cells[row * bins.length + i];
  const least = (bin, i) => (row === null ? bin.least : cell(steps.least ?? steps.most, i));
  const most = (bin, i) => (row === null ? bin.most : cell(steps.most, i));
  const hue = armColour(steps.arm);
  const line = {
    pointRadius: 0,
    pointHitRadius: 6,
    borderWidth: 1,
    showLine: true,
    borderColor: hue,
    backgroundColor: faded(hue, 0.25)
  };
  return [
    {...line, label: "", borderWidth: 0, data: lineOf(bins, offsets, least), fill: false},
    {...line, label: `${steps.arm}, least to most`, data: lineOf(bins, offsets, most), fill: "-1"},
    ...(row !== null ? [] : [{
      ...line,
      label: "",
      borderWidth: 1.5,
      data: lineOf(bins, offsets, (bin) => bin.mean),
      fill: false
    }]),
  ];
}

// Steps that the axis does not reach stand at its upper edge.
function markedDataset(steps, marked, offsets, label, sign, row, ceiling) {
  const rank = row === null ? null : new Set(ranksOfRow(steps, row));
  return {
    label,
    pointStyle: sign,
    pointRadius: 4,
    borderColor: armColour(steps.arm),
    backgroundColor: faded(armColour(steps.arm), 0.4),
    showLine: false,
    data:
      marked.steps.filter((step) => rank === null || rank.has(step[2]))
        .map(
          ([window, step, of, time]) => (
            {x: offsets[window] + step + 0.5, y: Math.min(time, ceiling), of, time, window, step})),
  };
}

const ranksOfRow = (steps, row) =>
  steps.ranks.slice(row * steps.ranks_per_row, (row + 1) * steps.ranks_per_row);

function rowName(steps, row) {
  const ranks = ranksOfRow(steps, row);
  return ranks.length === 1 ? `rank ${ranks[0]}` : `ranks ${ranks[0]} to ${ranks.at(-1)}`;
}

function wallDataset(page, offsets) {
  const data = [];
  page.windows.forEach((window, i) => {
    if (missing(window.wall_ms)) return;
    data.push(
      {x: offsets[i], y: window.wall_ms}, {x: offsets[i + 1], y: window.wall_ms},
      {x: offsets[i + 1], y: null});
  });
  return {
    label: "wall per step of a window (judged)",
    data,
    pointRadius: 0,
    pointHitRadius: 6,
    borderWidth: 2,
    showLine: true,
    borderDash: [4, 2],
    borderColor: colour("ink"),
    pointStyle: "line"
  };
}

function stepNumbers(page) {
  const rows = [];
  for (const steps of page.steps) {
    for (const bin of steps.bins.map(binOf)) {
      const [first, last] = [page.windows[bin.firstWindow], page.windows[bin.lastWindow]];
      rows.push([
        steps.arm, clockName(steps.clock), first.block, first.window, bin.firstStep, last.window,
        bin.lastStep, bin.least, bin.mean, bin.most, bin.waitMean, bin.waitMost
      ]);
    }
  }
  return {
    caption:
      "Timed steps in bins, over all ranks, ms; a wait is input_wait on the host clock. Steps " +
      "are counted from 0 in their window.",
    columns: [
      {head: "arm", left: true}, {head: "clock", left: true}, {head: "block"},
      {head: "first window"}, {head: "first step"}, {head: "last window"}, {head: "last step"},
      {head: "least"}, {head: "mean"}, {head: "most"}, {head: "mean wait"}, {head: "longest wait"}
    ],
    rows,
  };
}

function standOutNumbers(page) {
  const rows = page.steps.flatMap(
    (steps) => [["outside the fences", steps.outliers], ["wait over 5 ms", steps.long_waits]]
                 .flatMap(
                   ([what, marked]) => marked.steps.map(
                     ([window, step, rank, time]) =>
                       [what, steps.arm, page.windows[window].block, page.windows[window].window,
                        step, rank, time])));
  return {
    caption:
      "Steps that stand out, ms: step times outside the fences of 3 IQR of their arm, on its " +
      "clock; waits for a batch on the host clock.",
    columns: [
      {head: "what", left: true}, {head: "arm", left: true}, {head: "block"}, {head: "window"},
      {head: "step"}, {head: "rank"}, {head: "ms"}
    ],
    rows,
  };
}

// So that one stall does not press all other steps into a line, the axis ends above the fences.
function bulkCeiling(page) {
  const fences = page.steps.map((steps) => steps.fences[1]).filter((x) => !missing(x));
  const means =
    page.steps.flatMap((steps) => steps.bins.map((bin) => bin[5])).filter((x) => !missing(x));
  const walls = page.windows.map((window) => window.wall_ms).filter((x) => !missing(x));
  return extremes([...fences, ...means, ...walls])[1] * 1.02;
}

// state: row (of ranks; null: all), whole (the axis reaches up to the largest).
function stepsChart(page, state, ceiling) {
  const offsets = windowOffsets(page.windows);
  const top = state.whole ? Infinity : ceiling;
  const marked = (kind, words, sign) =>
    page.steps.filter((steps) => steps[kind].steps.length > 0)
      .map(
        (steps) => markedDataset(
          steps, steps[kind], offsets, `${steps.arm}, ${words}`, sign, state.row, top));
  const label = ({raw, dataset}) =>
    (raw.time === undefined ? `${dataset.label || "steps"}: ${ms(raw.y)} ms`
                            : `${dataset.label}: ${ms(raw.time)} ms, rank ${raw.of}, window ${
       page.windows[raw.window].window}, step ${raw.step}`);
  return {
    type: "scatter",
    data: {
      datasets: [
        ...page.steps.flatMap((steps) => stepDatasets(steps, offsets, state.row)),
        wallDataset(page, offsets), ...marked("outliers", "stands out", "crossRot"),
        ...marked("long_waits", "wait over 5 ms", "triangle")
      ]
    },
    options: {
      scales: {
        x: numericAxis(
          "timed steps in the order of the run; every second block is grey",
          {min: 0, max: offsets.at(-1)}),
        y: numericAxis("ms per step", {max: state.whole ? undefined : ceiling, grace: "5%"}),
      },
      plugins: {tooltip: {callbacks: {label}}},
    },
    plugins: [blockBands(bandsOfBlocks(page.windows, offsets))],
  };
}

// What changes `state` and draws again.
function stepsControls(page, state, show) {
  const [first] = page.steps;
  const rows = first.ranks.length / first.ranks_per_row;
  const choices = [["", "all, least to most"]];
  for (let row = 0; row < rows; ++row) choices.push([String(row), rowName(first, row)]);
  const ranks = chooser("Ranks", choices, (value) => {
    state.row = value === "" ? null : Number(value);
    show();
  });
  const axis = checkbox("axis up to the largest", state.whole, (checked) => {
    state.whole = checked;
    show();
  });
  return element("div", {class: "controls"}, rows > 1 ? ranks : null, axis);
}

function timeFigure(page, parent) {
  if (page.steps.length === 0) return;
  const ceiling = bulkCeiling(page);
  const [, most] = extremes(page.steps.flatMap(
    (steps) =>
      [...steps.bins.map((bin) => bin[6]), ...steps.long_waits.steps.map((step) => step[3])]));
  const state = {row: null, whole: most < 3 * ceiling};
  const names = page.steps.map((steps) => `${steps.arm} (${clockName(steps.clock)})`).join(", ");
  const picture = chartPicture(
    `Step times over the run of ${
      names}; blocks in turn, steps that stand out and waits over 5 ms marked. ` +
      "The numbers below hold them.",
    380, () => stepsChart(page, state, ceiling));
  const left =
    page.steps.reduce((sum, steps) => sum + steps.outliers.left_out + steps.long_waits.left_out, 0);
  addFigure(parent, {
    name: "steps",
    title: "Steps over the run",
    basis: `ms, input_wait + traced of ${
             names}; band: least to most over ranks and the steps of a bin, line: their mean. ` +
      "Dashed: the wall time per step of each window, host clock, max over ranks.",
    controls: stepsControls(page, state, () => picture.show()),
    picture,
    notes: left === 0
      ? []
      : [`${count(left)} more steps stand out; of each bin the furthest four are marked.`],
    numbers: () => stepNumbers(page),
  });
  if (page.steps.some((steps) => steps.outliers.steps.length + steps.long_waits.steps.length > 0)) {
    const numbers = () => standOutNumbers(page);
    parent.append(
      numbersOf({shown: "Steps that stand out", name: "steps-that-stand-out", numbers}));
  }
}
