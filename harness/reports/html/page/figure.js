// A figure: what it shows and on which clock, the picture, and the numbers behind it.

// options: title, basis (clock, reduction, unit), picture (an element), controls, notes, name (of
// the CSV file), numbers() -> {caption, columns, rows}.
function addFigure(parent, options) {
  parent.append(element(
    "figure", {id: "figure-" + options.name},
    element(
      "figcaption", null, element("h3", null, options.title),
      element("p", {class: "dim small"}, options.basis)),
    options.controls, options.picture,
    ...(options.notes || []).map((text) => element("p", {class: "dim small"}, text)),
    numbersOf(options)));
}

// The table behind a picture, made when it is first opened, and its CSV file.
function numbersOf({title, name, numbers, shown = "Numbers"}) {
  const details = element("details", {
    ontoggle: () => {
      if (details.open && details.childElementCount === 1) details.append(makeTable(numbers()));
    },
  }, element("summary", null, shown, shown === "Numbers" ? unseen(": " + title) : null));
  return element("div", {class: "controls"}, details, csvButton(name, numbers));
}

function chooser(label, choices, onchange) {
  const select = element(
    "select", {onchange: () => onchange(select.value)},
    ...choices.map(([value, text]) => element("option", {value}, text)));
  return element("label", null, label, select);
}

function checkbox(label, checked, onchange) {
  const box = element("input", {type: "checkbox", checked, onchange: () => onchange(box.checked)});
  return element("label", null, box, label);
}
