// The input pipelines: what a sample costs, what the workers supply, and how full the queue is.

function stagesFigure(arms, parent) {
  const STAGES = [["read", "arm-0"], ["decode", "arm-1"], ["resize", "arm-2"]];
  const labels = arms.map((arm) => `${arm.name}, ${arm.input.workers} workers`);
  const bars = ([stage, shade]) => ({
    label: stage,
    data: arms.map((arm) => arm.input[stage + "_ms"]),
    backgroundColor: colour(shade),
    barThickness: 18,
  });
  addFigure(parent, {
    name: "stages",
    title: "What a sample costs",
    basis: "ms of a sample on its worker, host clock, mean of samples and ranks.",
    picture: chartPicture(
      "Cost of a sample: " +
        arms
          .map(
            (arm, i) => `${labels[i]}: read ${ms(arm.input.read_ms)}, decode ` +
              `${ms(arm.input.decode_ms)}, resize ${ms(arm.input.resize_ms)} ms`)
          .join("; "),
      barHeight(arms.length), () => stackedBars("ms of a sample", labels, STAGES.map(bars))),
    numbers: () => ({
      caption: "ms, mean of ranks; waits are of a batch, utilisation is the workers' busy share.",
      columns: [
        {head: "arm", left: true}, {head: "workers"}, {head: "read"}, {head: "decode"},
        {head: "resize"}, {head: "held back for a free batch"}, {head: "training thread waited"},
        {head: "utilisation"}
      ],
      rows: arms.map(({name, input}) => [
        name, input.workers, input.read_ms, input.decode_ms, input.resize_ms, input.slot_wait_ms,
        input.worker_wait_ms, input.utilisation
      ]),
    }),
  });
}

function supplyFigure(all, parent) {
  const arms = all.filter((arm) => !missing(arm.input.supply));
  if (arms.length === 0) return;
  const bars = (label, key, shade) => ({
    label,
    data: arms.map((arm) => arm.input[key]),
    backgroundColor: colour(shade),
    barThickness: 12,
  });
  const names = arms.map((arm) => arm.name);
  addFigure(parent, {
    name: "supply",
    title: "Supply and demand",
    basis: "Samples a second and rank: what the workers could make, and what the step would take.",
    picture: chartPicture(
      arms
        .map(
          ({name, input}) => `${name}: supply ${fixed(input.supply, 1)}, demand ` +
            `${fixed(input.demand, 1)} samples a second`)
        .join("; "),
      barHeight(arms.length),
      () => ({
        type: "bar",
        data: {
          labels: names,
          datasets: [bars("supply", "supply", "arm-2"), bars("demand", "demand", "rest")],
        },
        options: {
          indexAxis: "y",
          scales: {x: numericAxis("samples/s", {beginAtZero: true}), y: namesAxis(names)},
        },
      })),
    numbers: () => ({
      caption: "Samples a second and rank.",
      columns: [
        {head: "arm", left: true}, {head: "supply"}, {head: "demand"},
        {head: "demand of", left: true}
      ],
      rows: arms.map(
        ({name, input}) => [name, input.supply, input.demand, input.demand_of || null]),
    }),
  });
}

function queueFigure(all, parent) {
  const arms = all.filter((arm) => arm.input.queue_quarters.some((depth) => !missing(depth)));
  if (arms.length === 0) return;
  const quarters = ["first", "second", "third", "last"];
  addFigure(parent, {
    name: "queue-quarters",
    title: "Batches ready inside a window",
    basis: "Mean depth of the queue when a batch was asked for, by quarter of the window.",
    picture: chartPicture(
      "Depth of the queue by quarter of the window: " +
        arms
          .map(
            ({name, input}) =>
              `${name} ${input.queue_quarters.map((depth) => fixed(depth, 2)).join(", ")}`)
          .join("; "),
      240, () => ({
             type: "line",
             data: {
               labels: quarters,
               datasets: arms.map(({name, input}) => ({
                 label: name,
                 data: input.queue_quarters,
                 borderColor: armColour(name),
                 backgroundColor: armColour(name),
                 pointStyle: armSign(name),
                 pointRadius: 4,
               })),
             },
             options: {
               scales: {
                 x: {
                   title: {display: true, text: "quarter of the window", color: colour("dim")},
                   ticks: {color: colour("dim"), maxRotation: 0},
                   grid: {color: colour("grid")}
                 },
                 y: numericAxis("batches", {beginAtZero: true}),
               },
             },
           })),
    numbers: () => ({
      caption: "Mean depth of the queue when a batch was asked for.",
      columns: [{head: "arm", left: true}, ...quarters.map((head) => ({head}))],
      rows: arms.map(({name, input}) => [name, ...input.queue_quarters]),
    }),
  });
}

function inputSection(page, section) {
  const arms = page.arms.filter((arm) => arm.input !== null);
  if (arms.length > 0) {
    const halves = element("div", {class: "halves"});
    stagesFigure(arms, halves);
    supplyFigure(arms, halves);
    queueFigure(arms, halves);
    section.append(halves);
  }
  for (const name of ["pipelines", "loaders"]) {
    if (page.tables[name]) section.append(reportTable(page.tables[name], "table-" + name));
  }
}
