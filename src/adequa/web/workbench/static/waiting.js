"use strict";
/* Reloads the page until the result is ready. */
setTimeout(() => location.reload(), 1000 * Number(document.getElementById("waiting").dataset.seconds));
