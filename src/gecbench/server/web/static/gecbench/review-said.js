// When two drafts of a review say the same.

const ROW = ["correct", "reasons", "note", "section", "modified", "off"];

/** Return what a payload decides, in one order whatever the database made of it. */
export function said({ decision, rows = {}, additions = [], reason, note }) {
  const names = Object.keys(rows).sort();
  const each = names.map((name) => [name, ...ROW.map((field) => rows[name][field] ?? null)]);
  return JSON.stringify([decision, each, additions, reason ?? "", note ?? ""]);
}
