"use strict";
/* Shows how a file would be read, sends it to be scored, and goes to the page of its run. */
(() => {
  const at = (id) => document.getElementById(id);
  const form = at("upload");
  const input = at("file");

  function size(bytes) {
    return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  }

  function say() {
    const [file] = input.files;
    at("chosen").textContent = file ? `${file.name}, ${size(file.size)}` : "";
    at("upload-problem").textContent = "";
    at("columns").hidden = true;
    form.elements.text.replaceChildren();
    form.elements.key.replaceChildren();
    if (file) preview(file);
  }

  /** The chosen format; for records with the columns of text and name. */
  function format() {
    const chosen = form.elements.format.value;
    const columns = at("columns");
    if (columns.hidden || (chosen && chosen !== "records")) return chosen;
    const settings = ["text", "key"]
      .filter((name) => form.elements[name].value)
      .map((name) => `${name}=${form.elements[name].value.replaceAll(",", "\\,")}`);
    return settings.length ? `records:${settings.join(",")}` : chosen;
  }

  let asked = 0;
  /** Asks the server how the beginning of the file would be read. */
  async function preview(file) {
    const most = Number(form.dataset.preview);
    const query = { name: file.name.slice(-200), cut: file.size > most ? "1" : "0" };
    const wanted = format();
    if (wanted) query.format = wanted;
    const number = ++asked;
    let answer;
    try {
      const response = await fetch(`/preview?${new URLSearchParams(query)}`, {
        method: "POST",
        headers: { "Content-Type": "application/octet-stream", "X-Form-Token": document.body.dataset.formToken },
        body: file.slice(0, most),
      });
      if (!response.ok) return; // the problem is shown when the file is sent
      answer = await response.json();
    } catch {
      return;
    }
    if (number === asked) show(answer);
  }

  function option(value, words) {
    const made = document.createElement("option");
    made.value = value;
    made.textContent = words;
    return made;
  }

  const ROLES = { fact: "fact", thing: "a thing", row: "a row", name: "the name", "left out": "left out" };

  /** Shows the columns to choose from, and what becomes of each field. */
  function show({ columns, text, candidates, fields, subjects }) {
    at("columns").hidden = !columns.length;
    if (!columns.length) return;
    const { text: texts, key } = form.elements;
    if (!texts.options.length) {
      texts.replaceChildren(...(text ? [] : [option("", "choose the column of the text")]), ...columns.map((name) => option(name, candidates.includes(name) ? `${name} (looks like a text)` : name)));
      texts.value = text || "";
      key.replaceChildren(option("", subjects.length ? `found: ${subjects.join(", ")}` : "found"), ...columns.map((name) => option(name, name)));
    }
    const facts = fields.filter(({ role }) => role === "fact" || role === "thing");
    const left = fields.filter(({ role, detail }) => role === "left out" && detail !== "empty");
    at("preview").querySelector("summary").textContent = `${facts.length} fields are facts, ${left.length} are left out`;
    at("preview").querySelector("tbody").replaceChildren(
      ...[...fields].sort((one, two) => (one.role === "left out") - (two.role === "left out")).map((field) => {
        const row = document.createElement("tr");
        for (const words of [field.path, `${ROLES[field.role]}: ${field.detail}`, field.examples.join(" · ")]) {
          const cell = document.createElement("td");
          cell.textContent = words;
          row.append(cell);
        }
        return row;
      }),
    );
  }

  function refuse(message) {
    at("upload-problem").textContent = message;
    at("upload-progress").hidden = true;
    form.querySelector("button").disabled = false;
  }

  function send(file) {
    const query = { name: file.name.slice(-200) };
    const metrics = [...form.querySelectorAll("[name=metric]:checked")].map((box) => box.value);
    if (!metrics.length) {
      refuse("Choose at least one metric.");
      return;
    }
    query.metrics = metrics.join(",");
    if (!at("columns").hidden && !form.elements.text.value) {
      refuse("Choose the column of the text.");
      return;
    }
    if (format()) query.format = format();
    if (!at("columns").hidden && form.elements.coverage.value) query.coverage = form.elements.coverage.value;
    const request = new XMLHttpRequest(); // fetch does not tell how much was sent
    request.open("POST", `/v1/runs?${new URLSearchParams(query)}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("X-Form-Token", document.body.dataset.formToken);
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) at("upload-progress").value = event.loaded / event.total;
    });
    request.addEventListener("error", () => refuse("The file could not be uploaded. Is the server still running?"));
    request.addEventListener("load", () => {
      let answer = {};
      try {
        answer = JSON.parse(request.responseText);
      } catch {
        answer = { error: { message: `the server answered ${request.status}` } };
      }
      if (request.status === 202) location.assign(`/runs/${answer.id}`);
      else refuse(`${answer.error.where ? `${answer.error.where}: ` : ""}${answer.error.message}${answer.error.remedy ? `; ${answer.error.remedy}` : ""}.`);
    });
    at("upload-progress").hidden = false;
    form.querySelector("button").disabled = true;
    request.send(file);
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (input.files.length) send(input.files[0]);
  });
  input.addEventListener("change", say);
  form.elements.format.addEventListener("change", say);
  for (const name of ["text", "key"]) {
    form.elements[name].addEventListener("change", () => {
      at("upload-problem").textContent = "";
      if (input.files.length) preview(input.files[0]);
    });
  }
  for (const name of ["dragover", "dragleave", "drop"]) {
    at("drop").addEventListener(name, (event) => {
      event.preventDefault();
      at("drop").classList.toggle("over", name === "dragover");
      if (name === "drop" && event.dataTransfer.files.length) {
        input.files = event.dataTransfer.files;
        say();
      }
    });
  }
  form.hidden = false;

  /** Runs that go on: look again now and then. */
  if (document.querySelector("[data-status=running], [data-status=queued]")) setTimeout(() => { if (!input.files.length) location.reload(); }, 4000);
  document.body.classList.add("ready");
})();
