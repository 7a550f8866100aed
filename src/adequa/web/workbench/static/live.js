"use strict";
/* Asks the server what it sees in a text while somebody types; the last question wins. */
(() => {
  const { element, hiddenWords, describeOK, drawBody, drawVerdict, explainMarks } = adequaComponents;
  const WAIT = 250;
  const KEY = "adequa-live";
  const at = (id) => document.getElementById(id);
  const fields = { triples: at("triples"), text: at("text") };
  const examples = JSON.parse(at("examples").textContent);
  let asked = null;
  let wait = 0;
  let line = null;

  const metrics = () => [...document.querySelectorAll("[name=metric]:checked")].map((box) => box.value);

  function tell(name, words) {
    at(name ? `${name}-problem` : "problem").textContent = words;
    if (name) fields[name].toggleAttribute("aria-invalid", Boolean(words));
  }

  function clear() {
    for (const name of ["triples", "text", ""]) tell(name, "");
  }

  async function ask() {
    if (asked) asked.abort();
    asked = null;
    keep();
    const triples = fields.triples.value;
    if (!triples.trim()) {
      clear();
      at("result").hidden = true;
      at("said").textContent = "Enter data and a text, or choose an example.";
      at("scores").replaceChildren();
      line = null;
      return;
    }
    if (!metrics().length) {
      clear();
      tell("text", "Choose at least one metric.");
      return;
    }
    const mine = (asked = new AbortController());
    at("result").setAttribute("aria-busy", "true");
    try {
      const response = await fetch("/live/score", {
        method: "POST",
        signal: mine.signal,
        headers: { "Content-Type": "application/json", "X-Form-Token": document.body.dataset.formToken },
        body: JSON.stringify({ triples, text: fields.text.value, metrics: metrics() }),
      });
      const answer = await response.json();
      if (mine !== asked) return;
      clear();
      if (response.ok) show(answer);
      else refuse(answer.error);
    } catch (error) {
      if (error.name !== "AbortError" && mine === asked) refuse({ message: "the server does not respond", remedy: "is it still running?" });
    } finally {
      if (mine === asked) at("result").removeAttribute("aria-busy");
    }
  }

  function refuse({ message, remedy, where }) {
    const words = `${message[0].toUpperCase()}${message.slice(1)}${remedy ? `: ${remedy}` : ""}.`;
    tell(where in fields ? where : "", words);
    if (line) at("said").textContent = "The result below is for the previous input.";
    at("scores").replaceChildren();
    at("result").classList.add("old");
  }

  function describe() {
    const faults = line.faults.length;
    return faults ? `${faults} fault${faults === 1 ? "" : "s"}.` : describeOK(line);
  }

  function show(answer) {
    line = answer;
    at("said").replaceChildren(hiddenWords("Verdict: "), drawVerdict(line), " ", describe());
    const scores = Object.entries(line.scores).map(([name, value]) => element(
      "span", { class: "score" }, element("span", { class: "quiet" }, `${name} `), value === null ? "–" : value.toFixed(Math.abs(value) <= 1.5 ? 3 : 1),
    ));
    at("scores").replaceChildren(...scores.flatMap((score) => [score, " "]));
    at("body").replaceChildren(drawBody([{ name: "", line, isTold: true }]));
    for (const mark of at("body").querySelectorAll("mark")) mark.tabIndex = 0;
    at("result").hidden = false;
    at("result").classList.remove("old");
    drawGraph();
    document.body.dataset.answers = String(Number(document.body.dataset.answers || 0) + 1);
  }

  function drawGraph() {
    if (line) at("graph").replaceChildren(adequaGraph.draw(line, at("graph-scroll").clientWidth));
  }

  /** A reload keeps what was typed; another tab has its own. */
  function keep() {
    try {
      sessionStorage.setItem(KEY, JSON.stringify([fields.triples.value, fields.text.value]));
    } catch {
      // then a reload forgets
    }
  }

  function restore() {
    try {
      const [triples, text] = JSON.parse(sessionStorage.getItem(KEY) || "null") || ["", ""];
      fields.triples.value = triples;
      fields.text.value = text;
    } catch {
      // nothing was kept
    }
  }

  at("live").addEventListener("submit", (event) => event.preventDefault());
  at("live").addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(ask, WAIT);
  });
  for (const button of document.querySelectorAll("[data-example]")) {
    button.addEventListener("click", () => {
      [fields.triples.value, fields.text.value] = examples[Number(button.dataset.example)];
      clearTimeout(wait);
      ask();
    });
  }
  let resized = 0;
  addEventListener("resize", () => {
    clearTimeout(resized);
    resized = setTimeout(drawGraph, 100);
  });
  explainMarks(at("main"));
  if (!fields.triples.value) restore();
  if (fields.triples.value.trim()) ask();
  document.body.classList.add("ready");
})();
