// The filters above the list. Each is a field of the view by its name.

function option(value, text) {
  return make("option", { value }, text);
}

function field(name, key, control) {
  control.name = name;
  control.id = `view-${name}`;
  return make("label", { class: `field ${name}` }, make("span", {}, say(key)), control);
}

const choose = (options) => make("select", {}, ...options.map(([value, text]) => option(value, text)));
const any = () => ["", say("any")];

const optionGroup = (label, options) => make("optgroup", { label }, ...options);

/** The halves of word order in zh-char: what stands behind their colon is no category. */
const HALVES = new Set(["W:M", "W:R"]);

/** Return types of edits: the whole ones, and where they have two parts, each part. */
function typeOptions({ types }) {
  const divided = types.filter((type) => type.includes(":"));
  const distinct = (parts) => [...new Set(parts)].sort();
  const operations = distinct(divided.map((type) => type.slice(0, type.indexOf(":"))));
  const categories = distinct(divided.filter((type) => !HALVES.has(type)).map((type) => type.slice(type.indexOf(":") + 1)));
  const whole = types.map((type) => option(type, typeName(type)));
  if (!divided.length) return whole;
  return [
    optionGroup(say("operations"), operations.map((type) => option(type, typeName(type)))),
    categories.length ? optionGroup(say("categories"), categories.map((type) => option(`:${type}`, typeName(type)))) : null,
    optionGroup(say("types"), whole),
  ];
}

function groupOptions({ groups }) {
  const language = root.dataset.language;
  return groups.map(({ by, title, names, words }) =>
    optionGroup(title[language], names.map((name, at) => option(`${by}:${name}`, words[at][language]))),
  );
}

/** Return the controls of a form, in the reader's language. */
function controls(data, form) {
  const systems = data.systems.map((name) => [name, name]);
  const words = (names) => names.map((name) => [name, say(`choice-${name}`)]);
  const sorts = SORTS.filter((name) => data.hasDifficulty || !["difficulty", "easiest"].includes(name));
  const length = (name, key) =>
    make("input", { type: "number", min: "0", inputmode: "numeric", name, "aria-label": say(key), placeholder: say(`${name}Short`) });
  const unfold = make("button", { type: "button", class: "unfold" }, say("filters"));
  const tell = (open) => unfold.setAttribute("aria-expanded", String(open));
  tell(form.classList.contains("unfolded"));
  unfold.addEventListener("click", () => tell(form.classList.toggle("unfolded")));
  return [
    field("q", "search", make("input", { type: "search", placeholder: say("searchIn"), autocomplete: "off" })),
    field("sort", "sort", choose(words(sorts))),
    unfold,
    make("div", { class: "further" }, ...further(data, systems, words, length)),
  ];
}

/** Return the filters that a narrow screen folds away. */
function further(data, systems, words, length) {
  return [
    data.hasEdits ? field("type", "type", make("select", {}, option(...any()), ...typeOptions(data))) : null,
    data.groups.length ? field("group", "group", make("select", {}, option(...any()), ...groupOptions(data))) : null,
    make(
      "fieldset",
      {},
      make("legend", {}, say("lengthOf")),
      length("min", "shortestOf"),
      make("span", { "aria-hidden": "true" }, "–"),
      length("max", "longestOf"),
    ),
    data.hasEdits
      ? make(
          "fieldset",
          {},
          make("legend", {}, say("systemOutcome")),
          named("system", "system", choose([any(), ...systems])),
          named("outcome", "outcome", choose([any(), ...words(OUTCOMES)])),
        )
      : null,
    data.systems.length > 1
      ? make(
          "fieldset",
          {},
          make("legend", {}, say("differs")),
          named("a", "firstSystem", choose([["", "A"], ...systems])),
          named("differ", "difference", choose(words(data.hasEdits ? DIFFERENCES : DIFFERENCES.slice(0, 1)))),
          named("b", "secondSystem", choose([["", "B"], ...systems])),
        )
      : null,
  ].filter(Boolean);
}

function named(name, key, control) {
  control.name = name;
  control.setAttribute("aria-label", say(key));
  return control;
}

/** Let the controls show a view. */
function fill(form, view) {
  for (const [name, value] of Object.entries(view)) {
    const control = form.elements.namedItem(name);
    if (!control) continue;
    control.value = value;
    if (control.value !== value) control.value = PLAIN[name]; // a link may name what is not here
  }
  settle(form);
}

const HANG_ON = { system: ["outcome"], a: ["differ", "b"] };

/** Shut the fields that say nothing before another is chosen. */
function settle(form) {
  for (const [first, others] of Object.entries(HANG_ON)) {
    const chosen = form.elements.namedItem(first)?.value;
    for (const name of others) {
      const control = form.elements.namedItem(name);
      if (!control) continue;
      control.disabled = !chosen;
      if (!chosen) control.value = PLAIN[name];
    }
  }
  const second = form.elements.namedItem("b");
  for (const option of second?.options ?? []) {
    option.disabled = option.value !== "" && option.value === form.elements.namedItem("a").value;
  }
}
