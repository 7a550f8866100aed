"use strict";
/* Draws the texts of a page, reloads them when a filter changes, and handles the keys. */
(() => {
  const { element, drawBody, drawText, drawVerdict, explainMarks } = adequaComponents;
  const WAIT = 300;
  const at = (id) => document.getElementById(id);
  const form = at("filters");
  let reached = null;
  let asked = null;

  function read(id) {
    return JSON.parse(at(id).textContent);
  }

  function digits(value) {
    return Math.abs(value) <= 1.5 ? 3 : 1;
  }

  function drawScores(line, labels) {
    return labels.filter(({ name }) => name in line.scores).map(({ name }) => {
      const value = line.scores[name];
      return element("span", { class: "score" }, element("span", { class: "quiet" }, `${name} `), value === null ? "–" : value.toFixed(digits(value)));
    });
  }

  function drawCards() {
    const cards = read("cards");
    const labels = read("labels");
    for (const card of document.querySelectorAll("#results .card")) {
      const lines = cards[Number(card.dataset.card)];
      for (const plain of card.querySelectorAll(".plain")) plain.remove();
      const [first] = lines;
      if (lines.length === 1) card.querySelector("header").append(drawVerdict(first), ...drawScores(first, labels));
      if (card.dataset.only === "text") card.append(drawText(first));
      else card.append(drawBody(lines.map((line) => ({ name: line.system || "", line, notes: drawScores(line, labels) }))));
    }
    if (!form) {
      const card = document.querySelector("#results .card");
      if (card) reachMarks(card);
    } else {
      remember();
    }
  }

  /** The way back, and to the neighbours, for the page of one text. */
  function remember() {
    const links = [...document.querySelectorAll("#list h2 a")].map((link) => link.getAttribute("href"));
    try {
      sessionStorage.setItem("adequa-list", JSON.stringify({ back: location.pathname + location.search, links }));
    } catch {
      // then the keys and the way back are plainer
    }
  }

  function remembered() {
    try {
      const found = JSON.parse(sessionStorage.getItem("adequa-list") || "null");
      return found && found.back.startsWith(`/runs/${at("results").dataset.run}/`) ? found : null;
    } catch {
      return null;
    }
  }

  /** The marks of the text one is at can be reached with the Tab key, those of all others not. */
  function reachMarks(card) {
    if (card === reached) return;
    reached = card;
    for (const mark of document.querySelectorAll("mark[tabindex]")) mark.removeAttribute("tabindex");
    for (const mark of card.querySelectorAll("mark")) mark.tabIndex = 0;
  }

  // --- filters -----------------------------------------------------------------------------------
  function address() {
    const set = [...new FormData(form)].filter(([, value]) => value);
    return `${location.pathname}${set.length ? `?${new URLSearchParams(set)}` : ""}`;
  }

  async function show(to, { isNew = true } = {}) {
    if (asked) asked.abort();
    const mine = (asked = new AbortController());
    at("results").setAttribute("aria-busy", "true");
    try {
      const response = await fetch(to, { signal: mine.signal, headers: { Accept: "text/html" } });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const results = page.getElementById("results");
      if (!results) {
        location.assign(to); // another page altogether: the server says why
        return;
      }
      if (isNew) history.replaceState(null, "", to);
      at("results").replaceWith(document.adoptNode(results));
      drawCards();
    } catch (error) {
      if (error.name === "AbortError") return;
      at("count").textContent = "The server does not respond. Is it still running?";
      at("results").removeAttribute("aria-busy");
    }
  }

  function watchFilters() {
    let wait = 0;
    form.addEventListener("input", (event) => {
      clearTimeout(wait);
      wait = setTimeout(() => show(address()), event.target.type === "search" ? WAIT : 0);
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      clearTimeout(wait);
      show(address());
    });
    form.classList.add("scripted");
  }

  // --- keyboard ----------------------------------------------------------------------------------
  function step(by) {
    const cards = [...document.querySelectorAll("#results .card")];
    if (!cards.length) return;
    const now = cards.findIndex((card) => card.contains(document.activeElement));
    const card = cards[Math.min(Math.max(now + by, 0), cards.length - 1)];
    card.tabIndex = -1;
    reachMarks(card);
    card.focus();
    card.scrollIntoView({ block: "nearest" });
  }

  function follow(id) {
    const link = at(id);
    if (link) location.assign(link.getAttribute("href"));
  }

  function neighbour(by) {
    const list = remembered();
    const now = list ? list.links.indexOf(location.pathname + location.search) : -1;
    const next = list && now >= 0 ? list.links[now + by] : undefined;
    if (next) location.assign(next);
  }

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest("input, select, textarea, dialog")) return;
    const card = document.activeElement && document.activeElement.closest(".card");
    const keys = {
      j: () => step(1), k: () => step(-1),
      n: () => (form ? follow("next") : neighbour(1)), p: () => (form ? follow("previous") : neighbour(-1)),
      "/": () => { if (form) form.elements.search.focus(); else location.assign(at("back").getAttribute("href")); },
      "?": () => { if (at("help")) at("help").showModal(); },
    };
    if (event.key === "Enter" && card && card === document.activeElement && card.querySelector("header a")) {
      location.assign(card.querySelector("header a").getAttribute("href"));
    } else if (event.key in keys) {
      event.preventDefault();
      keys[event.key]();
    }
  }

  // --- start -------------------------------------------------------------------------------------
  drawCards();
  explainMarks(at("main"));
  at("main").addEventListener("focusin", (event) => {
    const card = event.target.closest(".card");
    if (card) reachMarks(card);
  });
  document.addEventListener("keydown", onKey);
  if (form) {
    watchFilters();
    at("help-open").hidden = false;
    at("help-open").addEventListener("click", () => at("help").showModal());
  } else {
    const list = remembered();
    if (list) at("back").href = list.back;
    const systems = at("systems-form");
    if (systems) {
      systems.classList.add("scripted");
      systems.addEventListener("change", () => {
        const set = [...new FormData(systems)].filter(([, value]) => value);
        const same = set.filter(([name, value]) => name !== "vs" || value !== systems.elements.system.value);
        location.assign(`${location.pathname}?${new URLSearchParams(same)}`);
      });
    }
  }
  document.body.classList.add("ready");
})();
