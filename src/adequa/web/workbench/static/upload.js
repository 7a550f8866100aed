"use strict";
/* Sends a file to be scored, and goes to the page of its run. */
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
    if (form.elements.format.value) query.format = form.elements.format.value;
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
