// Which sentences are shown, and in which order.

const OUTCOMES = ["right", "imperfect", "unchanged", "true", "false", "missed"];
const DIFFERENCES = ["output", "first", "second"];
const SORTS = ["difficulty", "easiest", "position", "longest", "shortest", "disagreement"];
const EXAMPLES = 2000; // sentences among which the first to show is looked for

/** Return the places of the sentences that a view asks for, in its order. */
function chosen(data, view) {
  const tests = [textTest, typeTest, outcomeTest, differenceTest, lengthTest]
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

function isOfType(data, place, index, type) {
  return data.strings[data.pool.label[data.poolAt[place] + index]] === type;
}

/** Without a system the type of any edit of anybody will do; else that of those meant. */
function typeTest(data, { type, system, outcome }) {
  const ofEdits = ["", "true", "false", "missed"].includes(outcome);
  if (!type || (data.systems.includes(system) && ofEdits)) return null;
  const wanted = data.strings.indexOf(type);
  return (place) => {
    for (let at = data.poolAt[place]; at < data.poolAt[place + 1]; at += 1) {
      if (data.pool.label[at] === wanted) return true;
    }
    return false;
  };
}

function outcomeTest(data, { system, outcome, type }) {
  const number = data.systems.indexOf(system);
  if (number < 0 || (!outcome && !type)) return null;
  const output = data.outputs[number];
  const isMeant = (place, index) => !type || isOfType(data, place, index, type);
  const made = (place, verdict) => {
    for (let at = output.madeLists.at[place]; at < output.madeLists.at[place + 1]; at += 1) {
      if (output.verdicts[at] === verdict && isMeant(place, output.madeLists.values[at])) return true;
    }
    return false;
  };
  const judged = (place) => output.reference[place] >= 0;
  const tests = {
    right: (place) => output.outcomes[place] === RIGHT,
    imperfect: (place) => judged(place) && output.outcomes[place] !== RIGHT,
    unchanged: (place) => output.made.counts[place] === 0,
    true: (place) => judged(place) && made(place, 1),
    false: (place) => judged(place) && made(place, 0),
    missed: (place) => output.missedLists.of(place).some((index) => isMeant(place, index)),
  };
  const makes = (place) => output.madeLists.of(place).some((index) => isMeant(place, index));
  return outcome ? (tests[outcome] ?? null) : makes;
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
