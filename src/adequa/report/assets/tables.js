/* Tables of systems by slices, drawn from the summary, and columns that sort. */
const reportTables = (() => {
  const { element, breakable } = adequaComponents;
  const FIRST_ROWS = 25;

  /** The values a cell can show: a share of the judged texts, or a metric's mean. */
  function textMeasures(summary) {
    const share = (place) => (cell) => (cell[1] ? cell[place] / cell[1] : null);
    return [
      { name: "texts that are not OK", value: share(2), isShare: true, filter: { verdict: "fault" } },
      { name: "texts with an omission", value: share(3), isShare: true, filter: { verdict: "omission" } },
      { name: "texts with a hallucination", value: share(4), isShare: true, filter: { verdict: "hallucination" } },
      ...summary.labels.map(({ name, digits, higher }) => ({
        name: `mean of ${name}`, digits, higher,
        value: (cell) => (cell[5][name] ? cell[5][name][1] / cell[5][name][0] : null),
        filter: { sort: `worst:${name}` },
      })),
    ];
  }

  const FACT_MEASURES = [
    { name: "facts that are missing", value: (cell) => cell[1] / cell[0], isShare: true },
    { name: "facts that are contradicted", value: (cell) => cell[2] / cell[0], isShare: true },
    { name: "facts that are missing or contradicted", value: (cell) => (cell[1] + cell[2]) / cell[0], isShare: true },
  ];

  function shown(value, measure) {
    if (value === null) return "–";
    if (!measure.isShare) return value.toFixed(measure.digits);
    const share = 100 * value;
    return `${share > 0 && share < 1 ? share.toFixed(1) : Math.round(share)} %`;
  }

  /** From 0 for the best value in the table to 1 for the worst. */
  function badness(values, measure) {
    const known = values.flat().filter((value) => value !== null);
    const low = measure.isShare ? 0 : Math.min(...known);
    const high = Math.max(...known, measure.isShare ? 0.01 : low + 1e-9);
    const up = (value) => (value - low) / (high - low || 1);
    return measure.higher ? (value) => 1 - up(value) : up;
  }

  /** Replaces the static table of a dimension by one with a column per system and a choice of measure. */
  function drawSlices(container, dimension, summary, link) {
    const isFacts = dimension === "predicate";
    const table = isFacts ? summary.predicates : summary.slices[dimension];
    if (!table || !table.values.length) return;
    const measures = isFacts ? FACT_MEASURES : textMeasures(summary);
    const choose = element("select", {}, ...measures.map(({ name }, place) => element("option", { value: String(place) }, name)));
    const label = element("label", {}, "Show ", choose);
    const holder = element("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": `${dimension}, by system` });
    let isWhole = false;

    function draw() {
      const measure = measures[Number(choose.value)];
      const values = table.cells.map((row) => row.map((cell) => (cell ? measure.value(cell) : null)));
      const bad = badness(values, measure);
      const rows = values.map((row, place) => element(
        "tr", {},
        element("th", { scope: "row" }, table.values[place]),
        element("td", { class: "number quiet" }, table.cells[place].reduce((sum, cell) => sum + (cell ? cell[0] : 0), 0).toLocaleString("en")),
        ...row.map((value, column) => {
          const cell = element("td", { class: "number heat" });
          if (value !== null) {
            cell.style.setProperty("--bad", (0.55 * Math.max(0, bad(value))).toFixed(3));
            const chosen = { system: summary.systems[summary.order[column]], ...measure.filter, [dimension]: table.values[place] };
            cell.append(element("a", { href: link(chosen) }, shown(value, measure)));
          } else cell.append("–");
          return cell;
        }),
      ));
      const head = element(
        "tr", {}, element("th", { scope: "col" }, dimension === "size" ? "triples" : dimension),
        element("th", { scope: "col", class: "number" }, isFacts ? "facts" : "texts"),
        ...summary.order.map((number) => element("th", { scope: "col", class: "number" }, ...breakable(summary.systems[number]))),
      );
      const some = isWhole ? rows : rows.slice(0, FIRST_ROWS);
      holder.replaceChildren(element("table", { class: "matrix" }, element("thead", {}, head), element("tbody", {}, ...some)));
      if (some.length < rows.length) {
        const more = element("button", { type: "button" }, `Show all ${rows.length}`);
        more.addEventListener("click", () => { isWhole = true; draw(); });
        holder.append(more);
      }
    }

    choose.addEventListener("change", draw);
    draw();
    container.replaceChildren(element("p", { class: "controls" }, label), holder);
  }

  /** Turns the headings of `table.sortable` into buttons that sort its rows. */
  function makeSortable(table) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      if (!("sort" in head.dataset)) return;
      const button = element("button", { type: "button", class: "sort" }, ...head.childNodes);
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") !== "descending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const body = table.tBodies[0];
        const key = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent.trim();
        const compare = (one, other) => (head.dataset.sort === "number" ? orNone(key(one)) - orNone(key(other)) : key(one).localeCompare(key(other)));
        body.append(...[...body.rows].sort((one, other) => (down ? compare(other, one) : compare(one, other))));
      });
    });
  }

  function orNone(value) {
    return value === "" ? -1e300 : Number(value);
  }

  return { drawSlices, makeSortable };
})();
