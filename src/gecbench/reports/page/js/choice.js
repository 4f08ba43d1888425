// Which systems the charts show: at most five at once, in all parts of the page, the best at first.
//
// A click shows a system or hides it. Where five are shown, another takes the place of the last of
// those that the reader has not chosen himself, or of the one that was chosen first.

const MOST = 5;
const whenChoiceChanges = [];

const choice = {
  names: [], // the best first
  shown: [], // places of those that are shown
  pinned: [], // places of those that the reader chose, in their order
  slots: [], // the place that has each colour
};

function startChoice() {
  const first = document.querySelector(".systems");
  if (!first) return;
  const buttons = document.querySelectorAll(".systems button");
  choice.names = [...first.querySelectorAll("button")].map((button) => button.dataset.name);
  for (const element of document.querySelectorAll("[data-point]")) {
    const place = choice.names.indexOf(element.dataset.point);
    if (place >= 0) element.dataset.systems = place;
  }
  for (const button of buttons) button.addEventListener("click", () => toggleSystem(Number(button.dataset.system)));
  window.addEventListener("hashchange", followChoice);
  showSystems(choiceOf(location.hash) ?? history.state?.show ?? []);
}

/** Return the names that an address asks for; null where it asks for none. */
function choiceOf(hash) {
  const names = new URLSearchParams(hash.replace(/^#/, "")).getAll("show");
  return names.length ? names : null;
}

function followChoice() {
  const names = choiceOf(location.hash);
  if (names) showSystems(names);
}

/** Show the systems of these names; those that are unknown are left out, and of none the best. */
function showSystems(names) {
  const places = names.map((name) => choice.names.indexOf(name)).filter((place) => place >= 0);
  choice.pinned = [...new Set(places)].slice(0, MOST);
  drawChoice(choice.pinned.length ? choice.pinned : [...choice.names.keys()].slice(0, MOST));
}

function toggleSystem(place) {
  const { shown, pinned } = choice;
  const isShown = shown.includes(place);
  if (isShown && shown.length === 1) return; // a chart of nothing helps nobody
  const out = !isShown && shown.length === MOST ? (shown.filter((one) => !pinned.includes(one)).pop() ?? pinned[0]) : null;
  const left = [place, out];
  choice.pinned = pinned.filter((one) => !left.includes(one));
  if (!isShown) choice.pinned.push(place);
  drawChoice([...shown.filter((one) => !left.includes(one)), ...(isShown ? [] : [place])]);
  const [name, other] = [place, out ?? 0].map((one) => choice.names[one]);
  byId("choice-status").textContent = say(isShown ? "isHidden" : out === null ? "isShown" : "isShownInstead", { name, other });
  keepChoice();
}

function drawChoice(places) {
  choice.shown = places.toSorted((one, two) => one - two);
  choice.slots = choice.slots.map((place) => (choice.shown.includes(place) ? place : null));
  for (const place of choice.shown) {
    if (choice.slots.includes(place)) continue;
    const free = choice.slots.indexOf(null);
    choice.slots[free < 0 ? choice.slots.length : free] = place;
  }
  const colour = (place) => `var(--series-${choice.slots.indexOf(place) + 1})`;
  for (const button of document.querySelectorAll(".systems button")) {
    const place = Number(button.dataset.system);
    const isShown = choice.shown.includes(place);
    button.setAttribute("aria-pressed", String(isShown));
    button.style.setProperty("--system", isShown ? colour(place) : "transparent");
  }
  for (const element of document.querySelectorAll("[data-systems]")) {
    const of = element.dataset.systems.split(" ").map(Number);
    element.toggleAttribute("hidden", !of.every((place) => choice.shown.includes(place)));
    if (of.length === 1) element.style.setProperty("--system", colour(of[0]));
  }
  whenChoiceChanges.forEach((tell) => tell());
}

/** Return what of the choice stands in addresses: nothing where it is as at first. */
function chosenNames() {
  const usual = choice.shown.length === Math.min(MOST, choice.names.length) && choice.shown.every((place, at) => place === at);
  return usual ? [] : choice.shown.map((place) => choice.names[place]);
}

/** Write the choice into the address, beside the view of the sentences if it is there. */
function keepChoice() {
  const given = new URLSearchParams(viewOf(location.hash) ? location.hash.slice(1) : "");
  given.delete("show");
  for (const name of chosenNames()) given.append("show", name);
  const hash = String(given);
  history.replaceState({ ...history.state, show: chosenNames() }, "", hash ? `#${hash}` : location.pathname + location.search);
}
