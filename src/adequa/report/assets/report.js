/* The page: the list of texts, a single text, the keyboard, the theme. */
(() => {
  const { element, drawBody, drawText, drawVerdict, explainMarks } = adequaComponents;
  const PAGE = 50;
  const summary = JSON.parse(document.getElementById("summary").textContent);
  const at = (id) => document.getElementById(id);
  let data = null;
  let choice = reportChoice.read("");
  let rows = [];
  let first = 0;
  let reached = null;
  let turn = 0; // counts drawings: what finishes late for an old one is dropped

  const itemLink = (system, id, other) => `#/item/${encodeURIComponent(system)}/${encodeURIComponent(id)}${other ? `/vs/${encodeURIComponent(other)}` : ""}`;
  const systemOf = (row) => summary.systems[data.columns.system[row]];
  const idOf = (row) => data.ids[data.columns.input[row]];

  // --- theme -------------------------------------------------------------------------------------
  function isDark() {
    const set = document.documentElement.dataset.theme;
    return set ? set === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  function switchTheme() {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    at("theme").setAttribute("aria-pressed", String(isDark()));
  }

  // --- one text ----------------------------------------------------------------------------------
  function drawScores(scores) {
    return summary.labels.filter(({ name }) => name in scores).map(({ name, digits }) => element(
      "span", { class: "score" }, element("span", { class: "quiet" }, `${name} `),
      scores[name] === null ? "–" : scores[name].toFixed(digits),
    ));
  }

  function column(name, line) {
    return { name, line, notes: drawScores(line.scores) };
  }

  function aboutLine(line) {
    const size = `${line.triples.length} triple${line.triples.length === 1 ? "" : "s"}`;
    return [line.category, size, line.lang].filter(Boolean).join(" · ");
  }

  async function drawCard(row) {
    const line = await data.line(row);
    const other = summary.systems.indexOf(choice.compare);
    const otherRow = other < 0 ? undefined : data.rowOf(other, data.columns.input[row]);
    const columns = [column(systemOf(row), line)];
    if (otherRow !== undefined && otherRow !== row) columns.push(column(choice.compare, await data.line(otherRow)));
    const about = aboutLine(line);
    const compared = columns.length > 1 ? choice.compare : "";
    return element(
      "article", { class: "card", tabIndex: -1, "aria-label": `${systemOf(row)}, ${line.id}`, "data-row": String(row) },
      element(
        "header", {},
        element("h3", {}, element("a", { href: itemLink(systemOf(row), line.id, compared) }, line.id)),
        columns.length > 1 ? null : element("span", { class: "system" }, systemOf(row)),
        element("span", { class: "quiet" }, about),
        ...(columns.length > 1 ? [] : [drawVerdict(line), ...drawScores(line.scores)]),
        drawChange(row),
      ),
      drawBody(columns),
    );
  }

  function drawChange(row) {
    const broken = data.columns.broken[row];
    const mended = data.columns.mended[row];
    if (!broken && !mended) return null;
    const words = [broken ? `${broken} broke` : "", mended ? `${mended} mended` : ""].filter(Boolean).join(", ");
    return element("span", { class: broken ? "change worse" : "change" }, `facts since the baseline: ${words}`);
  }

  // --- the list ----------------------------------------------------------------------------------
  async function drawList() {
    const mine = (turn += 1);
    const isCurrent = () => mine === turn;
    let chosen = reportChoice.filter(choice, data, summary);
    if (choice.search) {
      at("count").textContent = "searching …";
      const found = await reportChoice.search(chosen, choice.search, data, isCurrent, (share) => {
        at("count").textContent = `searching … ${Math.round(100 * share)} %`;
      });
      if (found === null) return;
      chosen = found;
    }
    rows = reportChoice.sort(chosen, choice, data, summary);
    first = 0;
    await drawPage(mine);
  }

  async function drawPage(mine = (turn += 1)) {
    const cards = document.createDocumentFragment();
    for (const row of rows.slice(first, first + PAGE)) {
      cards.append(await drawCard(row));
      if (mine !== turn) return;
    }
    at("list").replaceChildren(cards);
    const last = Math.min(first + PAGE, rows.length);
    const total = summary.baselines.some(Boolean) ? "" : ` of ${data.count.toLocaleString("en")}`;
    at("count").textContent = rows.length
      ? `${rows.length.toLocaleString("en")}${total} texts, ${(first + 1).toLocaleString("en")} to ${last.toLocaleString("en")} shown`
      : "No matching texts; relax the filters.";
    at("previous").disabled = first === 0;
    at("next").disabled = last >= rows.length;
    at("pager").hidden = rows.length <= PAGE;
  }

  async function turnPage(by) {
    const to = first + by * PAGE;
    if (to < 0 || to >= rows.length) return;
    first = to;
    await drawPage();
    at("texts").scrollIntoView();
  }

  // --- one item ----------------------------------------------------------------------------------
  async function drawItem(system, id, other) {
    const mine = (turn += 1);
    const row = data.find(summary.systems.indexOf(system), id);
    const view = at("item");
    if (row === undefined) {
      view.replaceChildren(backLink(), element("p", {}, `This file has no text of ${system} with the id ${id}.`));
      return;
    }
    const input = data.columns.input[row];
    const here = summary.systems.map((name, number) => ({ name, row: data.rowOf(number, input) })).filter((one) => one.row !== undefined);
    const against = here.find((one) => one.name === other && one.row !== row);
    const line = await data.line(row);
    const columns = [column(system, line)];
    if (against) columns.push(column(other, await data.line(against.row)));
    const rest = [];
    for (const one of here.filter(({ name }) => name !== system && name !== (against && against.name))) {
      rest.push({ ...one, line: await data.line(one.row) });
    }
    if (mine !== turn) return;
    const choose = (label, names, chosen, go) => {
      const select = element("select", {}, ...names.map((name) => element("option", { value: name, selected: name === chosen }, name || "nobody")));
      select.addEventListener("change", () => go(select.value));
      return element("label", {}, `${label} `, select);
    };
    const names = here.map(({ name }) => name);
    view.replaceChildren(
      backLink(),
      element("h2", { tabIndex: -1 }, line.id),
      element("p", { class: "quiet" }, aboutLine(line)),
      element(
        "p", { class: "controls" },
        choose("System", names, system, (name) => { location.hash = itemLink(name, id, name === other ? "" : other); }),
        choose("Compare with", ["", ...names.filter((name) => name !== system)], against ? other : "", (name) => { location.hash = itemLink(system, id, name); }),
      ),
      element("article", { class: "card open" }, element(
        "header", {}, ...(against ? [] : [element("span", { class: "system" }, system), drawVerdict(line), ...drawScores(line.scores)]),
        drawChange(row),
      ), drawBody(columns)),
      rest.length ? element("h3", {}, "The other systems on this item") : "",
      ...rest.map(({ name, line: own }) => element(
        "article", { class: "card adequa-body columns-1 small" },
        element("div", {}, element("header", {}, element("h4", {}, element("a", { href: itemLink(name, id, "") }, name)), drawVerdict(own), ...drawScores(own.scores),
          element("a", { href: itemLink(system, id, name) }, "compare")), drawText(own)),
      )),
    );
    reached = null;
    reachMarks(view);
    view.querySelector("h2").focus();
  }

  function backLink() {
    return element("p", { class: "back" }, element("a", { href: reportChoice.write(choice) }, "← back to the list"));
  }

  /** Makes the marks of the focused text, and no others, reachable with the Tab key. */
  function reachMarks(card) {
    if (card === reached) return; // taking the mark one is at away from the keyboard would lose it
    reached = card;
    for (const mark of document.querySelectorAll("mark[tabindex]")) mark.removeAttribute("tabindex");
    for (const mark of card.querySelectorAll("mark")) mark.tabIndex = 0;
  }

  // --- addresses ---------------------------------------------------------------------------------
  async function route() {
    const [path] = location.hash.split("?");
    const parts = path.split("/").map(decode);
    const isItem = parts[0] === "#" && parts[1] === "item" && parts.length >= 4;
    document.body.classList.toggle("one-item", isItem);
    at("item").hidden = !isItem;
    if (isItem) {
      scrollTo(0, 0);
      await drawItem(parts[2], parts[3], parts[4] === "vs" ? parts[5] : "");
    } else if (parts[1] === "texts") {
      choice = reportChoice.read(location.hash);
      fillForm();
      await drawList();
      at("texts").scrollIntoView();
    } else {
      if (location.hash.length > 1 && at(location.hash.slice(1))) at(location.hash.slice(1)).scrollIntoView();
      if (!at("list").childElementCount) await drawList();
    }
  }

  function decode(part) {
    try {
      return decodeURIComponent(part);
    } catch {
      return part; // a link that somebody cut
    }
  }

  function fillForm() {
    for (const name of reportChoice.NAMES) if (at("filters").elements[name]) at("filters").elements[name].value = choice[name];
  }

  function readForm() {
    const form = at("filters").elements;
    choice = Object.fromEntries(reportChoice.NAMES.map((name) => [name, form[name] ? form[name].value : ""]));
    history.replaceState(null, "", reportChoice.write(choice));
    drawList();
  }

  function fillChoices() {
    const form = at("filters").elements;
    const add = (name, values) => {
      if (form[name]) form[name].append(...values.map(([value, words]) => element("option", { value }, words)));
    };
    const same = (values) => values.map((value) => [value, value]);
    const systems = [...summary.order, ...summary.systems.keys()].filter((number, place, all) => all.indexOf(number) === place).map((number) => summary.systems[number]);
    add("system", same(systems));
    add("compare", same(systems));
    add("category", same(data.categories.filter(Boolean).sort()));
    add("size", same([...new Set(data.columns.size)].sort((one, other) => one - other).map(String)));
    add("predicate", same([...data.predicates].sort((one, other) => one.localeCompare(other))));
    const labels = summary.labels.map(({ name }) => name);
    if (data.confidence.some((value) => !Number.isNaN(value))) add("sort", [["unsure", "least sure verdict first"]]);
    add("sort", labels.flatMap((label) => [[`worst:${label}`, `${label}, worst first`], [`best:${label}`, `${label}, best first`]]));
    add("sort", labels.map((label) => [`apart:${label}`, `${label}, furthest from the compared system`]));
    if (form.changed) {
      add("changed", labels.flatMap((label) => [[`worse:${label}`, `worse by ${label}`], [`better:${label}`, `better by ${label}`]]));
      add("sort", labels.map((label) => [`lost:${label}`, `${label}, most lost since the baseline`]));
    }
    if (!data.columns.seen.some(Boolean)) form.seen.closest("label").hidden = true;
    if (data.categories.length < 2) form.category.closest("label").hidden = true;
  }

  // --- keyboard ----------------------------------------------------------------------------------
  function step(by) {
    const cards = [...document.querySelectorAll(document.body.classList.contains("one-item") ? "#item .card" : "#list .card")];
    if (!cards.length) return;
    const now = cards.findIndex((card) => card.contains(document.activeElement));
    const place = Math.min(Math.max(now + by, 0), cards.length - 1);
    cards[place].tabIndex = -1;
    reachMarks(cards[place]);
    cards[place].focus();
    cards[place].scrollIntoView({ block: "nearest" });
  }

  function stepItem(by) {
    const parts = location.hash.split("/").map(decode);
    const now = rows.findIndex((row) => systemOf(row) === parts[2] && idOf(row) === parts[3]);
    const row = rows[now + by];
    if (now >= 0 && row !== undefined) location.hash = itemLink(systemOf(row), idOf(row), parts[5]);
  }

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest("input, select, textarea, dialog")) {
      if (event.key === "Escape" && event.target.closest("#filters")) event.target.blur();
      return;
    }
    const isItem = document.body.classList.contains("one-item");
    const inCard = document.activeElement && document.activeElement.closest(".card");
    const keys = {
      j: () => step(1), k: () => step(-1),
      n: () => (isItem ? stepItem(1) : turnPage(1)), p: () => (isItem ? stepItem(-1) : turnPage(-1)),
      "/": async () => {
        if (isItem) {
          history.pushState(null, "", reportChoice.write(choice));
          await route();
        }
        at("filters").elements.search.focus();
      },
      "?": () => at("help").showModal(), t: switchTheme,
    };
    if (inCard) Object.assign(keys, { ArrowDown: keys.j, ArrowUp: keys.k });
    if (isItem) Object.assign(keys, { ArrowRight: keys.n, ArrowLeft: keys.p, Escape: () => { location.hash = reportChoice.write(choice); } });
    if (event.key === "Enter" && inCard === document.activeElement && !isItem && inCard) {
      location.hash = inCard.querySelector("h3 a").getAttribute("href");
    } else if (event.key in keys) {
      event.preventDefault();
      keys[event.key]();
    }
  }

  // --- start -------------------------------------------------------------------------------------
  async function start() {
    document.body.classList.add("scripted");
    at("theme").addEventListener("click", switchTheme);
    at("help-open").addEventListener("click", () => at("help").showModal());
    at("theme").setAttribute("aria-pressed", String(isDark()));
    for (const table of document.querySelectorAll("table.sortable")) reportTables.makeSortable(table);
    for (const box of document.querySelectorAll("[data-slices]")) {
      await reportChoice.nextTask(); // a table at a time: the page stays at hand
      reportTables.drawSlices(box, box.dataset.slices, summary, reportChoice.write);
    }
    if (!reportData.isSupported()) {
      at("count").textContent = "This browser cannot unpack the texts (it has no DecompressionStream); the tables above still work.";
      return;
    }
    await reportChoice.nextTask();
    data = await reportData.open();
    fillChoices();
    await reportChoice.nextTask();
    let wait = 0;
    at("filters").addEventListener("input", (event) => {
      clearTimeout(wait);
      wait = setTimeout(readForm, event.target.type === "search" ? 250 : 0);
    });
    at("filters").addEventListener("submit", (event) => { event.preventDefault(); readForm(); });
    at("filters").addEventListener("reset", () => setTimeout(readForm, 0));
    at("previous").addEventListener("click", () => turnPage(-1));
    at("next").addEventListener("click", () => turnPage(1));
    at("list").addEventListener("focusin", (event) => { if (event.target.closest(".card")) reachMarks(event.target.closest(".card")); });
    document.addEventListener("keydown", onKey);
    addEventListener("hashchange", route);
    explainMarks(document.body);
    await route();
    document.body.classList.add("ready");
  }

  addEventListener("DOMContentLoaded", start);
})();
