// The whole view of the explorer stands in the address, so that a link restores it.

const PLAIN = {
  s: "", // id of the sentence
  q: "", // text that is looked for
  type: "", // type of edit, or its operation, or ":" and its category
  group: "", // part of the corpus, or place in the sentence: what it is of, ":", and its name
  system: "", // name of a system
  outcome: "", // what became of its edits
  a: "", // two systems that are compared
  b: "",
  differ: "output", // and in what they differ
  min: "", // tokens of the source, at least
  max: "", // and at most
  sort: "difficulty",
  view: "marked",
};

/** Return the view that an address asks for; null where it asks for none. */
function viewOf(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  if (!hash.includes("=") || [...given.keys()].every((name) => name === "show")) return null; // not of sentences
  return Object.fromEntries(
    Object.entries(PLAIN).map(([name, value]) => [name, given.get(name) ?? value]),
  );
}

/** Keep a view with this place in the history; it is there again after a reload. */
function keepView(view, hash) {
  history.replaceState({ view: { ...view }, show: chosenNames() }, "", hash);
}

/** Return whether the page was opened by a link, and is not shown again. */
function isFirstVisit() {
  return performance.getEntriesByType("navigation")[0]?.type === "navigate";
}

/** Return the address of a view: what is as it always is stays out. */
function addressOf(view) {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(PLAIN)) {
    if (view[name] !== value) given.set(name, view[name]);
  }
  if (!given.has("s")) given.set("s", view.s);
  for (const name of chosenNames()) given.append("show", name);
  return `#${given}`;
}
