"use strict";
/* Something is being made: look again soon. */
setTimeout(() => location.reload(), 1000 * Number(document.getElementById("waiting").dataset.seconds));
