// One step of a trace: a row for each stream and thread, the idle gaps of each device above its
// streams. Bars of one event are of full height, merged ones of half.

// In the order of the data's kinds. Each stands beside its name in the key and in the line below
// the picture; none tells anything by colour alone.
const BAR_HUES = [
  "forward", "optimizer", "loss", "input_wait", "backward", "rest", "residual", "normalize",
  "decode"
];
const usText = (ns) => (ns >= 1e6 ? fixed(ns / 1e6, 3) + " ms" : fixed(ns / 1e3, 1) + " us");

// [kind, start, length, name, events, busy] with its words.
function barOf([kind, start, length, name, events = 1, busy = length], {kinds, names}) {
  return {
    kind,
    start,
    length,
    events,
    busy,
    kindName: kinds[kind],
    name: name === null ? null : names[name]
  };
}

const barText = (bar) =>
  (bar.events > 1 ? `${count(bar.events)} times ${bar.kindName}, merged: ${
                      usText(bar.busy)} busy within ${usText(bar.length)}`
                  : `${bar.kindName} ${bar.name ?? ""}: ${usText(bar.length)}`) +
  `, from ${fixed(bar.start / 1e6, 3)} ms`;

const gapText = (gap, {names}) =>
  `idle for ${usText(gap.length_ns)} from ${fixed(gap.start_ns / 1e6, 3)} ms: ${
    gap.cause ??
    "the trace is not trusted with a cause"}; between ${names[gap.before]} and ${names[gap.after]}`;

function threadName({name, launches, loads}) {
  const does = [launches ? "launches" : null, loads ? "loads" : null].filter((word) => word);
  return `${name}, ${does.join(" and ")} (host clock)`;
}

function gapTitle(step, gaps, longGap) {
  if (step.idle_ns === null) return "idle time is not given";
  return (gaps.length === 0 ? "no idle gap" : "idle gaps") +
    ` of ${usText(longGap)} or more (device clock)`;
}

// Rows of {title, items}: bars and gaps alike have start, length, hue, text.
function rowsOf(step, lanes, longGap) {
  const rows = [];
  let device = null;
  for (const lane of step.lanes) {
    if (lane.device !== null && lane.device !== device) {
      device = lane.device;
      const gaps =
        step.gaps.map((gap, i) => ({...gap, number: i + 1})).filter((gap) => gap.device === device);
      rows.push({
        title: `device ${device}, ${gapTitle(step, gaps, longGap)}`,
        items: gaps.map((gap) => ({
                          start: gap.start_ns,
                          length: gap.length_ns,
                          gap: true,
                          label: `${gap.number}: ${gap.cause ?? "idle"}`,
                          text: `gap ${gap.number}: ${gapText(gap, lanes)}`
                        }))
      });
    }
    rows.push({
      title: lane.device === null ? threadName(lane)
                                  : `device ${device}, stream ${lane.name} (device clock)`,
      items: lane.bars.map((raw) => {
        const bar = barOf(raw, lanes);
        return {...bar, hue: BAR_HUES[bar.kind], label: bar.name, text: barText(bar)};
      })
    });
  }
  return rows;
}

const laneKey = (lanes, used) => element(
  "ul", {class: "key small lane-key"},
  ...lanes.kinds.flatMap(
    (kind, i) =>
      (used.has(i) ? [element("li", null, element("span", {class: "swatch bar-" + i}), kind)]
                   : [])));

// What stands behind the picture, event by event.
function laneNumbers(step, lanes) {
  const rows = step.lanes.flatMap((lane) => lane.bars.map((raw) => {
    const bar = barOf(raw, lanes);
    return [
      lane.device === null ? lane.name : `device ${lane.device}, stream ${lane.name}`,
      lane.device === null ? "host" : "device", bar.kindName, bar.name, bar.start / 1e6,
      bar.length / 1e6, bar.busy / 1e6, bar.events
    ];
  }));
  const gaps = step.gaps.map(
    (gap) =>
      [`device ${gap.device}`, "device", "idle: " + (gap.cause ?? "no cause"),
       `${lanes.names[gap.before]} to ${lanes.names[gap.after]}`, gap.start_ns / 1e6,
       gap.length_ns / 1e6, 0, null]);
  return {
    caption: "ms from the begin of the step's picture; busy: without the time between merged " +
      "events; gaps are idle time.",
    columns: [
      {head: "lane", left: true}, {head: "clock", left: true}, {head: "kind", left: true},
      {head: "name", left: true}, {head: "start", decimals: 4}, {head: "length", decimals: 4},
      {head: "busy", decimals: 4}, {head: "events"}
    ],
    rows: [...gaps, ...rows],
  };
}

const stepName = (step) => step.step || "all of the trace";

const stepWords = (step) => stepName(step) +
  (step.idle_ns === null ? "" : `: ${usText(step.idle_ns)} idle`) +
  `, ${usText(step.length_ns)} drawn`;

function lanesNotes(lanes, step, longGap) {
  const merged = step.lanes.some((lane) => lane.bars.some((bar) => bar.length > 4));
  return [
    `Of a lane the ${
      lanes.longest} longest events are drawn one by one; shorter ones of one kind ` +
      `are merged, half as high, where less than 1/${lanes.nearness} of the picture lies between ` +
      "them" + (merged ? "." : "; here none had to be."),
    step.left_out_gaps > 0
      ? `${count(step.left_out_gaps)} shorter gaps of ${usText(longGap)} or more are not listed.`
      : null,
    step.left_out_lanes > 0 ? `${step.left_out_lanes} lanes with less work are left out.` : null,
    lanes.steps.length < lanes.all_steps
      ? `${lanes.steps.length} of ${
          count(lanes.all_steps)} steps are on this page: the most idle ` +
        "ones and one that is idle as the median."
      : null,
    "A step's idle time is that of the gaps that its own work ended; outlined: gaps of at least " +
      `${usText(longGap)}. Threads show their innermost range, operator or call, and nothing ` +
      "where the step's range alone is open.",
  ].filter((note) => note !== null);
}

// `place` tells the figures of several traces apart.
function lanesFigure({lanes, long_gap_ns: longGap}, title, place, parent) {
  if (lanes.steps.every((step) => step.lanes.length === 0)) return;
  const idle = (step) => step.idle_ns ?? 0;
  let step = lanes.steps.reduce((most, one) => (idle(one) > idle(most) ? one : most));
  const {frame, set, buttons, picture, state} = lanePicture(title + ":");
  const gaps = element("ol", {class: "sentences small"});
  const notes = element("div");
  const key = element("div");
  const choose = (chosen) => {
    step = chosen;
    const used = new Set(step.lanes.flatMap((lane) => lane.bars.map(([kind]) => kind)));
    set(rowsOf(step, lanes, longGap), Math.max(step.length_ns, 1), stepWords(step) + ".");
    key.replaceChildren(laneKey(lanes, used));
    gaps.replaceChildren(...step.gaps.map((gap) => element("li", null, gapText(gap, lanes))));
    notes.replaceChildren(
      ...lanesNotes(lanes, step, longGap).map((text) => element("p", {class: "dim small"}, text)));
  };
  choose(step);
  const steps = chooser("Step", lanes.steps.map((one, i) => [i, stepWords(one)]), (chosen) => {
    choose(lanes.steps[Number(chosen)]);
    frame.show();
    forgetNumbers();
  });
  steps.querySelector("select").value = String(lanes.steps.indexOf(step));
  // The table is made again when it is next opened.
  const forgetNumbers = () => {
    const details = frame.closest("figure").querySelector(".controls > details");
    details.open = false;
    details.querySelector(".table")?.remove();
  };
  addFigure(parent, {
    name: `lanes-${place}`,
    title,
    basis: "ms from the begin of the picture; streams: device clock; threads: host clock, as the " +
      "profiler aligned both.",
    controls: element("div", {class: "controls"}, steps, ...buttons),
    picture: element("div", null, key, picture, gaps, notes),
    numbers: () => laneNumbers(step, lanes),
  });
  frame.lanes = () => state.rows;
  frame.view = () => state.view;
}
