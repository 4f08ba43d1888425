// All versions of a sentence under one another, cut where any of them changes something.

/** Return the stretches of a source that edits touch, in order; those that overlap are one. */
function regionsOf(edits) {
  const spans = edits.map(({ start, end }) => [start, end]);
  spans.sort((one, two) => one[0] - two[0] || one[1] - two[1]);
  const found = [];
  for (const [start, end] of spans) {
    const last = found.at(-1);
    const same = last && start === last[0] && end === last[1];
    if (last && (start < last[1] || same)) last[1] = Math.max(last[1], end);
    else found.push([start, end]);
  }
  return found;
}

/** Return the table: a row for each version, a column for each stretch. */
function alignedTable(data, place, versions, context) {
  const letters = [...data.sources[place]];
  const regions = regionsOf(versions.flatMap(({ edits, missed }) => [...edits, ...missed]));
  const stretches = [];
  let done = 0;
  for (const [start, end] of regions) {
    if (start > done) stretches.push({ start: done, end: start, same: true });
    stretches.push({ start, end, same: false });
    done = Math.max(done, end);
  }
  if (done < letters.length) stretches.push({ start: done, end: letters.length, same: true });
  const between = (start, end) => letters.slice(start, end).join("");
  const source = make(
    "tr",
    { class: "source" },
    make("th", { scope: "row" }, say("source")),
    ...stretches.map(({ start, end, same }) =>
      make("td", { class: same ? "same" : "region" }, make("span", { class: "stretch" }, between(start, end))),
    ),
  );
  const rows = versions.map((version) => {
    const [kept, rest] = apart(version.edits);
    const cells = stretches.map(({ start, end, same }) => {
      if (same) return make("td", { class: "same" });
      const inside = (edit) =>
        edit.start === edit.end && start < end
          ? start < edit.start && edit.start < end // at an end it has a stretch of its own
          : start <= edit.start && edit.end <= end;
      const edits = kept.filter(inside);
      const missed = version.missed.filter(inside);
      if (!edits.length && !missed.length) {
        return make("td", { class: "region kept" }, between(start, end) || make("span", { "aria-hidden": "true" }, "·"));
      }
      return make("td", { class: "region" }, ...piece(letters, start, end, edits, missed, context));
    });
    const also = alsoThere(letters, rest, context);
    return make("tr", {}, make("th", { scope: "row" }, ...version.head(), ...also), ...cells);
  });
  return make("table", { class: "aligned" }, make("tbody", {}, source, ...rows));
}

/** Return what a version makes of one stretch. */
function piece(letters, start, end, edits, missed, context) {
  const [open, shut] = besides(missed, edits);
  const nodes = [];
  let done = start;
  for (const edit of [...edits, ...open].sort((one, two) => one.start - two.start || one.end - two.end)) {
    if (edit.start < done) {
      shut.push(edit);
      continue;
    }
    nodes.push(letters.slice(done, edit.start).join(""), ...setApart(letters, edit, context));
    done = edit.end;
  }
  nodes.push(letters.slice(done, end).join(""));
  return [...nodes, ...shut.map((edit) => editMark(letters, edit, context, true))];
}
