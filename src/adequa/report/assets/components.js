"use strict";
/* Draws a text with its marks and its data as a table.

   It takes lines of a run's scores.jsonl as they are, and knows nothing of the page around it: the
   report and the workbench both use it. Texts and names are data: they become text nodes and
   attribute values, never markup. */
const adequaComponents = (() => {
  const CONFIDENT = 0.8; // as in adequa.data: from here on an OK is told without reserve
  const COLOURS = 7; // as many as components.css has; after these the line below changes
  const LINES = 3;

  const VERDICTS = {
    OK: { sign: "✓", words: "OK", tip: "no fault was found" },
    omission: { sign: "−", words: "omission", tip: "leaves out part of the data" },
    hallucination: { sign: "+", words: "hallucination", tip: "states something the data does not support" },
    "hallucination+omission": { sign: "±", words: "both", tip: "leaves out part of the data, and states something it does not support" },
    "": { sign: "·", words: "no verdict", tip: "no metric of the run gives a verdict" },
  };
  const STATUSES = {
    stated: { sign: "✓", words: "stated" },
    missing: { sign: "✗", words: "missing" },
    "left out": { sign: "–", words: "left out, as a text may" },
    contradicted: { sign: "≠", words: "contradicted" },
    unchecked: { sign: "·", words: "not checked" },
    doubtful: { sign: "?", words: "not sure" },
  };

  /** An element with properties; `class`, `data-…` and `aria-…` are attributes, children text or nodes. */
  function element(name, properties = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
      if (value === null || value === undefined || value === false) continue;
      if (key in made && !key.includes("-") && key !== "list") made[key] = value;
      else made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  function hiddenWords(words) {
    return element("span", { class: "visually-hidden" }, words);
  }

  /** Converts offsets: Python counts characters, JavaScript counts UTF-16 units. */
  function utf16Offsets(text) {
    if (!/[\ud800-\udfff]/.test(text)) return (offset) => Math.min(Math.max(offset, 0), text.length);
    const places = [0];
    for (const character of text) places.push(places[places.length - 1] + character.length);
    return (offset) => places[Math.min(Math.max(offset, 0), places.length - 1)];
  }

  /** Subjects and objects in the order of the triples; the position gives number and colour. */
  function entitiesOf(triples) {
    return [...new Set(triples.flatMap(([subject, , object]) => [subject, object]))];
  }

  /** A name with line-break opportunities between its parts; copying gives the plain name. */
  function breakable(name) {
    const parts = name.split(/(?<=[_/:.,-])(?=\S)|(?<=\p{Ll})(?=\p{Lu})/u);
    return parts.flatMap((part, place) => (place ? [document.createElement("wbr"), part] : [part]));
  }

  function sameTriple(one, other) {
    return one !== null && other !== null && one.every((part, place) => part === other[place]);
  }

  function entityClasses(number) {
    return `entity colour-${number % COLOURS} line-${Math.floor(number / COLOURS) % LINES}`;
  }

  function percent(share) {
    return share === null || share === undefined ? "" : `${Math.round(100 * share)} %`;
  }

  /** All marks of a text, in UTF-16 units. */
  function marksOf(line, entities) {
    const at = utf16Offsets(line.text);
    const marks = [];
    for (const mention of line.mentions) {
      const number = entities.indexOf(mention.entity);
      const near = mention.distance ? `, at a distance of ${mention.distance.toFixed(2)}` : "";
      marks.push({
        kind: "mention", start: at(mention.start), end: at(mention.end), number,
        tip: `names ${mention.entity} (found by ${mention.method}${near})`,
      });
    }
    for (const finding of line.findings) {
      if (finding.start === null || finding.end === null) continue;
      const sure = finding.confidence === null ? "" : `, confidence ${percent(finding.confidence)}`;
      marks.push({
        kind: finding.kind === "hallucination" ? "unsupported" : "omitted",
        start: at(finding.start), end: at(finding.end), number: -1,
        tip: `${finding.detail}: ${finding.why} (${finding.metric}${sure})`,
      });
    }
    line.triples.forEach((triple, number) => {
      const fact = line.facts.find((one) => sameTriple(one.triple, triple));
      if (fact && fact.start !== null && fact.end !== null) {
        marks.push({ kind: "fact", start: at(fact.start), end: at(fact.end), number, tip: "" });
      }
    });
    return marks.filter((mark) => mark.start < mark.end);
  }

  /** The text as a paragraph; marks may overlap, so it is split wherever one begins or ends. */
  function drawText(line) {
    const paragraph = element("p", { class: "adequa-text", lang: line.lang || "" });
    if (!line.text.trim()) {
      paragraph.append(element("em", { class: "quiet" }, "(empty text)"));
      return paragraph;
    }
    const entities = entitiesOf(line.triples);
    const marks = marksOf(line, entities);
    const cuts = new Set([0, line.text.length]);
    for (const mark of marks) cuts.add(mark.start).add(mark.end);
    const places = [...cuts].sort((one, other) => one - other);
    for (let cut = 0; cut + 1 < places.length; cut += 1) {
      const [start, end] = [places[cut], places[cut + 1]];
      const over = marks.filter((mark) => mark.start <= start && mark.end >= end);
      paragraph.append(drawPiece(line.text.slice(start, end), over, end));
    }
    return paragraph;
  }

  function drawPiece(words, over, end) {
    const facts = over.filter((mark) => mark.kind === "fact").map((mark) => mark.number);
    const seen = over.filter((mark) => mark.kind !== "fact");
    if (!over.length) return document.createTextNode(words);
    if (!seen.length) return element("span", { "data-facts": facts.join(" ") }, words);
    const mention = seen.find((mark) => mark.kind === "mention");
    const classes = seen.map((mark) => {
      if (mark.kind !== "mention") return mark.kind;
      return mark.number < 0 ? "entity colour-none line-0" : entityClasses(mark.number);
    });
    const piece = element("mark", {
      class: [...new Set(classes)].join(" "),
      "data-facts": facts.length ? facts.join(" ") : null,
      "data-entity": mention && mention.number >= 0 ? String(mention.number) : null,
      "data-tip": [...new Set(seen.map((mark) => mark.tip))].join("\n"),
    }, words);
    for (const mark of seen.filter((one) => one.end === end)) {
      if (mark.kind === "mention" && mark.number >= 0) {
        piece.append(element("sup", { "aria-hidden": "true" }, String(mark.number + 1)));
      }
      piece.append(hiddenWords(` [${mark.tip}] `));
    }
    return piece;
  }

  function drawEntity(name, number, isFound) {
    return element(
      "span",
      {
        class: `${entityClasses(number)} chip${isFound ? "" : " not-found"}`,
        "data-entity": String(number),
        "data-tip": isFound ? `entity ${number + 1}: named in the text` : `entity ${number + 1}: not named in the text`,
      },
      ...breakable(name),
      element("sup", { "aria-hidden": "true" }, String(number + 1)),
      isFound ? null : hiddenWords(" (not named in the text)"),
    );
  }

  function drawStatus(fact, line, triple) {
    const status = fact ? fact.status : "unchecked";
    const shown = status === "unchecked" && isDoubtful(fact) ? "doubtful" : status;
    const { sign, words } = STATUSES[shown] || STATUSES.unchecked;
    const why = line.findings.filter((one) => sameTriple(one.triple, triple)).map((one) => `${one.why} (${one.metric})`);
    const sure = fact && fact.confidence !== null ? `confidence ${percent(fact.confidence)}` : "";
    return element(
      "td",
      { class: `status status-${status}`, "data-tip": [words, sure, ...why].filter(Boolean).join("\n") },
      element("span", { "aria-hidden": "true", class: "sign" }, sign),
      element("span", { class: "word" }, ` ${words}`),
      why.length ? hiddenWords(`: ${why.join("; ")}`) : null,
    );
  }

  /** The data as a table; each of `columns` ({name, line}) shows the status of each fact. */
  function drawTable(triples, columns) {
    const entities = entitiesOf(triples);
    const found = new Set(columns.flatMap(({ line }) => line.mentions.map((mention) => mention.entity)));
    const knowsMentions = columns.some(({ line }) => line.mentions.length > 0);
    const head = element(
      "tr", {},
      ...["subject", "predicate", "object"].map((name) => element("th", { scope: "col" }, name)),
      ...columns.map(({ name }) => element("th", { scope: "col" }, columns.length > 1 ? name : "in the text")),
    );
    const rows = triples.map((triple, number) => {
      const facts = columns.map(({ line }) => line.facts.find((one) => sameTriple(one.triple, triple)));
      const isMissing = facts.length > 0 && facts.every((fact) => fact && fact.status === "missing");
      const chip = (name) => drawEntity(name, entities.indexOf(name), !knowsMentions || found.has(name));
      return element(
        "tr",
        { class: isMissing ? "missing" : "", "data-fact": String(number) },
        element("td", {}, chip(triple[0])),
        element("td", { class: "predicate" }, ...breakable(triple[1])),
        element("td", {}, chip(triple[2])),
        ...columns.map(({ line }, place) => drawStatus(facts[place], line, triple)),
      );
    });
    const caption = element("caption", { class: "visually-hidden" }, "The data the text should state");
    return element("table", { class: "adequa-data" }, caption, element("thead", {}, head), element("tbody", {}, ...rows));
  }

  /** Whether a fact was read, but not found with confidence. */
  function isDoubtful(fact) {
    return Boolean(fact) && fact.status === "unchecked" && fact.confidence !== null;
  }

  /** What an OK stands for: what was found, and what was not checked; "" for other verdicts. */
  function describeOK(line) {
    if (line.verdict !== "OK") return "";
    const of = (count) => `${count} of ${line.facts.length} fact${line.facts.length === 1 ? "" : "s"}`;
    const doubtful = line.facts.filter(isDoubtful).length;
    const isKnown = line.confidence !== null && line.confidence !== undefined;
    if (line.facts.every((fact) => fact.status === "unchecked" && fact.confidence === null)) return "No fault found in names and values; the facts were not checked.";
    if (doubtful && isKnown) return `No fault found; ${of(doubtful)} could not be checked with confidence.`;
    if (!isKnown) return "No fault found.";
    if (line.confidence < CONFIDENT) return "No fault found, but that is not sure.";
    return "The text says all and only what the data says.";
  }

  /** One fault in one line. */
  function drawFault({ kind, why, metric }) {
    const { sign, words } = VERDICTS[kind];
    return element(
      "li",
      { class: kind.replace("hallucination+omission", "both") },
      element("span", { class: "sign", "aria-hidden": "true" }, sign),
      hiddenWords(`${words === "both" ? "wrong" : words}: `),
      ` ${why} `,
      element("span", { class: "quiet" }, `(${metric})`),
    );
  }

  /** Every fault in words, and what an OK stands for unless the page tells it elsewhere. */
  function drawFindings(line, isTold = false) {
    const list = element("ul", { class: "adequa-findings" }, ...line.faults.map(drawFault));
    const told = isTold ? "" : describeOK(line);
    if (told) list.append(element("li", { class: "overruled" }, told));
    for (const finding of line.findings.filter((one) => one.detail === "overruled")) {
      list.append(element("li", { class: "overruled" }, `− ${finding.why} (${finding.metric}, overruled: the facts about it are stated)`));
    }
    for (const [label, reason] of Object.entries(line.reasons || {})) {
      list.append(element("li", { class: "overruled" }, `${label} could not score the text: ${reason}`));
    }
    return list;
  }

  /** The verdict of a line, with its confidence where that is known. */
  function drawVerdict({ verdict, confidence }) {
    const { sign, words, tip } = VERDICTS[verdict || ""] || VERDICTS[""];
    const sure = confidence === null || confidence === undefined ? "" : percent(confidence);
    const name = (verdict || "none").replace("hallucination+omission", "both");
    return element(
      "span", { class: `verdict verdict-${name}`, "data-tip": sure ? `${tip}\nright with a probability of ${sure}` : tip },
      element("span", { "aria-hidden": "true" }, `${sign} `), words,
      sure ? element("span", { class: "sure" }, hiddenWords(", confidence"), ` ${sure}`) : null,
    );
  }

  function drawReferences(references) {
    if (!references || !references.length) return null;
    const count = references.length === 1 ? "1 reference" : `${references.length} references`;
    return element(
      "details", { class: "adequa-references" },
      element("summary", {}, count),
      element("ul", {}, ...references.map((reference) => element("li", {}, reference))),
    );
  }

  /** Texts of one input, side by side above or beside their data; `columns` are {name, line, notes},
      notes what stands beside the name. */
  function drawBody(columns) {
    const [{ line }] = columns;
    const texts = columns.map(({ name, line: own, notes = [], isTold = false }) => element(
      "div", { class: "adequa-column" },
      columns.length > 1 ? element("header", {}, element("h4", {}, name), drawVerdict(own), ...notes) : null,
      drawText(own),
      drawFindings(own, isTold),
    ));
    return element(
      "div", { class: `adequa-body columns-${columns.length}` },
      element("div", { class: "adequa-texts" }, ...texts),
      element("div", { class: "adequa-side" }, drawTable(line.triples, columns), drawReferences(line.references)),
    );
  }

  /** Tooltips on hover, focus and touch within `root`, and highlighting of related marks. */
  function explainMarks(root) {
    const tip = element("div", { class: "adequa-tip", role: "tooltip", hidden: true });
    document.body.append(tip);
    let lit = [];

    function light(target) {
      const body = target.closest(".adequa-body");
      if (!body) return;
      const row = target.closest("[data-fact]");
      const entity = target.closest("[data-entity]");
      if (entity) lit = [...body.querySelectorAll(`[data-entity="${CSS.escape(entity.dataset.entity)}"]`)];
      else if (row) lit = [...body.querySelectorAll(`[data-facts~="${CSS.escape(row.dataset.fact)}"]`)];
      for (const one of lit) one.classList.add("lit");
    }

    function show(event) {
      hide();
      if (!(event.target instanceof Element)) return;
      const marked = event.target.closest("[data-tip]");
      if (event.target.closest("[data-entity], [data-fact]")) light(event.target);
      if (!marked || !marked.dataset.tip) return;
      tip.textContent = marked.dataset.tip;
      tip.hidden = false;
      const box = marked.getClientRects()[0] || marked.getBoundingClientRect();
      const wide = tip.offsetWidth;
      const left = Math.min(Math.max(8, box.left), document.documentElement.clientWidth - wide - 8);
      const above = box.top - tip.offsetHeight - 6;
      tip.style.left = `${Math.max(8, left)}px`;
      tip.style.top = `${above > 4 ? above : box.bottom + 6}px`;
    }

    function hide() {
      tip.hidden = true;
      for (const one of lit) one.classList.remove("lit");
      lit = [];
    }

    root.addEventListener("pointerover", show);
    root.addEventListener("pointerout", hide);
    root.addEventListener("focusin", show);
    root.addEventListener("focusout", hide);
    document.addEventListener("scroll", hide, { passive: true });
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  }

  return {
    element, hiddenWords, breakable, utf16Offsets, entitiesOf, drawText, drawTable, drawFindings, drawVerdict, describeOK,
    drawFault, drawReferences, drawBody, explainMarks,
  };
})();
