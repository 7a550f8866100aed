/* What a page of one text does beyond a plain form: keys, sliders, saving as you go, time in view.
   Without it choices and numbers can be filled in and sent all the same. */
(function () {
  "use strict";

  const form = document.getElementById("answers");
  if (!form) return;
  document.documentElement.classList.add("js");
  const questions = Array.from(form.querySelectorAll(".question[data-name]"));
  const text = document.getElementById("text");
  const send = document.getElementById("send");
  const spanning = questions.filter((one) => one.querySelector("input[data-marks]"));
  const marks = text && spanning.length ? window.adequaMarks(text, spanning, changed, look) : null;

  // The answered questions, and the current one.

  let current = null;

  function look(question) {
    current = question;
    for (const one of questions) one.classList.toggle("current", one === question);
  }

  function isAnswered(question) {
    if (question.dataset.kind === "choice") return question.querySelector("input:checked") !== null;
    if (question.dataset.kind === "slider") return number(question).value.trim() !== "";
    return true;
  }

  function number(question) {
    return question.querySelector("input[type=number]");
  }

  function goTo(question) {
    if (!question) return send.focus();
    look(question);
    if (question.dataset.kind === "choice") (question.querySelector("input:checked") || question.querySelector("input")).focus();
    else if (question.dataset.kind === "slider") question.querySelector("input[type=range]").focus();
    else if (marks && marks.asks(question)) marks.focus();
    else form.querySelector(`input[type=checkbox][data-question="${CSS.escape(question.dataset.name)}"]`)?.focus();
  }

  function complain(question, words) {
    question.classList.toggle("wrong", words !== "");
    question.querySelector("p.problem[id]").textContent = words;
  }

  form.addEventListener("focusin", (event) => {
    const question = event.target.closest(".question[data-name]");
    if (question) look(question);
    else if (text && text.contains(event.target)) look(spanning.includes(current) ? current : spanning[0]);
  });

  // Sliders: the number is what counts, and it is empty until one was set.

  for (const question of questions.filter((one) => one.dataset.kind === "slider")) {
    const range = question.querySelector("input[type=range]");
    const box = number(question);
    const follow = () => {
      question.classList.toggle("untouched", box.value === "");
      range.value = box.value === "" ? String((Number(range.min) + Number(range.max)) / 2) : box.value;
      range.setAttribute("aria-valuetext", box.value === "" ? "not set" : box.value);
    };
    const set = () => {
      box.value = range.value;
      follow();
      complain(question, "");
    };
    range.addEventListener("input", set);
    range.addEventListener("pointerup", () => {
      set();
      changed();
    });
    box.addEventListener("input", follow);
    follow();
  }

  // Time: only while the page can be seen.

  let spent = Number(form.dataset.seconds) || 0;
  let since = document.hidden ? null : performance.now();

  function seconds() {
    return spent + (since === null ? 0 : (performance.now() - since) / 1000);
  }

  document.addEventListener("visibilitychange", () => {
    spent = seconds();
    since = document.hidden ? null : performance.now();
    if (document.hidden) save(true);
  });

  // Saving as you go.

  const state = document.getElementById("state");
  const address = form.dataset.draft;
  const beat = Number(form.dataset.beat) * 1000;
  let isDirty = false;
  let isSaving = false;
  let isSending = false;
  let timer = 0;
  let active = performance.now();

  function say(words, isWrong) {
    state.textContent = words;
    state.classList.toggle("wrong", Boolean(isWrong));
  }

  function entered() {
    const draft = {};
    for (const question of questions) {
      const name = question.dataset.name;
      if (question.dataset.kind === "spans") {
        const ticked = form.querySelectorAll(`input[type=checkbox][data-question="${CSS.escape(name)}"]:checked`);
        draft[name] = { marks: marks ? marks.of(question) : [], omitted: Array.from(ticked, (box) => Number(box.value)) };
      } else if (isAnswered(question)) {
        const field = question.querySelector("input:checked") || number(question);
        draft[name] = Number(field.value.replace(",", "."));
      }
    }
    return draft;
  }

  function changed() {
    isDirty = true;
    active = performance.now();
    later(500);
  }

  function later(wait) {
    if (!address) return;
    clearTimeout(timer);
    timer = setTimeout(save, wait);
  }

  async function save(isLast) {
    if (!address || isSending || (isSaving && isLast !== true)) return;
    if (isLast === true && !isDirty) return;
    clearTimeout(timer);
    isSaving = true;
    const wasDirty = isDirty;
    isDirty = false;
    if (wasDirty) say("Saving …");
    try {
      const answer = await fetch(address, {
        method: "POST",
        credentials: "same-origin",
        keepalive: isLast === true,
        headers: { "Content-Type": "application/json", "X-Form-Token": form.elements.form_token.value },
        // Without a change only a sign of life: another device may have written a newer draft.
        body: JSON.stringify(wasDirty ? { draft: entered(), seconds: seconds() } : {}),
      });
      if (answer.ok) {
        document.getElementById("conflict").hidden = true;
        if (wasDirty) say("Saved");
      } else if (answer.status === 409) {
        document.getElementById("conflict").hidden = false;
        say("Not saved", true);
      } else if (answer.status === 401 || answer.status === 403) {
        say("Not saved: open your link again", true);
      } else {
        throw new Error(String(answer.status));
      }
    } catch {
      isDirty = isDirty || wasDirty;
      if (!isDirty) return;
      say("Not saved yet", true);
      later(5000);
    } finally {
      isSaving = false;
      if (isDirty && !state.classList.contains("wrong")) later(500);
    }
  }

  form.addEventListener("input", changed);
  form.addEventListener("change", (event) => {
    const question = event.target.closest(".question[data-name]");
    if (question && isAnswered(question)) complain(question, "");
    changed();
  });
  for (const kind of ["pointermove", "keydown", "scroll"]) {
    document.addEventListener(kind, () => (active = performance.now()), { passive: true });
  }
  // A sign of life, while somebody is there: else the text goes back to the pool.
  if (address && beat) setInterval(() => !document.hidden && performance.now() - active < 10 * beat && save(), beat);

  // Sending.

  form.addEventListener("submit", (event) => {
    const open = questions.filter((one) => !isAnswered(one));
    for (const question of questions) {
      const words = question.dataset.kind === "choice" ? "Choose one." : "Set a value.";
      complain(question, open.includes(question) ? words : "");
    }
    if (open.length || isSending) {
      event.preventDefault();
      if (open.length) goTo(open[0]);
      return;
    }
    isSending = true;
    clearTimeout(timer);
    form.elements.seconds.value = seconds().toFixed(1);
    send.disabled = true;
    say("Submitting …");
  });

  // A page that comes back from the browser's memory may be answered long since.
  window.addEventListener("pageshow", (event) => event.persisted && location.reload());

  // Keys.

  const keys = document.getElementById("keys");
  document.getElementById("keys-button").addEventListener("click", () => keys.showModal());

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || keys.open) return;
    const target = event.target;
    if (target.matches("input[type=number], input[type=text], textarea")) return;
    if (event.key === "?") return keys.showModal();
    if (/^[1-9]$/.test(event.key) && current) {
      const index = Number(event.key) - 1;
      if (current.dataset.kind === "choice") {
        const choice = current.querySelectorAll("input[type=radio]")[index];
        if (!choice) return;
        event.preventDefault();
        choice.checked = true;
        choice.dispatchEvent(new Event("change", { bubbles: true }));
        goTo(questions[questions.indexOf(current) + 1]);
      } else if (marks && marks.asks(current)) {
        event.preventDefault();
        marks.mark(current, index);
      }
    } else if (event.key === "Enter" && !target.closest("a, button, summary, input")) {
      event.preventDefault();
      form.requestSubmit(send);
    } else if (event.key.startsWith("Arrow") && target === document.body && current?.dataset.kind === "slider") {
      event.preventDefault();
      goTo(current);
    }
  });

  look(questions.find((one) => !isAnswered(one)) || questions[0]);
})();
