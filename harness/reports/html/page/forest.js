// Every gate's interval against its margin, all on one axis: the change of the time per step.

function forestScale(gates) {
  const values = [0];
  for (const {change, minimum_detectable: seen} of gates) {
    const known = [change.margin, change.estimate, change.lower, change.upper, seen];
    values.push(...known.filter((x) => !missing(x)), missing(seen) ? 0 : -seen);
  }
  const [from, to] = [Math.min(...values), Math.max(...values)];
  const edge = 0.05 * Math.max(to - from, 1e-6);
  return {from: from - edge, to: to + edge};
}

const placeOn = (scale, value) =>
  Math.min(Math.max((100 * (value - scale.from)) / (scale.to - scale.from), 0), 100) + "%";

function ticksOf(scale) {
  const tick = tickOf(scale.to - scale.from);
  const ticks = [];
  for (let n = Math.ceil(scale.from / tick); n * tick <= scale.to; ++n) ticks.push(n * tick);
  // On a telephone ten labels do not fit.
  const decimals = Math.max(0, -Math.floor(Math.log10(tick * 100) + 1e-9));
  return ticks.map(
    (value) => ({value, text: (value > 1e-12 ? "+" : "") + fixed(value * 100, decimals) + " %"}));
}

function vertical(scale, value, style) {
  return svgElement(
    "line",
    {class: style, x1: placeOn(scale, value), x2: placeOn(scale, value), y1: 0, y2: "100%"});
}

function forestRow(gate, scale) {
  const {change} = gate;
  const across = (from, to, style, y) => svgElement(
    "line", {class: style, x1: placeOn(scale, from), x2: placeOn(scale, to), y1: y, y2: y});
  const row = svgElement("svg", {
    class: "forest",
    role: "img",
    "aria-label": `${gate.name}: change of the time ${signedPercent(change.estimate)}, interval ` +
      `${signedPercent(change.lower)} to ${signedPercent(change.upper)}, margin ${
                    signedPercent(change.margin)}`
  });
  row.append(
    ...ticksOf(scale).map(({value}) => vertical(scale, value, "grid")), vertical(scale, 0, "zero"));
  row.append(vertical(scale, change.margin, "margin"));
  if (!missing(gate.minimum_detectable)) {
    row.append(across(-gate.minimum_detectable, gate.minimum_detectable, "seen", 36));
  }
  if (!missing(change.lower))
    row.append(across(change.lower, change.upper, "interval " + gate.outcome, 20));
  if (!missing(change.estimate)) {
    row.append(
      svgElement("circle", {class: "estimate", cx: placeOn(scale, change.estimate), cy: 20, r: 6}));
  }
  return row;
}

function forestAxis(scale) {
  const axis = svgElement("svg", {class: "forest axis", "aria-hidden": "true"});
  const ticks = ticksOf(scale);
  const narrow = innerWidth < 600 ? 2 : 1;
  ticks.forEach(({value, text}, i) => {
    if (i % narrow === 0) {
      axis.append(
        svgElement("text", {x: placeOn(scale, value), y: 18, "text-anchor": "middle"}, text));
    }
  });
  return axis;
}

function forestList(page) {
  const scale = forestScale(page.gates);
  const items = page.gates.map(
    (gate) => element(
      "li", {class: "gate"},
      element(
        "div", {class: "gate-line"}, element("span", {class: "word " + gate.outcome}, gate.word),
        element("span", {class: "gate-name"}, gate.name),
        element(
          "span", null,
          [gate.said.estimate, gate.said.interval].filter((text) => text !== NONE).join(" ")),
        element("span", null, gate.said.margin), element("span", {class: "dim"}, gate.said.scope),
        missing(gate.minimum_detectable)
          ? null
          : element(
              "span", {class: "dim"}, `could have seen ${percent(gate.minimum_detectable, 2)}`)),
      gate.sentences.length === 0 ? null : sentences(gate.sentences), forestRow(gate, scale)));
  return [element("ul", {class: "gates"}, ...items), forestAxis(scale)];
}
