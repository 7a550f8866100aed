"use strict";
/* Dark or light as the system says, or as was chosen here before; set before anything is drawn. */
(() => {
  const KEY = "adequa-theme";
  const root = document.documentElement;
  const read = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // a browser may keep nothing
    }
  };
  const set = read();
  if (set === "dark" || set === "light") root.dataset.theme = set;
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const show = () => button.setAttribute("aria-pressed", String(isDark()));
    button.hidden = false;
    show();
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      show();
      try {
        localStorage.setItem(KEY, root.dataset.theme);
      } catch {
        // then it is for this page only
      }
    });
  });
})();
