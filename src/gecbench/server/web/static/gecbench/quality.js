// The line that says how far the counting is asks for its successor. Where that fails it says why, and asks no more.

import { byId } from "./page.js";

for (const name of ["htmx:responseError", "htmx:sendError"]) {
  document.addEventListener(name, ({ detail }) => {
    const line = byId("stopped").content.cloneNode(true);
    const failure = new DOMParser().parseFromString(detail.xhr.responseText, "text/html");
    const title = failure.querySelector(".failure h1");
    if (title) line.querySelector(".reason").textContent = title.textContent;
    byId("counting")?.replaceWith(line);
  });
}
