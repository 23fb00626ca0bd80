// Numbers as text. What was not measured is a dash, never a zero.

const NONE = "-";

const missing = (value) => value === null || value === undefined || !Number.isFinite(value);

function fixed(value, decimals) {
  return missing(value) ? NONE : value.toFixed(decimals).replace(/^-(0(\.0+)?)$/, "$1");
}

// As many digits as `largest` of a table or axis needs.
const decimalsFor = (largest) => (Math.abs(largest) >= 1000 ? 1 : Math.abs(largest) >= 10 ? 2 : 3);

const ms = (value) => (missing(value) ? NONE : fixed(value, decimalsFor(value)));

const percent = (fraction, decimals = 1) =>
  (missing(fraction) ? NONE : fixed(fraction * 100, decimals) + " %");

const signedPercent = (fraction, decimals = 2) =>
  (missing(fraction) ? NONE : (fraction > 0 ? "+" : "") + fixed(fraction * 100, decimals) + " %");

const count = (value) => (missing(value) ? NONE : value.toLocaleString("en-US"));

const gibibytes = (bytes) => (missing(bytes) ? null : bytes / 2 ** 30);

// Both ends of a name that is too long for an axis: settings of a sweep differ at their end.
function shortName(name) {
  const most = innerWidth < 600 ? 18 : 36;
  if (name.length <= most) return name;
  const head = Math.floor(most / 4);
  return name.slice(0, head) + "\u2026" + name.slice(name.length - (most - head - 1));
}

const clockName = (clock) => (clock === "gpu" ? "device clock" : "host clock");

// "shipped (device)": for an axis of ms.
const onClock = (arm, clock) => `${arm} (${clock === "gpu" ? "device" : "host"})`;

// Steps between grid lines: 1, 2 or 5 times a power of ten, five to ten over `width`.
function tickOf(width) {
  const power = 10 ** (Math.floor(Math.log10(width)) - 1);
  return [1, 2, 5, 10].map((factor) => factor * power).find((tick) => width / tick <= 10);
}
