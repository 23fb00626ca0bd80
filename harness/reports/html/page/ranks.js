// Rank beside rank: which is slower, in which phase, on which steps, and who is waited for.

function meanOf(values) {
  const known = values.filter((value) => !missing(value));
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function phaseHeat(arm, parent, index) {
  const {ranks} = arm;
  const columns = [
    ...Object.keys(ranks.phases).filter((phase) => ranks.phases[phase].some((x) => !missing(x))),
    "step"
  ];
  const times = columns.map((name) => (name === "step" ? ranks.step_ms : ranks.phases[name]));
  const means = times.map(meanOf);
  const value = (row, column) =>
    (missing(times[column][row]) ? null : times[column][row] - means[column]);
  const furthest = Math.max(
    1e-9,
    ...times.map(
      (column, c) =>
        column.reduce((most, x) => Math.max(most, missing(x) ? 0 : Math.abs(x - means[c])), 0)));
  const clock = clockName(arm.clock);
  addFigure(parent, {
    name: `ranks-phases-${index + 1}`,
    title: `${arm.name}: ranks and phases`,
    basis: `Difference of each rank from the mean of the ranks, ms, mean of steps, ${
      clock}; orange is slower.`,
    picture: heatPicture({
      rows: ranks.rank.length,
      columns: columns.length,
      value,
      from: -furthest,
      to: furthest,
      stops: DIVERGENCE,
      rowNames: ranks.rank.map((rank) => `rank ${rank}`),
      columnNames: columns,
      fromText: `-${ms(furthest)} ms`,
      toText: `+${ms(furthest)} ms`,
      label: `${arm.name}: difference of ${ranks.rank.length} ranks from their mean in ${
        columns.join(", ")}.`,
      describe: (row, column) =>
        `rank ${ranks.rank[row]}${ranks.node[row] === null ? "" : " on " + ranks.node[row]}, ` +
        `${columns[column]}: ${ms(times[column][row])} ms, ${
          missing(value(row, column)) ? NONE
                                      : (value(row, column) > 0 ? "+" : "") +
              ms(value(row, column))} ms from the mean (${clock})`,
    }),
    notes: ranks.left_out === 0
      ? []
      : [`${count(ranks.left_out)} ranks are left out: those that were seldom last and quick.`],
    numbers: () => ({
      caption: `ms, mean of steps, ${clock}; wall: host clock, mean of windows; last: steps on ` +
        "which the rank came last to the all-reduce.",
      columns: [
        {head: "rank"}, {head: "node", left: true}, {head: "wall per step"},
        ...columns.map((head) => ({head})), {head: "last"}, {head: "of"}
      ],
      rows: ranks.rank.map(
        (rank, row) =>
          [rank, ranks.node[row], ranks.wall_ms[row], ...times.map((column) => column[row]),
           ranks.last[row], ranks.of[row]])
    }),
  });
}

function stepHeat(page, steps, parent, index) {
  const columns = steps.bins.length;
  const rows = Math.ceil(steps.ranks.length / steps.ranks_per_row);
  const bins = steps.bins.map(binOf);
  // Between the fences, so that one stall does not make all other steps one colour.
  const [least, most] = extremes(steps.most);
  const from = Math.max(least, missing(steps.fences[0]) ? least : steps.fences[0]);
  const to = Math.min(most, missing(steps.fences[1]) ? most : steps.fences[1]);
  const clock = clockName(steps.clock);
  addFigure(parent, {
    name: `ranks-steps-${index + 1}`,
    title: `${steps.arm}: ranks and steps`,
    basis: `The longest step of each rank in each bin, ms, ${
      clock}, in the order of the run; colours end at the fences of 3 IQR.`,
    picture: heatPicture({
      rows,
      columns,
      value: (row, column) => steps.most[row * columns + column],
      from,
      to,
      stops: SEQUENCE,
      rowNames: Array.from({length: rows}, (_, row) => `rank ${ranksOfRow(steps, row)[0]}`),
      columnNames: null,
      fromText: `${ms(from)} ms`,
      toText: `${ms(to)} ms${to < most ? " and more" : ""}`,
      label: `${steps.arm}: longest step of ${steps.ranks.length} ranks over the run, ${clock}.`,
      describe: (row, column) => {
        const bin = bins[column];
        const [first, last] = [page.windows[bin.firstWindow], page.windows[bin.lastWindow]];
        return `${rowName(steps, row)}, block ${first.block}, window ${first.window} step ${
                 bin.firstStep}` +
          (bin.firstStep === bin.lastStep && first === last
             ? ""
             : ` to window ${last.window} step ${bin.lastStep}`) +
          `: ${ms(steps.most[row * columns + column])} ms`;
      },
    }),
    numbers: () => ({
      caption: `Least and longest step of each rank in each bin, ms, ${clock}.`,
      columns: [
        {head: "rank", left: true}, {head: "first window"}, {head: "first step"},
        {head: "last window"}, {head: "last step"}, {head: "least"}, {head: "most"}
      ],
      rows: steps.most.map((value, i) => {
        const bin = bins[i % columns];
        return [
          rowName(steps, Math.floor(i / columns)).replace(/^ranks? /, ""),
          page.windows[bin.firstWindow].window, bin.firstStep, page.windows[bin.lastWindow].window,
          bin.lastStep, (steps.least ?? steps.most)[i], value
        ];
      })
    }),
  });
}

function lastBars(arm, share) {
  const names = arm.ranks.rank;
  return {
    type: "bar",
    data: {
      labels: names,
      datasets: [
        {
          label: "last",
          data: share.map((x) => (x === null ? null : 100 * x)),
          backgroundColor: armColour(arm.name),
        },
        {
          label: "equal shares",
          type: "line",
          data: share.map(() => 100 / names.length),
          pointRadius: 0,
          borderWidth: 2,
          borderDash: [6, 4],
          borderColor: colour("ink"),
          pointStyle: "line",
        },
      ],
    },
    options: {
      scales: {
        x: {
          title: {display: true, text: "rank", color: colour("dim")},
          ticks: {color: colour("dim"), maxRotation: 0},
          grid: {display: false},
        },
        y: numericAxis("% of steps", {beginAtZero: true}),
      },
    },
  };
}

function lastFigure(arm, parent, index) {
  const {ranks} = arm;
  if (ranks.rank.length < 2 || ranks.of.every((of) => of === 0)) return;
  const share = ranks.last.map((last, i) => (ranks.of[i] === 0 ? null : last / ranks.of[i]));
  addFigure(parent, {
    name: `last-${index + 1}`,
    title: `${arm.name}: who came last to the all-reduce`,
    basis:
      "Share of the steps on which a rank waited least, so that the others waited for it; by " +
      "each rank's own clock. Line: equal shares.",
    picture: chartPicture(
      `${arm.name}: share of steps on which each rank came last; most often rank ` +
        `${ranks.rank[share.indexOf(Math.max(...share.map((x) => x ?? 0)))]}.`,
      220, () => lastBars(arm, share)),
    numbers: () => ({
      caption: "Steps on which a rank came last to the all-reduce.",
      columns:
        [{head: "rank"}, {head: "node", left: true}, {head: "last"}, {head: "of"}, {head: "share"}],
      rows: ranks.rank.map((rank, i) => [rank, ranks.node[i], ranks.last[i], ranks.of[i], share[i]])
    }),
  });
}

function exchangeFigure(arm, parent, index) {
  if (!arm.exchange) return;
  const {buckets, clock} = arm.exchange;
  if (buckets.every((bucket) => missing(bucket.wire_ms))) return;
  const labels = buckets.map((bucket) => `bucket ${bucket.bucket}, ${count(bucket.bytes)} B`);
  const set = (label, key, shade) => ({
    label,
    data: buckets.map((bucket) => bucket[key]),
    backgroundColor: colour(shade),
    barThickness: 18
  });
  addFigure(parent, {
    name: `exchange-${index + 1}`,
    title: `${arm.name}: gradient buckets`,
    basis: `ms a step, ${clockName(clock)}. queue: arrival to start, mean of ranks; wire: least ` +
      "over ranks; skew: what the rank that was in it for longest had beyond that.",
    picture: chartPicture(
      `${arm.name}: ` +
        buckets
          .map(
            (bucket, i) => `${labels[i]}: wire ${ms(bucket.wire_ms)} ms, skew ` +
              `${ms(bucket.skew_ms)} ms`)
          .join("; "),
      barHeight(buckets.length),
      () => stackedBars(
        "ms", labels,
        [
          set("queue", "queue_ms", "rest"), set("wire", "wire_ms", "arm-0"),
          set("skew", "skew_ms", "arm-1")
        ])),
    numbers: () => ({
      caption: `ms a step, ${clockName(clock)}.`,
      columns: [
        {head: "bucket"}, {head: "bytes"}, {head: "steps"}, {head: "queue"}, {head: "wire"},
        {head: "skew"}, {head: "exposed"}
      ],
      rows: buckets.map(
        (bucket) =>
          [bucket.bucket, bucket.bytes, bucket.steps, bucket.queue_ms, bucket.wire_ms,
           bucket.skew_ms, bucket.exposed_ms])
    }),
  });
}

function rankFigures(page, index) {
  const arm = page.arms[index];
  const halves = element("div", {class: "halves"});
  if (arm.ranks.rank.length > 1 && arm.clock !== null) phaseHeat(arm, halves, index);
  const steps = page.steps.findIndex((of) => of.arm === arm.name);
  if (arm.ranks.rank.length > 1 && steps >= 0) stepHeat(page, page.steps[steps], halves, index);
  lastFigure(arm, halves, index);
  exchangeFigure(arm, halves, index);
  return halves.childElementCount === 0 ? null : halves;
}

// A sweep has many arms: those behind the first three are drawn when they are asked for.
const ARMS_AT_ONCE = 3;

function ranksSection(page, section) {
  page.arms.forEach((arm, index) => {
    const figures = rankFigures(page, index);
    if (figures === null) return;
    if (index < ARMS_AT_ONCE) return section.append(figures);
    const details = element(
      "details", {ontoggle: () => showIn(details)},
      element("summary", null, "Ranks of " + arm.name), figures);
    section.append(details);
  });
  for (const name of ["ranks", "exchange"]) {
    if (page.tables[name]) section.append(reportTable(page.tables[name], "table-" + name));
  }
}
