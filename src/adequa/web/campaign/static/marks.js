/* Marking parts of the text, by mouse, by touch and by keyboard.
   Offsets are code points from the start of the text, as the server counts: each piece brings its
   own offset, and within a piece characters are counted, not UTF-16 units. */
(function () {
  "use strict";

  window.adequaMarks = function (text, fieldsets, changed, looking) {
    const pieces = Array.from(text.querySelectorAll("[data-start]"), (element) => ({
      element,
      start: Number(element.dataset.start),
      end: Number(element.dataset.end),
      characters: Array.from(element.textContent),
    }));
    const words = pieces.filter((piece) => piece.element.classList.contains("word"));
    const questions = fieldsets.map(question);
    let chosen = null; // {start, end} or nothing
    let anchor = null; // the word where a selection by keyboard or by taps began
    let cursor = -1; // the word the keyboard or a tap was at last

    function question(fieldset) {
      const input = fieldset.querySelector("input[data-marks]");
      const labels = Array.from(fieldset.querySelectorAll("button[data-label]"));
      const list = fieldset.querySelector(".marks");
      const severities = JSON.parse(list.dataset.severities || "[]");
      const made = { fieldset, input, labels, list, severities, marks: JSON.parse(input.dataset.marks) };
      labels.forEach((button, index) => {
        // The button must not take the selection away before it can use it.
        button.addEventListener("mousedown", (event) => event.preventDefault());
        button.addEventListener("click", () => mark(fieldset, index));
      });
      return made;
    }

    function of(start, end) {
      return pieces
        .filter((piece) => piece.end > start && piece.start < end)
        .map((piece) => piece.characters.slice(Math.max(0, start - piece.start), end - piece.start).join(""))
        .join("");
    }

    function offset(node, place) {
      if (node.nodeType !== Node.TEXT_NODE) {
        const child = node.childNodes[place];
        let leaf = child || node;
        while (leaf.firstChild) leaf = child ? leaf.firstChild : leaf.lastChild;
        if (leaf.nodeType !== Node.TEXT_NODE) return null;
        return offset(leaf, child ? 0 : leaf.data.length);
      }
      const part = node.parentElement.closest("[data-start]");
      return part && Number(part.dataset.start) + Array.from(node.data.slice(0, place)).length;
    }

    function trimmed(start, end) {
      const inside = words.filter((word) => word.end > start && word.start < end);
      if (!inside.length) return null;
      return { start: Math.max(start, inside[0].start), end: Math.min(end, inside[inside.length - 1].end) };
    }

    function choose(range) {
      chosen = range;
      for (const piece of pieces) {
        const inside = range && piece.end > range.start && piece.start < range.end;
        piece.element.classList.toggle("chosen", Boolean(inside) && anchor !== null);
      }
      if (!range) return;
      for (const asked of questions) asked.fieldset.querySelector("p.problem[id]").textContent = "";
      looking(questions[0].fieldset);
    }

    function clear() {
      anchor = null;
      choose(null);
      const selection = window.getSelection();
      if (selection.rangeCount && text.contains(selection.anchorNode)) selection.removeAllRanges();
    }

    function mark(fieldset, index) {
      const asked = questions.find((one) => one.fieldset === fieldset);
      if (!asked || !asked.labels[index]) return;
      const problem = fieldset.querySelector("p.problem[id]");
      problem.textContent = chosen ? "" : "Select a part of the text first.";
      if (!chosen) return;
      const { start, end } = chosen;
      // The same words again: the new label takes the place of the old one.
      asked.marks = asked.marks.filter((one) => one.start !== start || one.end !== end);
      const severity = asked.severities.length ? { severity: "" } : {};
      asked.marks.push({ start, end, label: asked.labels[index].dataset.label, ...severity });
      asked.marks.sort((one, other) => one.start - other.start || one.end - other.end);
      clear();
      show();
      changed();
    }

    function show() {
      for (const asked of questions) {
        asked.input.value = JSON.stringify(asked.marks);
        asked.list.replaceChildren(...asked.marks.map((one) => row(asked, one)));
      }
      const all = questions.flatMap((asked) => asked.marks.map((one) => ({ ...one, look: look(asked, one.label) })));
      for (const piece of pieces) draw(piece, all.filter((one) => one.end > piece.start && one.start < piece.end));
    }

    function look(asked, label) {
      const index = asked.labels.findIndex((button) => button.dataset.label === label);
      return "mark-" + (Math.max(0, index) % 6);
    }

    function draw(piece, marks) {
      const edges = new Set([piece.start, piece.end]);
      for (const one of marks) {
        edges.add(Math.max(piece.start, one.start));
        edges.add(Math.min(piece.end, one.end));
      }
      const sorted = Array.from(edges).sort((one, other) => one - other);
      const parts = sorted.slice(0, -1).map((start, index) => {
        const string = piece.characters.slice(start - piece.start, sorted[index + 1] - piece.start).join("");
        const over = marks.filter((one) => one.start <= start && one.end > start).pop();
        if (!over) return within(string, start);
        const part = within(string, start);
        part.className = "marked " + over.look;
        part.title = over.label;
        return part;
      });
      piece.element.replaceChildren(...(marks.length ? parts : [piece.characters.join("")]));
    }

    function within(string, start) {
      const part = document.createElement("span");
      part.dataset.start = String(start);
      part.textContent = string;
      return part;
    }

    function row(asked, one) {
      const item = document.createElement("li");
      const words = document.createElement("q");
      words.dir = "auto";
      words.textContent = of(one.start, one.end);
      const label = document.createElement("small");
      label.textContent = one.label;
      const remove = document.createElement("button");
      remove.type = "button";
      remove.className = "quiet-button";
      remove.textContent = "Remove";
      remove.setAttribute("aria-label", "Remove the mark on " + words.textContent);
      remove.addEventListener("click", () => {
        asked.marks = asked.marks.filter((other) => other !== one);
        show();
        changed();
      });
      item.append(words, label, ...(asked.severities.length ? [severity(asked, one, words.textContent)] : []), remove);
      return item;
    }

    function severity(asked, one, words) {
      const select = document.createElement("select");
      select.setAttribute("aria-label", "How bad is the error in " + words);
      for (const value of ["", ...asked.severities]) {
        const option = document.createElement("option");
        option.value = value;
        option.textContent = value || "how bad?";
        option.selected = value === one.severity;
        select.append(option);
      }
      select.addEventListener("change", () => {
        one.severity = select.value;
        asked.input.value = JSON.stringify(asked.marks);
        asked.fieldset.querySelector("p.problem[id]").textContent = "";
        changed();
      });
      return select;
    }

    function at(element) {
      const word = element && element.closest && element.closest(".word");
      return words.findIndex((one) => one.element === word);
    }

    // A word is focusable only while the keyboard is used: from a focusable one Chromium starts no
    // selection by mouse.
    function rest() {
      for (const word of words) word.element.removeAttribute("tabindex");
    }

    function to(index) {
      rest();
      cursor = index;
      words[index].element.tabIndex = -1;
      words[index].element.focus();
    }

    function span(first, last) {
      const [low, high] = first < last ? [first, last] : [last, first];
      return { start: words[low].start, end: words[high].end };
    }

    text.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || !words.length) return;
      const here = cursor;
      const forward = getComputedStyle(text).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
      const backward = forward === "ArrowLeft" ? "ArrowRight" : "ArrowLeft";
      const goals = { [forward]: here + 1, [backward]: here - 1, Home: 0, End: words.length - 1, " ": here };
      if (event.key === "Escape") clear();
      if (!(event.key in goals)) return;
      event.preventDefault();
      const goal = Math.min(words.length - 1, Math.max(0, goals[event.key]));
      if (!event.shiftKey || anchor === null) anchor = event.shiftKey ? Math.max(0, here) : goal;
      window.getSelection().removeAllRanges();
      to(goal);
      choose(span(anchor, goal));
    });

    text.addEventListener("click", (event) => {
      const here = at(event.target);
      if (here < 0 || !window.getSelection().isCollapsed) return;
      if (!event.shiftKey || anchor === null) anchor = here;
      cursor = here;
      choose(span(anchor, here));
    });

    document.addEventListener("selectionchange", () => {
      const selection = window.getSelection();
      if (!selection.rangeCount || selection.isCollapsed) return;
      const range = selection.getRangeAt(0);
      if (!range.intersectsNode(text)) return;
      const first = text.contains(range.startContainer) ? offset(range.startContainer, range.startOffset) : pieces[0].start;
      const last = text.contains(range.endContainer) ? offset(range.endContainer, range.endOffset) : pieces[pieces.length - 1].end;
      anchor = null;
      choose(first === null || last === null ? null : trimmed(first, last));
    });

    text.addEventListener("pointerdown", rest);
    text.tabIndex = 0;
    show();
    return {
      mark,
      focus: () => text.focus(),
      of: (fieldset) => (questions.find((one) => one.fieldset === fieldset) || { marks: [] }).marks,
      asks: (fieldset) => questions.some((one) => one.fieldset === fieldset),
    };
  };
})();
