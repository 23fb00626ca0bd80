// Tables that sort by any column and can be searched. A cell is null, a number or text; columns are
// {head, left, decimals}.

const ROWS_AT_ONCE = 100;

function cellText(cell, column) {
  if (cell === null || cell === undefined) return NONE;
  if (typeof cell !== "number") return String(cell);
  return column.decimals === undefined ? String(cell) : fixed(cell, column.decimals);
}

// A number where the text is one: "1,234", "+2.4 %". Otherwise null.
function numberIn(cell) {
  if (typeof cell === "number") return cell;
  const match = /^[+]?(-?[\d,]*\.?\d+)(\s|$)/.exec(String(cell ?? ""));
  return match ? Number(match[1].replaceAll(",", "")) : null;
}

// Nulls stay at the end in both directions.
function compareCells(a, b, direction) {
  const absent = (cell) => cell === null || cell === undefined || cell === NONE;
  if (absent(a) || absent(b)) return absent(a) - absent(b);
  const [x, y] = [numberIn(a), numberIn(b)];
  if (x !== null && y !== null) return direction * (x - y);
  return direction * String(a).localeCompare(String(b), "en");
}

function makeTable({caption, columns, rows}) {
  const state = {sorted: null, direction: 1, wanted: "", shown: ROWS_AT_ONCE};
  const body = element("tbody");
  const more = element("button", {
    type: "button",
    onclick: () => {
      state.shown += 10 * ROWS_AT_ONCE;
      fillBody();
    }
  });
  const heads = columns.map(
    (column, index) => element(
      "th", {scope: "col", class: column.left ? "left" : null},
      element(
        "button", {
          type: "button",
          onclick: () => {
            state.direction = state.sorted === index ? -state.direction : 1;
            state.sorted = index;
            heads.forEach((head) => head.removeAttribute("aria-sort"));
            heads[index].setAttribute(
              "aria-sort", state.direction > 0 ? "ascending" : "descending");
            fillBody();
          }
        },
        column.head.replaceAll("/", "/\u2060"))));  // "images/s" stays in one line

  function chosenRows() {
    const wanted = state.wanted.toLowerCase();
    const chosen = rows.filter(
      (row) => wanted === "" ||
        row.some((cell, i) => cellText(cell, columns[i]).toLowerCase().includes(wanted)));
    if (state.sorted === null) return chosen;
    return chosen.sort((a, b) => compareCells(a[state.sorted], b[state.sorted], state.direction));
  }

  function fillBody() {
    const chosen = chosenRows();
    body.replaceChildren(
      ...chosen.slice(0, state.shown)
        .map(
          (row) => element(
            "tr", null,
            ...row.map(
              (cell, i) => element(
                i === 0 ? "th" : "td",
                {scope: i === 0 ? "row" : null, class: columns[i].left ? "left" : null},
                cellText(cell, columns[i]))))));
    more.hidden = chosen.length <= state.shown;
    more.textContent = `Show more: ${count(chosen.length - state.shown)} rows are left`;
  }

  fillBody();
  const search =
    rows.length <= 12 ? null : element("label", {class: "search"}, "Rows with", element("input", {
                                         type: "search",
                                         oninput: (event) => {
                                           state.wanted = event.target.value;
                                           state.shown = ROWS_AT_ONCE;
                                           fillBody();
                                         }
                                       }));
  // The caption stands outside of what scrolls: it is read whole on a telephone.
  return element(
    "div", {class: "table"}, element("p", {class: "dim small"}, caption), search,
    element(
      "div", {class: "table-frame", tabindex: "0", role: "group", "aria-label": caption},
      element(
        "table", {"aria-label": caption}, element("thead", null, element("tr", null, ...heads)),
        body)),
    more);
}

// RFC 4180, with the numbers in full. Null is an empty field.
function csvOf({columns, rows}) {
  const field = (cell) => {
    const text = cell === null || cell === undefined ? "" : String(cell);
    return /[",\n]/.test(text) ? `"${text.replaceAll("\"", "\"\"")}"` : text;
  };
  const head = columns.map((column) => column.head.replaceAll("\n", " "));
  return [head, ...rows].map((row) => row.map(field).join(",") + "\n").join("");
}

function csvButton(name, numbers) {
  return element(
    "button", {
      type: "button",
      class: "csv small",
      "data-csv": name,
      onclick: () => {
        const url = URL.createObjectURL(new Blob([csvOf(numbers())], {type: "text/csv"}));
        element("a", {href: url, download: name + ".csv"}).click();
        setTimeout(() => URL.revokeObjectURL(url), 1000);
      }
    },
    "CSV", unseen(": " + name));
}

// A table of the other reports, whose cells are text already.
function reportTable(table, name) {
  const numbers = {
    caption: table.caption,
    columns: table.columns,
    rows: table.rows.map((row) => row.map((cell) => (cell === NONE ? null : cell))),
  };
  return element(
    "div", {class: "report-table"},
    element(
      "div", {class: "controls"}, element("h3", null, table.title), csvButton(name, () => numbers)),
    makeTable(numbers), ...table.remarks.map((text) => element("p", {class: "dim small"}, text)));
}
