"use strict";

// Every element of the page is made here; what the run named itself goes in as text, never as
// mark-up.

// element("p", {class: "dim", onclick: f}, "text", child): null children and attributes are left
// out.
function element(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svgElement(tag, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on"))
      made.addEventListener(name.slice(2), value);
    else
      made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// A section with its heading, filled by `build(section)`; nothing where that adds nothing.
function addSection(id, title, build) {
  const section = element(
    "section", {id, "aria-labelledby": id + "-title"}, element("h2", {id: id + "-title"}, title));
  build(section);
  if (section.childElementCount < 2) return null;
  document.getElementById("main").append(section);
  return {id, title};
}

// For screen readers, where the eye has a heading near by.
const unseen = (text) => element("span", {class: "unseen"}, text);

function sentences(list) {
  return element("ul", {class: "sentences"}, ...list.map((text) => element("li", null, text)));
}
