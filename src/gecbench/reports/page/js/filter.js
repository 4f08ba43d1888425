// Which sentences are shown, and in which order.

const OUTCOMES = ["right", "imperfect", "unchanged", "true", "false", "missed", "edits"];
const DIFFERENCES = ["output", "first", "second"];
const SORTS = ["difficulty", "easiest", "position", "longest", "shortest", "disagreement"];
const EXAMPLES = 2000; // sentences among which the first to show is looked for

/** Return the places of the sentences that a view asks for, in its order. */
function chosen(data, view) {
  const tests = [textTest, groupTest, editTest, outcomeTest, differenceTest, lengthTest]
    .map((test) => test(data, view))
    .filter(Boolean);
  const found = [];
  for (let place = 0; place < data.total; place += 1) {
    if (tests.every((test) => test(place))) found.push(place);
  }
  return sorted(data, found, view.sort);
}

function sorted(data, places, by) {
  const keys = {
    difficulty: (place) => -(data.difficulty[place] ?? 0),
    easiest: (place) => data.difficulty[place] ?? 0,
    longest: (place) => -data.lengths[place],
    shortest: (place) => data.lengths[place],
    disagreement: (place) => -disagreement(data, place),
  };
  const key = keys[by];
  if (!key) return places;
  const values = new Map(places.map((place) => [place, key(place)]));
  return places.sort((one, two) => values.get(one) - values.get(two) || one - two);
}

/** Return in how many ways the systems rewrite a sentence. */
function disagreement(data, place) {
  data.different ??= [];
  return (data.different[place] ??= new Set(data.systems.map((_, system) => data.outputText(place, system))).size);
}

/** Return a sentence to begin with: of ordinary length, and the systems fare differently in it. */
function goodExample(data, places) {
  const lengths = [...data.lengths].sort((one, two) => one - two);
  const [least, most] = [0.25, 0.75].map((share) => lengths[Math.floor(share * (lengths.length - 1))]);
  const ordinary = places.filter((place) => data.lengths[place] >= least && data.lengths[place] <= most);
  const variety = (place) => {
    if (!data.hasEdits) return disagreement(data, place);
    const outcomes = new Set(data.outputs.map((output) => output.outcomes[place]));
    return outcomes.size + outcomes.has(RIGHT);
  };
  const values = new Map(ordinary.slice(0, EXAMPLES).map((place) => [place, variety(place)]));
  const best = Math.max(...values.values());
  return ordinary.find((place) => values.get(place) === best) ?? places[0];
}

function textTest(data, { q }) {
  const wanted = q.trim().toLowerCase();
  if (!wanted) return null;
  data.searchable ??= [];
  return (place) => (data.searchable[place] ??= wholeText(data, place)).includes(wanted);
}

/** Return all that is written of a sentence, in lower case. */
function wholeText(data, place) {
  const texts = new Set([data.ids[place], data.sources[place]]);
  for (const one of data.referencesOf(place)) texts.add(data.textOf(place, one, one.edits));
  data.outputs.forEach((_, system) => {
    const output = data.outputOf(place, system);
    texts.add(data.textOf(place, output, output.made));
  });
  return [...texts].join("\n").toLowerCase();
}

/** Return whether a label is of a type, which may be an operation or ":" and a category. */
function isOfType(label, type) {
  if (label === type) return true;
  const [operation] = label.split(":", 1);
  return type.startsWith(":") ? (label.slice(operation.length + 1) || "-") === type.slice(1) : operation === type;
}

/** Return the group that a view asks for, and its place among those of its kind; null for none. */
function groupOf(data, { group }) {
  for (const kind of data.groups) {
    const at = kind.names.findIndex((name) => group === `${kind.by}:${name}`);
    if (at >= 0) return { kind, at };
  }
  return null;
}

/** Return a test of edits by their type and place; null where any will do. */
function isMeant(data, view) {
  const group = groupOf(data, view);
  const part = group?.kind.by === "position" ? group.at : null;
  if (!view.type && part === null) return null;
  const labels = new Set([...data.strings.keys()].filter((at) => isOfType(data.strings[at], view.type)));
  return (place, index) => {
    const at = data.poolAt[place] + index;
    return (!view.type || labels.has(data.pool.label[at])) && (part === null || data.pool.part[at] === part);
  };
}

function groupTest(data, view) {
  const group = groupOf(data, view);
  return group?.kind.members.length ? (place) => group.kind.members[place] === group.at : null;
}

/** Without a system the edits of anybody will do; else those of the outcome that is meant. */
function editTest(data, view) {
  const ofEdits = ["", "true", "false", "missed", "edits"].includes(view.outcome);
  const meant = isMeant(data, view);
  if (!meant || (data.systems.includes(view.system) && ofEdits)) return null;
  return (place) => {
    for (let index = 0; index < data.pool.counts[place]; index += 1) {
      if (meant(place, index)) return true;
    }
    return false;
  };
}

function outcomeTest(data, view) {
  const number = data.systems.indexOf(view.system);
  const wanted = isMeant(data, view);
  if (number < 0 || (!view.outcome && !wanted)) return null;
  const output = data.outputs[number];
  const meant = wanted ?? (() => true);
  const made = (place, verdict) => {
    for (let at = output.madeLists.at[place]; at < output.madeLists.at[place + 1]; at += 1) {
      if (output.verdicts[at] === verdict && meant(place, output.madeLists.values[at])) return true;
    }
    return false;
  };
  const judged = (place) => output.reference[place] >= 0;
  const missed = (place) => output.missedLists.of(place).some((index) => meant(place, index));
  const tests = {
    right: (place) => output.outcomes[place] === RIGHT,
    imperfect: (place) => judged(place) && output.outcomes[place] !== RIGHT,
    unchanged: (place) => output.made.counts[place] === 0,
    true: (place) => judged(place) && made(place, 1),
    false: (place) => judged(place) && made(place, 0),
    missed,
    edits: (place) => judged(place) && (made(place, 1) || made(place, 0) || missed(place)),
  };
  const makes = (place) => output.madeLists.of(place).some((index) => meant(place, index));
  return view.outcome ? (tests[view.outcome] ?? null) : makes;
}

function differenceTest(data, { a, b, differ }) {
  const [first, second] = [a, b].map((name) => data.outputs[data.systems.indexOf(name)]);
  if (!first || !second || first === second) return null;
  const key = (output, place) =>
    `${[...output.madeLists.of(place)].sort((one, two) => one - two)}|${output.texts[place] ?? ""}`;
  const tests = {
    output: (place) => key(first, place) !== key(second, place),
    first: (place) => first.outcomes[place] === RIGHT && second.outcomes[place] > RIGHT,
    second: (place) => second.outcomes[place] === RIGHT && first.outcomes[place] > RIGHT,
  };
  return tests[differ] ?? tests.output;
}

function lengthTest(data, { min, max }) {
  const least = Number(min) || 0;
  const most = max === "" ? Infinity : Number(max);
  if (!least && most === Infinity) return null;
  return (place) => data.lengths[place] >= least && data.lengths[place] <= most;
}
