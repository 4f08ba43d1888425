// A version of a sentence as running text, with what was changed marked by sign, line and colour.

const SIGNS = { true: "✓", false: "✕", missed: "○", unjudged: "", gold: "" };

/** Return nodes for a version: the source with its edits in their places. */
function markedText(source, edits, missed, context) {
  const letters = [...source];
  const [kept, rest] = apart(edits);
  const [open, hidden] = besides(missed, kept);
  const marks = [...kept, ...open];
  marks.sort((one, two) => one.start - two.start || one.end - two.end);
  const nodes = [];
  let done = 0;
  for (const edit of marks) {
    if (edit.start < done) {
      hidden.push(edit); // two annotated errors that overlap
      continue;
    }
    nodes.push(letters.slice(done, edit.start).join(""), ...setApart(letters, edit, context));
    done = edit.end;
  }
  nodes.push(letters.slice(done).join(""));
  return [...nodes, ...alsoThere(letters, [...rest, ...hidden], context)];
}

/** Return an edit with the blanks that it brings, which are no part of its mark. */
function setApart(letters, edit, context) {
  const old = letters.slice(edit.start, edit.end).join("");
  const starts = /^\s/.test(old) || /^\s/.test(edit.text ?? "");
  const ends = !starts && (/\s$/.test(old) || /\s$/.test(edit.text ?? ""));
  return [starts ? " " : "", editMark(letters, edit, context), ends ? " " : ""];
}

/** Divide missed edits into those that can stand in a text beside its edits, and the others.
 *
 * An insertion that was missed where something else was inserted stands aside, too, unless what
 * was inserted is true: then both are of one set. */
function besides(missed, kept) {
  const open = [];
  const shut = [];
  for (const edit of missed) {
    const takes = (other) => other.start === edit.start && other.end === edit.end && other.verdict !== "true";
    (kept.some((other) => overlap(edit, other) || takes(other)) ? shut : open).push(edit);
  }
  return [open, shut];
}

/** Return the edits that cannot stand in the text because others stand there, behind it. */
function alsoThere(letters, edits, context) {
  if (!edits.length) return [];
  const marks = edits.flatMap((edit) => [editMark(letters, edit, context, true), " "]);
  const texts = make("span", { lang: context.data.lang }, ...marks);
  return [make("span", { class: "also", lang: root.lang }, `${say("alsoThere")} `, texts)];
}

/** Return one edit: what it takes away, what it puts there, and its verdict as a sign.
 *
 * A missed edit changes nothing in the text and shows its place alone; `whole` shows all of it. */
function editMark(letters, edit, context, whole = false) {
  const kind = edit.verdict ?? "gold";
  const old = letters.slice(edit.start, edit.end).join("").trim();
  const text = edit.text?.trim();
  const mark = make("span", { class: `edit ${kind}`, role: "button", tabindex: "0" });
  mark.append(unseen(`${say(`kind-${kind}`)}: `));
  if (kind === "missed" && !(whole && edit.text !== null)) {
    mark.append(old ? make("span", { class: "old", dir: "auto" }, old) : make("span", { class: "caret", "aria-hidden": "true" }, "‸"));
  } else if (edit.text === null) {
    mark.append(make("span", { class: "found", dir: "auto" }, old || "‸"));
  } else {
    if (old) mark.append(make("del", { dir: "auto" }, old));
    if (text) mark.append(make("ins", { dir: "auto" }, text));
  }
  mark.append(unseen(spoken(old, edit)));
  const sign = kind === "gold" ? goldSign(edit, context) : SIGNS[kind];
  if (sign) mark.append(make("span", { class: "sign", "aria-hidden": "true" }, `\u2060${sign}`)); // never on a line of its own
  if (kind === "gold" && edit.weight !== null) mark.style.setProperty("--weight", edit.weight);
  hints.set(mark, () => hintOf(old, edit, kind, context));
  return mark;
}

/** Return how many systems make the edit of a reference. */
function goldSign(edit, { data, place }) {
  const makers = data.makers(place, edit.index).length;
  return `${makers}/${data.systems.length}`;
}

/** Return an edit in words. */
function spoken(old, edit) {
  const text = edit.text?.trim();
  if (edit.text === null) return ` ${say("onlyFound", { old })} `;
  if (!old) return ` ${say("inserts", { text })} `;
  return ` ${text ? say("replaces", { old, text }) : say("deletes", { old })} `;
}
