// A table as colours. A value that is null has the colour of nothing, which the key names.

// Colours that grow evenly with any colour vision: stops of cividis (Nunez, Anderton and Renslow
// 2018).
const SEQUENCE = [[0, 32, 77], [60, 77, 110], [124, 123, 120], [187, 175, 113], [255, 234, 70]];
const DIVERGENCE = [[33, 102, 172], [146, 197, 222], [230, 230, 230], [253, 184, 99], [179, 88, 6]];

function mixed(stops, share) {
  const place = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const below = Math.min(Math.floor(place), stops.length - 2);
  return stops[below].map(
    (part, i) => Math.round(part + (place - below) * (stops[below + 1][i] - part)));
}

function rgbOf(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

// One pixel a cell; scaled up without smoothing.
function cellImage(map) {
  const image = document.createElement("canvas");
  [image.width, image.height] = [map.columns, map.rows];
  const context = image.getContext("2d");
  const pixels = context.createImageData(map.columns, map.rows);
  const nothing = rgbOf(colour("cell-null"));
  const shades = Array.from({length: 256}, (_, i) => mixed(map.stops, i / 255));
  const shadeOf = (value) => shades[Math.round(
    255 * Math.min(Math.max((value - map.from) / (map.to - map.from || 1), 0), 1))];
  for (let i = 0; i < map.rows * map.columns; ++i) {
    const value = map.value(Math.floor(i / map.columns), i % map.columns);
    pixels.data.set(missing(value) ? nothing : shadeOf(value), 4 * i);
    pixels.data[4 * i + 3] = 255;
  }
  context.putImageData(pixels, 0, 0);
  return image;
}

function colourKey(map) {
  const bar = element("canvas", {width: 120, height: 12, "aria-hidden": "true"});
  const context = bar.getContext("2d");
  for (let x = 0; x < 120; ++x) {
    context.fillStyle = `rgb(${mixed(map.stops, x / 119).join(",")})`;
    context.fillRect(x, 0, 1, 12);
  }
  return element(
    "div", {class: "key small dim"},
    element("span", null, map.fromText + " ", bar, " " + map.toText),
    element("span", null, "blank: no value"));
}

// map: rows, columns, value(row, column), from, to, stops, rowNames (as many as fit are written),
// columnNames (or null), describe(row, column), label, fromText, toText.
function heatPicture(map) {
  const LEFT = 16 + 7 * map.rowNames.reduce((most, name) => Math.max(most, name.length), 0);
  const TOP = 8;
  const BOTTOM = map.columnNames ? 22 : 8;
  const canvas = element("canvas", {
    role: "img",
    tabindex: "0",
    "aria-label": map.label + " Arrow keys move over the cells; the line below tells them."
  });
  const readout =
    element("output", {class: "readout small"}, "Point at a cell, or use the arrow keys.");
  const frame = element("div", {class: "heat plot"}, canvas);
  const size = {};
  const at = {row: 0, column: 0};

  frame.show = () => {
    const width = frame.clientWidth || 600;
    size.cell = Math.min(Math.max(Math.floor(560 / map.rows), 1), 24);
    size.height = Math.max(size.cell * map.rows, 24);
    size.width =
      Math.max(width - LEFT - 8, map.columns);  // else columns would be dropped: it scrolls
    const scale = devicePixelRatio || 1;
    canvas.style.width = LEFT + size.width + 8 + "px";
    canvas.style.height = TOP + size.height + BOTTOM + "px";
    [canvas.width, canvas.height] =
      [(LEFT + size.width + 8) * scale, (TOP + size.height + BOTTOM) * scale];
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    context.imageSmoothingEnabled = false;
    context.drawImage(cellImage(map), LEFT, TOP, size.width, size.height);
    context.fillStyle = colour("dim");
    context.font = "12px " + Chart.defaults.font.family;
    drawNames(context);
  };

  function drawNames(context) {
    context.textBaseline = "middle";
    context.textAlign = "right";
    const every = Math.ceil(16 / size.cell);
    map.rowNames.forEach((name, row) => {
      if (row % every !== 0) return;
      context.fillText(name, LEFT - 6, TOP + (row + 0.5) * size.height / map.rows);
    });
    context.textAlign = "center";
    const wide = size.width / map.columns;
    (map.columnNames || []).forEach((name, column) => {
      const fits = Math.max(Math.floor(wide / 7), 3);
      context.fillText(
        name.length > fits ? name.slice(0, fits - 1) + "." : name, LEFT + (column + 0.5) * wide,
        TOP + size.height + 12);
    });
  }

  function tell(row, column) {
    at.row = Math.min(Math.max(row, 0), map.rows - 1);
    at.column = Math.min(Math.max(column, 0), map.columns - 1);
    readout.textContent = map.describe(at.row, at.column);
  }

  canvas.addEventListener("mousemove", (event) => {
    const box = canvas.getBoundingClientRect();
    tell(
      Math.floor((event.clientY - box.top - TOP) / size.height * map.rows),
      Math.floor((event.clientX - box.left - LEFT) / size.width * map.columns));
  });
  canvas.addEventListener("keydown", (event) => {
    const moves = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    tell(at.row + move[0], at.column + move[1]);
  });
  whenShown(frame);
  return element("div", null, frame, readout, colourKey(map));
}

function extremes(values) {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    if (missing(value)) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return least > most ? [0, 0] : [least, most];
}
