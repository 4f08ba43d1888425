"use strict";
// The heat map: data from two JSON blocks, sentences made when the reader comes near them.

const byId = (id) => document.getElementById(id);
const WORDS = JSON.parse(byId("words").textContent);
const RESULTS = JSON.parse(byId("data").textContent);
const BATCH = 150; // sentences made at once
const MID = 0.54; // from these shares on, letters have other colours, so that they stay legible
const DEEP = 0.68;

const root = document.documentElement;
const tip = byId("tip");
const view = { result: RESULTS[0], places: [], made: 0, pinned: null, shown: null, frame: 0 };

const say = (key) => WORDS[key][root.dataset.language === "zh" ? 1 : 0];

function element(tag, given = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// Words

function setLanguage(language) {
  root.dataset.language = language;
  root.lang = language === "zh" ? "zh-Hans" : "en";
  byId("language").value = language;
  for (const each of document.querySelectorAll("[data-say]")) each.textContent = say(each.dataset.say);
  for (const each of document.querySelectorAll("[data-name]")) each.setAttribute("aria-label", say(each.dataset.name));
  for (const each of document.querySelectorAll("[data-hint]")) each.placeholder = say(each.dataset.hint);
  const corpora = [...new Set(RESULTS.map((one) => one.corpus))].join(", ");
  document.title = `${say("title")}: ${corpora}`;
  [...byId("result").options].forEach((option, at) => (option.textContent = named(RESULTS[at])));
  byId("corpus").textContent = named(view.result);
  fillTypes();
  render();
}

function setTheme(theme) {
  if (theme === "auto") delete root.dataset.theme;
  else root.dataset.theme = theme;
}

const NUMBERED = /^reference (\d+)(?: \(annotator (.*)\))?$/;

function named(one) {
  const found = NUMBERED.exec(one.reference);
  if (!found) return `${one.corpus}, ${one.reference === WORDS.chosen[0] ? say("chosen") : one.reference}`;
  const by = found[2] === undefined ? "" : say("annotator").replace("{name}", found[2]);
  return `${one.corpus}, ${say("reference").replace("{n}", found[1])}${by}`;
}

// What stands still while one result is shown

function fillTypes() {
  const choice = byId("type");
  const kept = choice.value;
  const counts = view.result.types.map(() => 0);
  for (const [, , pieces] of view.result.sentences)
    for (const piece of pieces) if (typeof piece !== "string" && piece[1] === 0) counts[piece[3]] += 1;
  const options = view.result.types.map((name, at) =>
    element("option", { value: String(at) }, `${name || say("no-type")} (${counts[at]})`));
  choice.replaceChildren(element("option", { value: "" }, say("all-types")), ...options);
  choice.value = kept;
  if (choice.selectedIndex < 0) choice.value = "";
}

function fillResult() {
  const one = view.result;
  const [least, most] = one.range;
  for (const [id, value] of [["least", least], ["most", most]]) {
    const field = byId(id);
    field.min = least;
    field.max = most;
    field.defaultValue = String(value);
    field.value = String(value);
  }
  byId("type").value = "";
  byId("corpus").textContent = named(one);
  byId("systems").textContent = one.systems.join(", ");
  byId("signature").textContent = one.signature;
  byId("notes").replaceChildren(...one.notes.map((note) => element("li", {}, note)));
  byId("notes-part").hidden = one.notes.length === 0;
  for (const [id, kind] of [["errors-scale", "error"], ["wrongs-scale", "wrong"]])
    byId(id).replaceChildren(...[0, 0.25, 0.5, 0.75, 1].map((share) => {
      const step = element("span", { class: `mark ${kind}` }, (least + share * (most - least)).toFixed(2));
      colour(step, share);
      return step;
    }));
}

function colour(mark, share) {
  mark.style.setProperty("--w", share);
  mark.classList.toggle("mid", share >= MID && share < DEEP);
  mark.classList.toggle("deep", share >= DEEP);
}

function share(weight) {
  const [least, most] = view.result.range;
  return most > least ? Math.min(1, Math.max(0, (weight - least) / (most - least))) : 1;
}

// Filters

function wanted() {
  const number = (id, other) => {
    const value = byId(id).valueAsNumber;
    return Number.isNaN(value) ? other : value;
  };
  return {
    kind: byId("kind").value,
    type: byId("type").value,
    least: number("least", -Infinity) - 1e-4,
    most: number("most", Infinity) + 1e-4,
    text: byId("search").value.trim().toLowerCase(),
  };
}

function matches(mark, want) {
  const [, kind, weight, type] = mark;
  const within = (value) => value >= want.least && value <= want.most;
  return (want.kind === "" || want.kind === String(kind))
    && (want.type === "" || (kind === 0 && want.type === String(type)))
    && (within(weight) || within(Number(weight.toFixed(2)))); // as stored or as the page shows it
}

function narrowed(want) {
  const [least, most] = view.result.range;
  return want.kind !== "" || want.type !== "" || want.least > least || want.most < most;
}

function mentions([id, , pieces], text) {
  if (!text || id.toLowerCase().includes(text)) return true;
  const source = pieces.map((piece) => (typeof piece === "string" ? piece : piece[0])).join("");
  return source.toLowerCase().includes(text)
    || pieces.some((piece) => typeof piece !== "string" && piece[4].toLowerCase().includes(text));
}

function render() {
  hide();
  const want = wanted();
  const { sentences } = view.result;
  const needed = narrowed(want);
  let marks = 0;
  view.want = want;
  view.places = [];
  sentences.forEach((sentence, at) => {
    const fitting = sentence[2].filter((piece) => typeof piece !== "string" && matches(piece, want)).length;
    if ((needed && fitting === 0) || !mentions(sentence, want.text)) return;
    marks += fitting;
    view.places.push(at);
  });
  if (byId("order").value === "hardest")
    view.places.sort((a, b) => sentences[b][1] - sentences[a][1] || a - b);
  view.made = 0;
  byId("sentences").replaceChildren();
  const text = say("shown").replace("{n}", view.places.length)
    .replace("{all}", sentences.length).replace("{marks}", marks);
  byId("count").textContent = view.places.length ? text : say("none");
  more();
}

// Sentences

function more(count = BATCH) {
  const next = view.places.slice(view.made, view.made + count);
  view.made += next.length;
  byId("sentences").append(...next.map(sentence));
}

function sentence(at) {
  const [id, value, pieces] = view.result.sentences[at];
  const text = element("div", { class: "text", dir: "auto" });
  pieces.forEach((piece, place) =>
    text.append(typeof piece === "string" ? piece : markOf(piece, at, place)));
  return element("li", { class: "sentence" },
    element("span", { class: "id" }, id), text,
    element("span", { class: "value", title: say("value") }, value.toFixed(2)));
}

function markOf(piece, at, place) {
  const [text, kind, weight] = piece;
  if (!matches(piece, view.want)) return element("span", { class: "mark other" }, text);
  const mark = element("span", {
    class: `mark ${kind ? "wrong" : "error"}${text ? "" : " insertion"}`,
    role: "button", tabindex: "0", "data-at": `${at} ${place}`,
  }, text || "∧", element("span", { class: "number" }, weight.toFixed(2)));
  mark.setAttribute("aria-label", spoken(piece));
  colour(mark, share(weight));
  return mark;
}

const names = (places) => places.map((at) => view.result.systems[at]).join(", ") || say("nobody");

function details([text, kind, weight, type, correction, right, other]) {
  const rows = kind
    ? [[say("changed"), names(other)]]
    : [[say("type"), view.result.types[type] || say("no-type")],
       [say("correction"), correction || say("nothing")],
       [say("right"), names(right)],
       ...(other.length ? [[say("other"), names(other)]] : [])];
  rows.splice(kind ? 0 : 2, 0, [say("weight"), weight.toFixed(2)]);
  return { head: `${say(kind ? "wrong-head" : "error-head")}: ${text || say("inserted")}`, rows };
}

function spoken(piece) {
  const { head, rows } = details(piece);
  return [head, ...rows.map(([name, value]) => `${name}: ${value}`)].join("; ");
}

// Details beside a mark

function show(mark) {
  const [at, place] = mark.dataset.at.split(" ").map(Number);
  const { head, rows } = details(view.result.sentences[at][2][place]);
  tip.replaceChildren(element("div", { class: "head" }, head), element("dl", {},
    ...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])));
  tip.hidden = false;
  const idle = !view.shown;
  view.shown = mark;
  if (idle) follow();
}

// Stays beside the mark: sentences that come into view get their true height some frames later.
function follow() {
  if (!view.shown) return;
  view.frame = requestAnimationFrame(follow);
  const box = view.shown.getClientRects()[0] || view.shown.getBoundingClientRect();
  const { width, height } = tip.getBoundingClientRect();
  const below = box.bottom + 8 + height <= innerHeight || box.top < height + 8;
  tip.style.left = `${Math.max(8, Math.min(box.left, innerWidth - width - 8))}px`;
  tip.style.top = `${below ? box.bottom + 8 : box.top - height - 8}px`;
}

function hide() {
  tip.hidden = true;
  view.pinned = null;
  view.shown = null;
  cancelAnimationFrame(view.frame);
}

const markAt = (event) => event.target.closest?.(".mark[data-at]");

function startDetails() {
  const list = byId("sentences");
  list.addEventListener("pointerover", (event) => {
    const mark = markAt(event);
    if (mark && !view.pinned) show(mark);
  });
  list.addEventListener("pointerout", (event) => {
    if (markAt(event) && !view.pinned) hide();
  });
  list.addEventListener("focusin", (event) => {
    const mark = markAt(event);
    if (mark) show(mark);
  });
  list.addEventListener("focusout", hide);
  list.addEventListener("click", (event) => {
    const mark = markAt(event);
    if (mark) pin(mark);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
    const mark = markAt(event);
    if (mark && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      pin(mark);
    }
  });
  // Moving on by Tab scrolls as well, so details of a mark with the focus go along with it.
  addEventListener("scroll", () => {
    const mark = view.pinned || document.activeElement.closest(".mark[data-at]");
    if (mark) show(mark);
    else hide();
  }, { passive: true });
}

function pin(mark) {
  const again = view.pinned === mark;
  hide();
  if (again) return;
  show(mark);
  view.pinned = mark;
}

// Start

function start() {
  byId("result").append(...RESULTS.map((one, at) => element("option", { value: String(at) }, named(one))));
  byId("result-choice").hidden = RESULTS.length < 2;
  fillResult();
  byId("language").addEventListener("change", (event) => setLanguage(event.target.value));
  byId("theme").addEventListener("change", (event) => setTheme(event.target.value));
  const form = byId("filters");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => {
    if (event.target.id === "weights") byId("sentences").classList.toggle("weights", event.target.checked);
    else if (event.target.id === "result") {
      view.result = RESULTS[Number(event.target.value)];
      fillResult();
      fillTypes();
      render();
    } else render();
  });
  form.addEventListener("reset", () => setTimeout(() => {
    view.result = RESULTS[Number(byId("result").value)];
    byId("sentences").classList.remove("weights");
    fillResult();
    fillTypes();
    render();
  }));
  startDetails();
  new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) more();
  }, { rootMargin: "1500px" }).observe(byId("end"));
  addEventListener("beforeprint", () => more(Infinity));
  setLanguage(root.dataset.language);
}

start();
