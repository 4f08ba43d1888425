// The live diff of long texts, off the page's own thread. A module worker:
//   worker.postMessage({ id, source, target, options })  ->  { id, pieces, edits }

import { diff } from "./diff.js";

self.addEventListener("message", ({ data: { id, source, target, options } }) => {
  self.postMessage({ id, ...diff(source, target, options) });
});
