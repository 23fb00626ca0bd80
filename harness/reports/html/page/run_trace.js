// The traces of a run in its own page: one section, in the order of the page of explain.

function runTraceSection(page, section) {
  const trace = page.trace;
  if (trace === null) return;
  if (trace.fault !== "") {
    section.append(element("p", null, trace.fault));
    return;
  }
  const group = (title, build) => {
    const part = element("div");
    build(part);
    if (part.childElementCount > 0)
      section.append(element("h3", {class: "group"}, title), part);
  };
  const each = (build) => (part) => eachTrace(trace, part, build);
  group("What it cost, and how far it is to be believed", (part) => trustSection(trace, part));
  group("Findings", (part) => findingsSection(trace, part));
  group(
    "One step",
    each(
      (full, one, place, part) => lanesFigure(
        full, trace.traces.length > 1 ? `One step of ${traceName(trace, one)}` : "One step", place,
        part)));
  group("Device time", (part) => {
    timesFigure(trace, part);
    causesFigure(trace, part);
  });
  group(
    "Kernels, copies, steps, phases",
    each(
      (full, one, place, part) =>
        tablesOf(full.tables, ["phase_checks", ...WORK_TABLES], place, part)));
}
