// A trace of torch.profiler: how far it is to be believed, one step, the device's time, its idle
// time by cause, the work, the findings.

const TRUST_STATES = {
  number: "",
  range: "inconclusive",
  refused: "fail"
};
const TIME_PARTS = [
  ["compute", "compute_ns", "forward"],
  ["exposed communication", "exposed_communication_ns", "optimizer"],
  ["exposed copies", "exposed_copies_ns", "loss"], ["idle", "idle_ns", "rest"]
];
// So many causes have a colour; the rest is one part of the bar. The table has all.
const CAUSE_HUES = ["input_wait", "forward", "loss", "backward", "optimizer", "decode", "h2d"];
const MOST_BARS = 64;
const WORK_TABLES =
  ["kernels", "operators", "copies", "steps", "phases", "waiting", "silences", "memory"];

// Of one trace with the shares; of several how many have each cause.
function foundWords(page, full) {
  if (page.traces.length === 1) {
    const {found} = full[0];
    return found === "" ? full[0].full.nothing_found
                        : found + " (of the span; more under Findings)";
  }
  const counts = new Map();
  for (const {cause} of full.flatMap((trace) => trace.full.findings))
    counts.set(cause, (counts.get(cause) ?? 0) + 1);
  const words = [
    ...(page.ranks ? page.ranks.findings : []).map(({cause}) => `${cause} over all ranks`),
    ...[...counts]
      .sort((a, b) => b[1] - a[1])
      .map(([cause, traces]) => `${cause} in ${traces} of ${full.length} traces in full`)
  ];
  return words.length === 0 ? "nothing reaches its threshold."
                            : words.join(", ") + " (more under Findings)";
}

function fillTraceHead(page) {
  fillHead({name: page.name, verdict: {...page.verdict, state: TRUST_STATES[page.verdict.state]}});
  const full = page.traces.filter((trace) => trace.full !== null);
  document.getElementById("head").append(
    element("p", null, element("strong", null, "found: "), foundWords(page, full)));
}

const traceName = (page, trace) => trace.rank !== null ? `rank ${trace.rank}` : trace.file;

// `build(full, trace, place)` for each trace that is shown in full, folded but the first of many.
function eachTrace(page, section, build) {
  const full =
    page.traces.map((trace, i) => ({trace, place: i + 1})).filter(({trace}) => trace.full !== null);
  full.forEach(({trace, place}, i) => {
    const part = full.length === 1 ? element("div")
                                   : element(
                                       "details", {open: i === 0, ontoggle: () => showIn(part)},
                                       element("summary", null, traceName(page, trace)));
    build(trace.full, trace, place, part);
    if (part.childElementCount > (full.length === 1 ? 0 : 1)) section.append(part);
  });
}

function trustSection(page, section) {
  const left = page.traces.filter((trace) => trace.full === null).length;
  if (left > 0) {
    section.append(element(
      "p", null,
      `${left} of ${page.traces.length} traces have their row under Device time alone: those ` +
        "that are idle for the smaller share of their span."));
  }
  if (page.traces.length > 1) {
    section.append(numbersOf({
      title: "all traces",
      name: "traces",
      shown: "All traces",
      numbers: () => ({
        caption: "How far each trace is to be believed, and what was found in it, of the span.",
        columns: [
          {head: "rank"}, {head: "trace", left: true}, {head: "trust", left: true},
          {head: "found", left: true}
        ],
        rows: page.traces.map(
          (trace) => [trace.rank, trace.file, trace.trust_words, trace.found || null]),
      }),
    }));
  }
  eachTrace(page, section, (full, trace, place, part) => {
    part.append(factList(full.facts));
    if (full.remarks.length > 0) part.append(sentences(full.remarks));
  });
}

const devicesOf = (page) => page.traces.flatMap(
  (trace) =>
    trace.devices.map((device) => ({
                        ...device,
                        name: (page.traces.length > 1 ? traceName(page, trace) + ", " : "") +
                          `device ${device.device}`
                      })));

// The most idle ones where there are more than a picture holds.
function drawnOf(devices) {
  if (devices.length <= MOST_BARS) return devices;
  const share = (one) => (one.idle_ns ?? 0) / Math.max(one.span_ns, 1);
  return [...devices].sort((a, b) => share(b) - share(a)).slice(0, MOST_BARS);
}

const drawnNote = (devices) => devices.length <= MOST_BARS
  ? []
  : [`Drawn: the ${MOST_BARS} devices that are idle for the largest share of their span.`];

const inMs = (ns) => (missing(ns) ? null : ns / 1e6);

function timesFigure(page, parent) {
  const devices = devicesOf(page);
  if (devices.length === 0) return;
  const drawn = drawnOf(devices);
  const bar = ([label, key, hue]) => ({
    label,
    data: drawn.map((device) => inMs(device[key])),
    backgroundColor: colour(hue),
    barThickness: 18,
  });
  addFigure(parent, {
    name: "times",
    title: "Where each device's time went",
    basis: "ms, device clock, from the first selected work to the last; the four parts add up.",
    picture: chartPicture(
      "Device time: " +
        drawn
          .map(
            (device) => `${device.name} ` +
              TIME_PARTS.map(([label, key]) => `${label} ${ms(inMs(device[key]))} ms`).join(", "))
          .join("; "),
      barHeight(drawn.length),
      () => stackedBars("ms", drawn.map(({name}) => name), TIME_PARTS.map(bar))),
    notes: [
      ...drawnNote(devices),
      ...(
        devices.some((device) => device.idle_ns === null)
          ? ["No idle is given where too much of the trace was lost: that part is left out."]
          : [])
    ],
    numbers: () => ({
      caption: "ms, device clock; least and most: what was lost lets idle lie between them; " +
        "overlap: communication under compute, of all communication.",
      columns: [
        {head: "device", left: true}, {head: "span", decimals: 3}, {head: "busy", decimals: 3},
        ...TIME_PARTS.map(([head]) => ({head, decimals: 3})), {head: "idle, least", decimals: 3},
        {head: "idle, most", decimals: 3}, {head: "overlap", decimals: 3}
      ],
      rows: devices.map(
        (device) =>
          [device.name, inMs(device.span_ns), inMs(device.busy_ns),
           ...TIME_PARTS.map(([, key]) => inMs(device[key])), inMs(device.idle_least_ns),
           inMs(device.idle_most_ns), device.overlap]),
    }),
  });
}

// Causes by their time over all devices, most first.
function causeOrder(devices) {
  const totals = new Map();
  for (const device of devices) {
    for (const {cause, total_ns: total} of device.idle_by_cause) {
      totals.set(cause, (totals.get(cause) ?? 0) + total);
    }
  }
  return [...totals].filter(([, total]) => total > 0).sort((a, b) => b[1] - a[1]).map(([c]) => c);
}

function causesFigure(page, parent) {
  const devices = devicesOf(page).filter((device) => device.idle_by_cause !== null);
  const order = causeOrder(devices);
  if (order.length === 0) return;
  const drawn = drawnOf(devices);
  const of = (device, causes) => device.idle_by_cause.filter(({cause}) => causes.includes(cause))
                                   .reduce((sum, one) => sum + one.total_ns, 0);
  const parts =
    order.slice(0, CAUSE_HUES.length).map((cause, i) => [cause, [cause], CAUSE_HUES[i]]);
  const rest = order.slice(CAUSE_HUES.length);
  if (rest.length > 0) parts.push(["all other causes", rest, "residual"]);
  addFigure(parent, {
    name: "causes",
    title: "Idle by cause",
    basis:
      "ms, device clock; each gap is cut where its launch call began and ended (host clock); " +
      "the parts add up to idle.",
    picture: chartPicture(
      "Idle by cause: " +
        drawn
          .map(
            (device) => `${device.name} ` +
              parts.map(([label, causes]) => `${label} ${ms(of(device, causes) / 1e6)} ms`)
                .join(", "))
          .join("; "),
      barHeight(drawn.length),
      () => stackedBars(
        "ms", drawn.map(({name}) => name),
        parts.map(([label, causes, hue]) => ({
                    label,
                    data: drawn.map((device) => of(device, causes) / 1e6),
                    backgroundColor: colour(hue),
                    barThickness: 18
                  })))),
    notes: drawnNote(devices),
    numbers: () => ({
      caption: "ms, device clock; gaps that the cause had a part in.",
      columns: [
        {head: "device", left: true}, {head: "cause", left: true}, {head: "ms", decimals: 3},
        {head: "of idle, %", decimals: 2}, {head: "of the span, %", decimals: 2}, {head: "gaps"}
      ],
      rows: devices.flatMap((device) => order.flatMap((name) => {
        const {total_ns: total, gaps} =
          device.idle_by_cause.find(({cause}) => cause === name) ?? {total_ns: 0};
        return total === 0 ? [] : [[
          device.name, name, total / 1e6, 100 * total / device.idle_ns,
          100 * total / device.span_ns, gaps
        ]];
      })),
    }),
  });
}

function tablesOf(tables, names, place, part) {
  for (const name of names) {
    if (tables[name]) part.append(reportTable(tables[name], `table-${name}-${place}`));
  }
}

const findingList = (findings) => element(
  "ul", {class: "gates"},
  ...findings.map(
    (one) => element(
      "li", {class: "gate"},
      element(
        "div", {class: "gate-line"}, element("span", {class: "gate-name"}, one.cause),
        one.share_of_span > 0 ? element("span", null, percent(one.share_of_span) + " of the span")
                              : null),
      factList(
        [["seen", one.observation], ["may be", one.hypothesis], ["next check", one.next_check]]))));

function findingsSection(page, section) {
  if (page.ranks && page.ranks.findings.length > 0) {
    section.append(
      element("h3", {class: "group"}, "Over all ranks"), findingList(page.ranks.findings));
  }
  eachTrace(page, section, (full, trace, place, part) => {
    part.append(
      full.findings.length > 0 ? findingList(full.findings)
                               : element("p", null, "Findings: " + full.nothing_found));
    if (full.cannot_tell.length > 0) {
      part.append(element("h3", {class: "group"}, "This cannot tell"), sentences(full.cannot_tell));
    }
  });
}

const traceSections = (page) =>
  [addSection("trust", "Trust and selection", (section) => trustSection(page, section)),
   addSection(
     "step", "One step",
     (section) => eachTrace(
       page, section,
       (full, trace, place, part) => lanesFigure(
         full, page.traces.length > 1 ? `One step of ${traceName(page, trace)}` : "One step", place,
         part))),
   addSection(
     "time", "Device time",
     (section) => {
       timesFigure(page, section);
       causesFigure(page, section);
       eachTrace(
         page, section,
         (full, trace, place, part) =>
           tablesOf(full.tables, ["times", "idle_classes", "gap_events", "streams"], place, part));
     }),
   addSection(
     "ranks", "Ranks and collectives",
     (section) => {
       if (page.ranks === null) return;
       tablesOf(page.ranks.tables, ["ranks", "collectives"], "all", section);
       if (page.ranks.remarks.length > 0) section.append(sentences(page.ranks.remarks));
     }),
   addSection(
     "against", "Against the earlier trace",
     (section) => {
       if (page.against === null) return;
       section.append(element("p", null, "against " + page.against.file));
       tablesOf(page.against.tables, ["totals", "movers"], "all", section);
       if (page.against.remarks.length > 0) section.append(sentences(page.against.remarks));
     }),
   addSection(
     "work", "Kernels, operators, steps",
     (section) => eachTrace(
       page, section,
       (full, trace, place, part) => tablesOf(full.tables, WORK_TABLES, place, part))),
   addSection("findings", "Findings", (section) => findingsSection(page, section)),
];
