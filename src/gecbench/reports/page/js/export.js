// The sentences that the filters leave, as a file: what was written of each, and the counts.

/** Return a sentence as a row of the exports: names and values, texts as they were written. */
function exported(data, place) {
  const references = data.referencesOf(place).map((one) => (one.state ? null : data.textOf(place, one, one.edits)));
  const outputs = data.systems.map((_, system) => data.outputOf(place, system));
  const meta = Object.entries(data.meta).filter(([, values]) => values[place] !== null);
  return {
    id: data.ids[place],
    source: data.sources[place],
    references,
    outputs: outputs.map((output) => (output.state ? null : data.textOf(place, output, output.made))),
    counts: outputs.map((output) => (output.reference < 0 ? null : output.counts)), // true, false, missed
    meta: Object.fromEntries(meta.map(([name, values]) => [name, data.strings[values[place]]])),
    difficulty: data.hasDifficulty ? data.difficulty[place] : null,
  };
}

/** Write sentences as JSON, one a line. */
function asJsonl(data, places) {
  const lines = places.map((place) => {
    const { id, source, references, outputs, counts, meta, difficulty } = exported(data, place);
    const bySystem = (values, turn) => Object.fromEntries(data.systems.map((name, at) => [name, values[at] && turn(values[at])]));
    const row = { id, source, references, outputs: bySystem(outputs, (text) => text) };
    if (data.hasEdits) row.counts = bySystem(counts, ([tp, fp, fn]) => ({ tp, fp, fn }));
    if (difficulty !== null) row.difficulty = difficulty;
    if (Object.keys(meta).length) row.meta = meta;
    return `${JSON.stringify(row)}\n`;
  });
  return lines.join("");
}

/** Write sentences as CSV, a row for each, with as many references as any of them has. */
function asCsv(data, places) {
  const rows = places.map((place) => exported(data, place));
  const most = Math.max(0, ...rows.map(({ references }) => references.length));
  const fields = Object.keys(data.meta);
  const numbers = ["TP", "FP", "FN"];
  const head = ["id", "source"];
  for (let number = 1; number <= most; number += 1) head.push(`reference ${number}`);
  for (const name of data.systems) head.push(name, ...(data.hasEdits ? numbers.map((count) => `${name} ${count}`) : []));
  if (data.hasDifficulty) head.push("difficulty");
  head.push(...fields);
  const body = rows.map((row) => {
    const cells = [row.id, row.source];
    for (let at = 0; at < most; at += 1) cells.push(row.references[at]);
    row.outputs.forEach((text, at) => cells.push(text, ...(data.hasEdits ? (row.counts[at] ?? ["", "", ""]) : [])));
    if (data.hasDifficulty) cells.push(row.difficulty);
    return [...cells, ...fields.map((name) => row.meta[name])];
  });
  return [head, ...body].map((cells) => `${cells.map(csvCell).join(",")}\r\n`).join("");
}

/** Write a cell; a text that a spreadsheet would take for a formula has an apostrophe before it. */
function csvCell(value) {
  let text = String(value ?? "");
  if (typeof value === "string" && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
