// A version of a sentence as running text, with what was changed marked by sign, line and colour.

const SIGNS = { true: "✓", false: "✕", missed: "○", unjudged: "", gold: "" };

/** Return nodes for a version: the source with its edits in their places. */
function markedText(source, edits, missed, context) {
  const letters = [...source];
  const [kept, rest] = apart(edits);
  const marks = [...kept, ...missed.filter((edit) => !crossesAny(edit, kept))];
  const hidden = missed.filter((edit) => crossesAny(edit, kept));
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

const crossesAny = (edit, others) =>
  others.some(
    (other) =>
      (edit.start < other.end && other.start < edit.end) ||
      (edit.start === other.start && edit.end === other.end),
  );

/** Return the edits that cannot stand in the text because others stand there, behind it. */
function alsoThere(letters, edits, context) {
  if (!edits.length) return [];
  const marks = edits.flatMap((edit) => [editMark(letters, edit, context), " "]);
  return [make("span", { class: "also" }, `${say("alsoThere")} `, ...marks)];
}

/** Return one edit: what it takes away, what it puts there, and its verdict as a sign. */
function editMark(letters, edit, context) {
  const kind = edit.verdict ?? "gold";
  const old = letters.slice(edit.start, edit.end).join("").trim();
  const text = edit.text?.trim();
  const mark = make("span", { class: `edit ${kind}`, role: "button", tabindex: "0" });
  mark.append(unseen(`${say(`kind-${kind}`)}: `));
  if (kind === "missed") {
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
