// Two sets of runs: each pair, and the phases of both sides.

function pairsFigure(page, parent) {
  const points = page.pairs.map(
    (pair, i) => (
      {...pair, x: i + 1, y: missing(pair.log_ratio) ? null : 100 * Math.expm1(pair.log_ratio)}));
  if (points.every((point) => point.y === null)) return;
  const {estimate, lower, upper, margin} = page.gates[0].change;
  const ends = [0.5, points.length + 0.5];
  const level = (label, value, dash, hue) => levelLine(label, 100 * value, ends, hue, dash);
  const band = [lower, upper].filter((bound) => !missing(bound))
                 .map((bound, i) => ({
                        ...level(i === 0 ? "interval that decides" : "", bound, [], "arm-0"),
                        borderWidth: 1,
                        fill: i === 0 ? false : "-1",
                        backgroundColor: faded(colour("arm-0"), 0.15),
                      }));
  addFigure(parent, {
    name: "pairs",
    title: "Pair by pair",
    basis: `Change of ${page.figure} from baseline to candidate in each pair of runs, %; ` +
      "the i-th baseline with the i-th candidate.",
    picture: chartPicture(
      `Change in each of ${points.length} pairs; mean ${signedPercent(estimate)}, margin ${
        signedPercent(margin)}.`,
      280,
      () => ({
        type: "scatter",
        data: {
          datasets: [
            {
              label: "pair of runs",
              data: points,
              pointRadius: 5,
              borderColor: colour("arm-0"),
              backgroundColor: colour("arm-0"),
            },
            ...band,
            level("margin", margin, [6, 4], "ink"),
            level("no change", 0, [], "axis"),
          ],
        },
        options: {
          scales: {
            x: countAxis("pair of runs, in launch order", points.length),
            y: numericAxis("change, %", {grace: "5%"}),
          },
          plugins: {
            tooltip: {
              filter: ({raw}) => raw.baseline !== undefined,
              callbacks: {
                label: ({raw}) => `${raw.candidate} against ${raw.baseline}: ${fixed(raw.y, 2)} %`
              },
            },
          },
        },
      })),
    numbers: () => ({
      caption: `${page.figure}, ms: max over ranks, which is judged, and mean over ranks.`,
      columns: [
        {head: "baseline", left: true}, {head: "candidate", left: true}, {head: "baseline, ms"},
        {head: "candidate, ms"}, {head: "log ratio"}, {head: "baseline, mean of ranks"},
        {head: "candidate, mean of ranks"}
      ],
      rows: page.pairs.map(
        (pair) =>
          [pair.baseline, pair.candidate, pair.baseline_ms, pair.candidate_ms, pair.log_ratio,
           pair.baseline_mean_ms, pair.candidate_mean_ms]),
    }),
  });
}

function phaseChangeFigure(page, parent) {
  if (page.phases.length === 0) return;
  const names = page.phases.map(({phase}) => phase);
  const bars = (label, key, shade) => ({
    label,
    data: page.phases.map((phase) => phase[key]),
    backgroundColor: colour(shade),
    barThickness: 9,
  });
  const clock = clockName(page.phase_clock);
  addFigure(parent, {
    name: "phases",
    title: "Phases of both sides",
    basis: `ms per step, ${clock}, mean over ranks and runs.`,
    picture: chartPicture(
      "Phases: " +
        page.phases
          .map(
            (one) => `${one.phase} ${ms(one.baseline_ms)} ms in the baseline, ${
              ms(one.candidate_ms)} ms in the candidate`)
          .join("; "),
      barHeight(names.length), () => ({
                                 type: "bar",
                                 data: {
                                   labels: names,
                                   datasets: [
                                     bars("baseline", "baseline_ms", "rest"),
                                     bars("candidate", "candidate_ms", "arm-0")
                                   ],
                                 },
                                 options: {
                                   indexAxis: "y",
                                   scales: {
                                     x: numericAxis("ms per step", {beginAtZero: true}),
                                     y: namesAxis(names)
                                   },
                                 },
                               })),
    numbers: () => ({
      caption: `ms per step, ${clock}, mean over ranks and runs.`,
      columns: [
        {head: "phase", left: true}, {head: "baseline"}, {head: "candidate"},
        {head: "difference", decimals: 4}
      ],
      rows: page.phases.map(
        (one) => [one.phase, one.baseline_ms, one.candidate_ms, one.candidate_ms - one.baseline_ms])
    }),
  });
}

const compareSections = (page) => [
  addSection("verdict", "Verdict", (section) => gatesSection(page, section)),
  addSection("facts", "What was compared", (section) => section.append(factList(page.facts))),
  addSection(
    "figures", "Pairs and phases",
    (section) => {
      const halves = element("div", {class: "halves"});
      pairsFigure(page, halves);
      phaseChangeFigure(page, halves);
      if (halves.childElementCount > 0) section.append(halves);
    }),
  addSection(
    "notes", "Notes",
    (section) => {
      if (page.notes.length > 0) section.append(sentences(page.notes));
    }),
];
