// Rows of bars over time, on a canvas that can be looked at closer. A row is {title, items}; an
// item has start and length in ns, hue, label and text, or is a gap, which is outlined.

// px: a row with its title, a bar, what lies left of the first one.
const [ROW, BAR, LEFT_EDGE] = [44, 20, 2];

function paintItem(context, item, left, wide, top) {
  const merged = item.events > 1;
  const [y, high] = merged ? [top + BAR / 2, BAR / 2] : [top, BAR];
  const drawn = Math.max(wide, 0.75);
  if (item.gap) {
    context.strokeStyle = colour("fail");
    context.lineWidth = 2;
    context.strokeRect(left + 1, top + 1, Math.max(drawn - 2, 1), BAR - 2);
    context.lineWidth = 1;
  } else {
    context.fillStyle = colour(item.hue);
    context.fillRect(left, y, drawn, high);
    if (drawn > 4) {  // neighbours of one colour stay apart
      context.fillStyle = colour("ground");
      context.fillRect(left + drawn - 0.75, y, 0.75, high);
    }
  }
  if (wide < 40 || !item.label || merged) return;
  const fits = Math.floor((wide - 8) / 6.2);
  const words = item.label.length > fits ? item.label.slice(0, fits - 1) + "\u2026" : item.label;
  context.fillStyle = item.gap ? colour("ink") : inkOn(colour(item.hue));
  context.fillText(words, left + 4, top + BAR / 2 + 1);
}

function paintAxis(context, view, width, top) {
  const span = (view.to - view.from) / 1e6;
  const tick = tickOf(span * Math.max(1, 600 / width));
  const from = view.from / 1e6;
  context.fillStyle = colour("dim");
  context.strokeStyle = colour("grid");
  context.textAlign = "center";
  for (let at = Math.ceil(from / tick) * tick; at <= from + span; at += tick) {
    const x = LEFT_EDGE + (at - from) / span * width;
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, top);
    context.stroke();
    if (x < 16 || x > width - 24) continue;
    context.fillText(fixed(at, Math.max(0, -Math.floor(Math.log10(tick) + 1e-9))), x, top + 10);
  }
  context.textAlign = "left";
}

// The picture of rows() over [0, length()] ns, with buttons and keys to look closer.
function lanePicture(label) {
  const canvas = element("canvas", {role: "img", tabindex: "0"});
  const frame = element("div", {class: "plot"}, canvas);
  const readout = element("output", {class: "readout small"});
  const state = {rows: [], length: 1, view: {from: 0, to: 1}, row: 0, item: -1};

  const width = () => Math.max((frame.clientWidth || 600) - 2 * LEFT_EDGE, 100);
  const place = (ns) =>
    LEFT_EDGE + (ns - state.view.from) / (state.view.to - state.view.from) * width();

  frame.show = () => {
    const height = ROW * state.rows.length + 22;
    const scale = devicePixelRatio || 1;
    canvas.style.width = "100%";
    canvas.style.height = height + "px";
    [canvas.width, canvas.height] = [(width() + 2 * LEFT_EDGE) * scale, height * scale];
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    context.font = "11px " + Chart.defaults.font.family;
    context.textBaseline = "middle";
    paintAxis(context, state.view, width(), height - 22);
    state.rows.forEach(({title, items}, i) => {
      context.fillStyle = colour("dim");
      context.fillText(title, LEFT_EDGE, i * ROW + 11);
      for (const item of items) {
        const [left, right] = [place(item.start), place(item.start + item.length)].map(
          (x) => Math.min(Math.max(x, LEFT_EDGE), LEFT_EDGE + width()));
        if (item.start > state.view.to || item.start + item.length < state.view.from) continue;
        paintItem(context, item, left, right - left, i * ROW + 20);
      }
    });
    paintChosen(context);
  };

  function paintChosen(context) {
    const item = state.rows[state.row]?.items[state.item];
    if (!item) return;
    context.strokeStyle = colour("ink");
    context.lineWidth = 2;
    const left = place(item.start);
    context.strokeRect(
      left - 1, state.row * ROW + 19, Math.max(place(item.start + item.length) - left, 1) + 2,
      BAR + 2);
  }

  function tell(row, item) {
    state.row = Math.min(Math.max(row, 0), state.rows.length - 1);
    const {title, items} = state.rows[state.row] ?? {title: "", items: []};
    state.item = Math.min(Math.max(item, 0), items.length - 1);
    readout.textContent = title + ": " + (items[state.item]?.text ?? "none");
    frame.show();
  }

  function look(from, to) {
    const span = Math.min(Math.max(to - from, Math.min(1000, state.length)), state.length);
    const begin = Math.min(Math.max(from, 0), state.length - span);
    state.view = {from: begin, to: begin + span};
    frame.show();
  }
  const zoom = (factor) => {
    const {from, to} = state.view;
    const chosen = state.rows[state.row]?.items[state.item];
    const middle = chosen && factor < 1 ? chosen.start + chosen.length / 2 : (from + to) / 2;
    look(middle - (to - from) * factor / 2, middle + (to - from) * factor / 2);
  };
  const shift = (share) => {
    const {from, to} = state.view;
    look(from + (to - from) * share, to + (to - from) * share);
  };

  canvas.addEventListener("mousemove", (event) => {
    const box = canvas.getBoundingClientRect();
    const row = Math.floor((event.clientY - box.top) / ROW);
    const {from, to} = state.view;
    const at = from + (event.clientX - box.left - LEFT_EDGE) / width() * (to - from);
    const near = 2 / width() * (to - from);
    const items = state.rows[row]?.items ?? [];
    const hit = items.findLastIndex(
      (item) => item.start - near <= at && at <= item.start + item.length + near);
    if (hit >= 0 && (row !== state.row || hit !== state.item)) tell(row, hit);
  });
  canvas.addEventListener("keydown", (event) => {
    const moves = {
      ArrowUp: () => tell(state.row - 1, 0),
      ArrowDown: () => tell(state.row + 1, 0),
      ArrowLeft: () => tell(state.row, state.item - 1),
      ArrowRight: () => tell(state.row, state.item + 1),
      "+": () => zoom(0.5),
      "-": () => zoom(2)
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    moves[event.key]();
  });

  function set(rows, length, words) {
    Object.assign(state, {rows, length, view: {from: 0, to: length}, row: 0, item: -1});
    canvas.setAttribute("aria-label", `${label} ${words} Arrow keys move over the events.`);
    readout.textContent =
      "Point at an event, or use the arrow keys; + and - look closer and wider.";
  }

  const button = (text, act) => element("button", {type: "button", onclick: act}, text);
  const buttons = [
    button("Closer", () => zoom(0.5)), button("Wider", () => zoom(2)),
    button("Earlier", () => shift(-0.5)), button("Later", () => shift(0.5)),
    button("Whole step", () => look(0, state.length))
  ];
  whenShown(frame);
  return {frame, set, buttons, picture: element("div", null, frame, readout), state};
}
