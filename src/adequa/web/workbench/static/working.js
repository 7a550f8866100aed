"use strict";
/* A run that goes on: how far it is, and the buttons that stop or delete it. */
(() => {
  const EVERY = 400;
  const at = (id) => document.getElementById(id);
  const box = at("working");
  const run = `/v1/runs/${box.dataset.run}`;
  const isGoing = (status) => status === "queued" || status === "running";

  async function look() {
    let next = EVERY;
    try {
      const response = await fetch(run, { headers: { Accept: "application/json" } });
      if (!response.ok) {
        location.reload();
        return;
      }
      const { status, progress } = await response.json();
      if (!isGoing(status)) {
        location.reload(); // the result, or why there is none
        return;
      }
      if (progress.total) {
        at("progress").max = progress.total;
        at("progress").value = progress.done;
        at("said").textContent = `${progress.done.toLocaleString("en")} of ${progress.total.toLocaleString("en")} texts scored`;
      }
    } catch {
      at("said").textContent = "The server does not respond; trying again …";
      next = 5 * EVERY;
    }
    setTimeout(look, next);
  }

  async function act(method, address) {
    const response = await fetch(address, { method, headers: { "X-Form-Token": document.body.dataset.formToken } });
    if (response.ok) return true;
    const { error } = await response.json();
    at("problem").textContent = `${error.message}${error.remedy ? `; ${error.remedy}` : ""}.`;
    return false;
  }

  const acts = {
    cancel: async () => { if (await act("POST", `${run}/cancel`)) location.reload(); },
    delete: async (button) => {
      if (button.dataset.sure) {
        if (await act("DELETE", run)) location.assign("/");
      } else {
        button.dataset.sure = "yes";
        button.textContent = "Confirm deletion";
      }
    },
  };
  /** The report is written when it is first asked for: wait for it here, then download it. */
  async function fetchReport(link) {
    const words = link.textContent;
    link.textContent = "Writing the report …";
    link.setAttribute("aria-disabled", "true");
    try {
      for (;;) {
        const response = await fetch(link.href, { method: "HEAD", headers: { Accept: "text/html" } });
        if (!response.ok || response.headers.has("Content-Disposition")) break;
        await new Promise((resolve) => { setTimeout(resolve, EVERY); });
      }
      location.assign(link.href); // the file, or the page that says why there is none
    } catch {
      at("problem").textContent = "The server does not respond. Is it still running?";
    }
    link.textContent = words;
    link.removeAttribute("aria-disabled");
  }

  if (at("report")) {
    at("report").addEventListener("click", (event) => {
      event.preventDefault();
      if (!at("report").hasAttribute("aria-disabled")) fetchReport(at("report"));
    });
  }
  for (const button of document.querySelectorAll("[data-act]")) button.addEventListener("click", () => acts[button.dataset.act](button));
  if (isGoing(box.dataset.status)) look();
  document.body.classList.add("ready");
})();
