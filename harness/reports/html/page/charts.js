// Chart.js as this page uses it: no animation, no colour of its own, a gap where there is no
// number.

Chart.defaults.animation = false;
Chart.defaults.maintainAspectRatio = false;
Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
Chart.defaults.elements.line.tension = 0;
Chart.defaults.spanGaps = false;  // null is a gap

const numericAxis = (title, more) => ({
  type: "linear",
  title: {display: true, text: title, color: colour("dim")},
  ticks: {color: colour("dim"), maxRotation: 0},
  grid: {color: colour("grid"), borderColor: colour("axis")},
  ...more,
});

// Numbers 1 to `count` of what was run one behind the other.
const countAxis = (title, count) => numericAxis(title, {
  min: 0.5,
  max: count + 0.5,
  ticks: {
    color: colour("dim"),
    maxRotation: 0,
    callback: (value) => (Number.isInteger(value) ? value : null)
  },
});

// A line across a scatter chart at `y`.
const levelLine = (label, y, [from, to], hue, dash) => ({
  label,
  data: [{x: from, y}, {x: to, y}],
  showLine: true,
  pointRadius: 0,
  borderWidth: 2,
  borderDash: dash,
  borderColor: colour(hue),
  pointStyle: "line",
});

// Relative changes with their intervals as points of a chart, in %.
function changePoint(change, x) {
  const hundred = (value) => (missing(value) ? null : 100 * value);
  const [y, lower, upper] = [change.estimate, change.lower, change.upper].map(hundred);
  return {...change, x, y, range: lower === null ? null : [lower, y, upper]};
}

// The names of bars that lie.
const namesAxis = (names) => ({
  ticks: {color: colour("ink"), callback: (_, i) => shortName(names[i])},
  grid: {display: false},
});

// A canvas of `height` px that is drawn from config(), again whenever the colours change. `label`
// is what it shows, in words.
function chartPicture(label, height, config) {
  const canvas = element("canvas", {role: "img", "aria-label": label});
  const picture = element("div", {class: "plot"}, canvas);
  picture.style.height = height + "px";
  picture.show = () => {
    if (picture.chart) picture.chart.destroy();
    const made = config();
    made.options.plugins = {
      ...made.options.plugins,
      legend: {
        labels: {
          color: colour("ink"),
          usePointStyle: true,
          boxHeight: 8,
          filter: (item) => item.text !== ""
        },
        ...(made.options.plugins || {}).legend
      },
    };
    picture.chart = new Chart(canvas, made);
  };
  whenShown(picture);
  return picture;
}

// Chart.js must know the width, which an element has once it is in the page and not folded away.
let waiting = [];
function whenShown(picture) {
  waiting.push(picture);
}
function showIn(part) {
  const [now, later] = [[], []];
  for (const picture of waiting)
    (part.contains(picture) && !picture.closest("details:not([open])") ? now : later).push(picture);
  waiting = later;
  now.forEach((picture) => draw(picture.show));
}

// Bars that lie: one line a bar and room for the axis and the legend.
const barHeight = (bars) => 96 + 30 * Math.max(bars, 2);

// One bar for each name, in the colour of the arm.
function armBars(title, names, values, plugins) {
  return {
    type: "bar",
    data: {
      labels: names,
      datasets: [{data: values, backgroundColor: names.map(armColour), barThickness: 18}],
    },
    options: {
      indexAxis: "y",
      plugins: {legend: {display: false}},
      scales: {x: numericAxis(title, {beginAtZero: true}), y: namesAxis(names)},
    },
    plugins,
  };
}

function stackedBars(title, labels, datasets, more) {
  return {
    type: "bar",
    data: {labels, datasets},
    options: {
      indexAxis: "y",
      scales: {
        x: numericAxis(title, {stacked: true, beginAtZero: true}),
        y: {stacked: true, ...namesAxis(labels)},
      },
      ...more,
    },
  };
}

// Grey behind every second block, so that the order of the windows can be seen.
const blockBands = (bands) => ({
  id: "bands",
  beforeDatasetsDraw(chart) {
    const {ctx, chartArea, scales} = chart;
    ctx.save();
    ctx.fillStyle = colour("sunk");
    for (const [from, to] of bands) {
      const left = Math.max(scales.x.getPixelForValue(from), chartArea.left);
      const right = Math.min(scales.x.getPixelForValue(to), chartArea.right);
      ctx.fillRect(left, chartArea.top, right - left, chartArea.bottom - chartArea.top);
    }
    ctx.restore();
  },
});
