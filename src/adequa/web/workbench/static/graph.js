"use strict";
/* Data as a drawing: things in boxes, facts as arrows that say what became of them in the text.

   A tree from left to right where there is room, else one line below the other; a thing met again
   stands in a box of its own, with the same number and colour. */
const adequaGraph = (() => {
  const SPACE = "http://www.w3.org/2000/svg";
  const LINE = 18;
  const PAD = 9;
  const GAP = 16;
  const INDENT = 26;
  const MOST_CHARACTERS = 26;
  const MOST_LINES = 3;
  const COLOURS = 7;
  const SIGNS = { stated: "✓", missing: "✗", contradicted: "≠", unchecked: "·" };
  const WORDS = { stated: "stated", missing: "missing", contradicted: "contradicted", unchecked: "not checked" };

  function svg(name, attributes = {}, ...children) {
    const made = document.createElementNS(SPACE, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    made.append(...children);
    return made;
  }

  const readable = (name) => name.replace(/_/g, " ").trim() || "—";

  /** Widths in the page's own font; a canvas measures without drawing. */
  const measure = (() => {
    let context = null;
    return (words, size) => {
      if (!context) context = document.createElement("canvas").getContext("2d");
      context.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
      return context.measureText(words).width;
    };
  })();

  function wrapped(name) {
    const lines = [""];
    for (const word of readable(name).split(/\s+/)) {
      let rest = word;
      while (rest.length > MOST_CHARACTERS) {
        lines.push(rest.slice(0, MOST_CHARACTERS));
        rest = rest.slice(MOST_CHARACTERS);
      }
      const last = lines[lines.length - 1];
      if (last && last.length + rest.length + 1 > MOST_CHARACTERS) lines.push(rest);
      else lines[lines.length - 1] = last ? `${last} ${rest}` : rest;
    }
    const some = lines.filter(Boolean);
    return some.length > MOST_LINES ? [...some.slice(0, MOST_LINES - 1), `${some[MOST_LINES - 1]} …`] : some;
  }

  function node(name, fact) {
    const lines = wrapped(name);
    return {
      name, fact, lines, children: [], x: 0, y: 0, room: 0,
      width: Math.max(...lines.map((line) => measure(line, 14))) + 2 * PAD + 14,
      height: lines.length * LINE + PAD,
      label: fact ? `${SIGNS[fact.status]} ${fact.predicate}` : "",
    };
  }

  /** Trees from the subjects that nothing leads to; what stands in a circle begins somewhere. */
  function trees(facts) {
    const bySubject = new Map();
    for (const fact of facts) bySubject.set(fact.subject, [...(bySubject.get(fact.subject) || []), fact]);
    const objects = new Set(facts.filter((fact) => fact.subject !== fact.object).map((fact) => fact.object));
    const drawn = new Set();
    const grow = (name) => {
      drawn.add(name);
      const root = node(name, null);
      const waiting = [root];
      while (waiting.length) {
        const parent = waiting.shift();
        for (const fact of bySubject.get(parent.name) || []) {
          const child = node(fact.object, fact);
          parent.children.push(child);
          if (bySubject.has(fact.object) && !drawn.has(fact.object)) {
            drawn.add(fact.object);
            waiting.push(child);
          }
        }
      }
      return root;
    };
    const roots = [];
    const subjects = [...bySubject.keys()];
    for (const name of [...subjects.filter((one) => !objects.has(one)), ...subjects]) {
      if (!drawn.has(name)) roots.push(grow(name));
    }
    return roots;
  }

  /** Each before its children. */
  function inOrder(root) {
    const order = [];
    const waiting = [root];
    while (waiting.length) {
      const one = waiting.pop();
      order.push(one);
      waiting.push(...[...one.children].reverse());
    }
    return order;
  }

  function placeAcross(roots) {
    let columns = [];
    let level = roots;
    while (level.length) {
      columns = [...columns, level];
      level = level.flatMap((one) => one.children);
    }
    let x = 2;
    columns.forEach((column, depth) => {
      const label = Math.max(...column.map((one) => measure(one.label, 12.5)));
      if (depth) x += Math.max(80, label + 64);
      for (const one of column) one.x = x;
      x += Math.max(...column.map((one) => one.width));
    });
    let top = 10;
    for (const root of roots) {
      const order = inOrder(root);
      const below = (one) => one.children.reduce((sum, child) => sum + child.room + GAP, -GAP);
      for (const one of [...order].reverse()) one.room = Math.max(one.height, below(one));
      root.y = top + root.room / 2;
      for (const one of order) {
        let start = one.y - below(one) / 2;
        for (const child of one.children) {
          child.y = start + child.room / 2;
          start += child.room + GAP;
        }
      }
      top += root.room + GAP;
    }
    return { width: x + 2, height: top - GAP + 4 };
  }

  function placeDown(roots) {
    let top = 4;
    let width = 0;
    for (const root of roots) {
      const order = inOrder(root);
      root.x = 2;
      for (const one of order) {
        one.y = top + one.height / 2 + (one.fact ? 20 : 0);
        for (const child of one.children) child.x = one.x + INDENT + 12;
        top = one.y + one.height / 2 + 4;
        width = Math.max(width, one.x + Math.max(one.width, measure(one.label, 12.5)));
      }
      top += GAP;
    }
    return { width: width + 4, height: top - GAP };
  }

  function drawArrow(parent, child, isDown) {
    const status = child.fact.status;
    const from = isDown ? { x: parent.x + INDENT / 2, y: parent.y + parent.height / 2 } : { x: parent.x + parent.width, y: parent.y };
    const to = { x: child.x - 2, y: child.y };
    const bend = isDown ? from.x : from.x + 34;
    const path = isDown
      ? `M${from.x} ${to.y - 8}q0 8 8 8H${to.x}`
      : `M${from.x} ${from.y}C${bend} ${from.y} ${from.x} ${to.y} ${bend} ${to.y}H${to.x}`;
    // Above the arrow where it runs straight, or above the box where there is little room.
    const label = isDown
      ? { x: bend + 8, y: to.y - child.height / 2 - 6, "text-anchor": "start" }
      : { x: (bend + to.x) / 2 - 5, y: to.y - 6, "text-anchor": "middle" };
    return svg("g", { class: `fact ${status}` },
      svg("path", { class: "arrow", d: path, "marker-end": `url(#tip-${status})` }),
      svg("text", { class: "predicate", ...label }, child.label),
      svg("title", {}, `${child.fact.subject} | ${child.fact.predicate} | ${child.fact.object}: ${WORDS[status]}`),
    );
  }

  /** The vertical line that the facts below a box branch off from. */
  function drawTrunk(parent) {
    const x = parent.x + INDENT / 2;
    const last = parent.children[parent.children.length - 1];
    return svg("path", { class: "trunk", d: `M${x} ${parent.y + parent.height / 2}V${last.y - 8}` });
  }

  function drawBox(one, number, isFound) {
    const top = one.y - one.height / 2;
    const words = one.lines.map((line, row) => svg("text", { x: one.x + PAD, y: top + (row + 0.95) * LINE }, line));
    return svg("g", { class: `thing colour-${number % COLOURS}${isFound ? "" : " not-found"}` },
      svg("rect", { x: one.x, y: top, width: one.width, height: one.height, rx: 6 }),
      ...words,
      svg("text", { class: "number", x: one.x + one.width - 5, y: top + 12, "text-anchor": "end" }, String(number + 1)),
      svg("title", {}, `${one.name}: ${isFound ? "mentioned in the text" : "not mentioned in the text"}`),
    );
  }

  /** The facts of a line of a run as a drawing that fits into `room` pixels if it can. */
  function draw(line, room) {
    const entities = adequaComponents.entitiesOf(line.triples);
    const found = new Set(line.mentions.map((mention) => mention.entity));
    const knows = line.mentions.length > 0 || "esa" in line.scores;
    const facts = line.triples.map(([subject, predicate, object]) => {
      const own = line.facts.find(({ triple }) => triple[0] === subject && triple[1] === predicate && triple[2] === object);
      return { subject, predicate, object, status: own && own.status in SIGNS ? own.status : "unchecked" };
    });
    const roots = trees(facts);
    let size = placeAcross(roots);
    const isDown = size.width > room;
    if (isDown) size = placeDown(roots);
    const tips = Object.keys(SIGNS).map((status) => svg("marker", {
      id: `tip-${status}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto", class: `tip ${status}`,
    }, svg("path", { d: "M0 0L8 4L0 8z" })));
    const count = (status) => facts.filter((fact) => fact.status === status).length;
    const told = Object.keys(SIGNS).filter(count).map((status) => `${count(status)} ${WORDS[status]}`).join(", ");
    const drawing = svg("svg", {
      class: "graph", viewBox: `0 0 ${Math.ceil(size.width)} ${Math.ceil(size.height)}`, width: Math.ceil(size.width),
      height: Math.ceil(size.height), role: "img", "aria-label": `The data as a graph of ${facts.length} facts: ${told}. The table above lists them.`,
    }, svg("defs", {}, ...tips));
    for (const root of roots) {
      const order = inOrder(root);
      for (const one of order) {
        if (isDown && one.children.length) drawing.append(drawTrunk(one));
        for (const child of one.children) drawing.append(drawArrow(one, child, isDown));
      }
      for (const one of order) drawing.append(drawBox(one, entities.indexOf(one.name), !knows || found.has(one.name)));
    }
    return drawing;
  }

  return { draw };
})();
