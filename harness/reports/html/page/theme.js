// Colours come from the style sheet, so that pictures and text change together.

const colour = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

const armNames = [];
// Arms have the same colour and sign in every figure. More than six share some.
const armColour = (name) => colour("arm-" + Math.max(armNames.indexOf(name), 0) % 6);
const armSign = (name) =>
  ["circle", "rect", "triangle", "rectRot", "star",
   "crossRot"][Math.max(armNames.indexOf(name), 0) % 6];

function faded(hex, share) {
  return hex + Math.round(share * 255).toString(16).padStart(2, "0");
}

// Black or white, whichever has more contrast with `hex` (relative luminance of WCAG 2.1).
function inkOn(hex) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}

// Each drawing is called again when the colours change.
const drawings = [];

function draw(drawing) {
  drawings.push(drawing);
  drawing();
}

function redraw() {
  drawings.forEach((drawing) => drawing());
}

function themeButton() {
  const order = ["auto", "light", "dark"];
  let now = 0;
  const button = element(
    "button", {
      type: "button",
      class: "theme",
      onclick: () => {
        now = (now + 1) % order.length;
        if (now === 0)
          delete document.documentElement.dataset.theme;
        else
          document.documentElement.dataset.theme = order[now];
        button.textContent = "Theme: " + order[now];
        redraw();
      },
    },
    "Theme: auto");
  return button;
}

// Paper is white: dark pages print light.
function followTheme() {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  let before;
  addEventListener("beforeprint", () => {
    before = document.documentElement.dataset.theme;
    document.documentElement.dataset.theme = "light";
    redraw();
  });
  addEventListener("afterprint", () => {
    if (before === undefined)
      delete document.documentElement.dataset.theme;
    else
      document.documentElement.dataset.theme = before;
    redraw();
  });
}
