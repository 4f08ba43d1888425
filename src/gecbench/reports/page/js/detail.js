// One sentence with its source, its references and all systems.

const VIEWS = ["marked", "aligned", "plain"];

/** Offer the ways to show a sentence that there is something for. */
function offerViews({ hasEdits }) {
  if (!hasEdits) VIEWS.splice(0, VIEWS.length, "plain");
  PLAIN.view = VIEWS[0];
}

function versionsOf(data, place) {
  const references = data.referencesOf(place).map((one) => ({
    kind: "reference",
    edits: one.edits,
    missed: [],
    text: data.textOf(place, one, one.edits),
    state: one.state,
    head: () => referenceHead(one),
  }));
  const outputs = data.systems.map((name, system) => {
    const output = data.outputOf(place, system);
    return {
      kind: "system",
      edits: output.made,
      missed: output.missed,
      text: data.textOf(place, output, output.made),
      state: output.state,
      head: () => systemHead(data, name, output),
    };
  });
  return [...references, ...outputs];
}

function referenceHead(reference) {
  const head = [make("span", { class: "name" }, say("reference", { number: reference.number + 1 }))];
  if (reference.annotator) head.push(make("bdi", { class: "minor" }, say("annotator", { name: reference.annotator })));
  return head;
}

function systemHead(data, name, output) {
  if (!data.hasEdits) return [make("span", { class: "name" }, make("bdi", {}, name))];
  const key = MARK_KEYS[output.outcome];
  const [right, wrong, missed] = output.counts;
  const told = output.reference < 0 ? say("unjudged") : say("counts", { right, wrong, missed, number: output.reference + 1 });
  const why = whyMore(data, output);
  return [
    make("span", { class: "name" }, make("i", { class: key, "aria-hidden": "true" }, MARKS[output.outcome]), make("bdi", {}, name)),
    make("span", { class: "minor" }, unseen(`${say(key)}: `), told),
    why && make("span", { class: "minor why" }, say(why)),
  ];
}

/** Return why the metric's counts are not the marks; null where they are. */
function whyMore(data, output) {
  if (output.reference < 0) return null;
  const marks = new Map([...output.made, ...output.missed].map((edit) => [edit.index, edit.verdict]));
  const counted = ["true", "false", "missed"].map((kind) => [...marks.values()].filter((one) => one === kind).length);
  if (counted.every((count, at) => count === output.counts[at])) return null;
  if (data.countsTokens) return "countsTokens";
  return output.declared.includes("unannotatable") ? "countsDeclared" : "countsTwice";
}

/** Return what stands where a version has no text of its own. */
function remark(version, source) {
  if (version.state) return say(version.state);
  if (version.text === "") return say("empty");
  if (!version.edits.length && version.text === source) return version.kind === "system" ? say("asSource") : say("errorFree");
  return null;
}

function detail(data, place, asked) {
  const view = VIEWS.includes(asked) ? asked : VIEWS[0];
  const source = data.sources[place];
  const context = { data, place };
  const versions = versionsOf(data, place);
  if (view === "aligned") {
    const table = alignedTable(data, place, versions, context);
    for (const cell of table.querySelectorAll("td")) Object.assign(cell, { lang: data.lang, dir: "auto" });
    return make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": say("aligned") }, table);
  }
  const rows = versions.map((version) => {
    const said = remark(version, source);
    const body = view === "plain" ? [version.text] : markedText(source, version.edits, version.missed, context);
    const note = said ? make("span", { class: "remark", lang: root.lang }, said) : null;
    const text = make("p", { class: "text", lang: data.lang, dir: "auto" }, ...(version.state ? [] : body));
    return make("tr", { class: version.kind }, make("th", { scope: "row" }, ...version.head()), make("td", {}, text, note));
  });
  const first = make(
    "tr",
    { class: "source" },
    make("th", { scope: "row" }, make("span", { class: "name" }, say("source"))),
    make("td", {}, make("p", { class: "text", lang: data.lang, dir: "auto" }, source)),
  );
  return make("table", { class: "versions" }, make("tbody", {}, first, ...rows));
}
