// The list of sentences: thousands of rows, of which only those in sight are made.

const MARKS = ["·", "●", "◐", "○", "✕"]; // by outcome: none, right, partly, missed, wrong
const MARK_KEYS = ["unjudged", "right", "partly", "onlyMissed", "onlyFalse"];
const SPARE = 6; // rows made above and below what is in sight

class List {
  constructor(data, box, choose) {
    Object.assign(this, { data, box, places: [], at: -1 });
    this.space = make("div", { class: "space", role: "presentation" });
    box.append(this.space);
    box.addEventListener("scroll", () => requestAnimationFrame(() => this.draw()), { passive: true });
    new ResizeObserver(() => this.draw()).observe(box);
    box.addEventListener("click", (event) => {
      const row = event.target.closest("[role=option]");
      if (row) choose(Number(row.dataset.at));
    });
  }

  get rowHeight() {
    return Number.parseFloat(getComputedStyle(this.box).getPropertyValue("--row"));
  }

  show(places, at) {
    this.places = places;
    this.space.style.height = `${places.length * this.rowHeight}px`;
    this.select(at);
  }

  select(at) {
    this.at = at;
    const { rowHeight, box } = this;
    const top = at * rowHeight;
    const room = box.clientHeight - rowHeight;
    const far = Math.abs(top - box.scrollTop - room / 2) > box.clientHeight;
    if (far) box.scrollTop = top - room / 2;
    else if (top < box.scrollTop) box.scrollTop = top;
    else if (top > box.scrollTop + room) box.scrollTop = top - room;
    this.draw();
  }

  draw() {
    const { rowHeight, box, places } = this;
    const first = Math.max(0, Math.floor(box.scrollTop / rowHeight) - SPARE);
    const last = Math.ceil((box.scrollTop + box.clientHeight) / rowHeight) + SPARE;
    const rows = places.slice(first, last).map((place, nth) => this.row(place, first + nth));
    this.space.replaceChildren(...rows);
    const current = this.at >= first && this.at < last && rows.length ? `row-${this.at}` : null;
    if (current) box.setAttribute("aria-activedescendant", current);
    else box.removeAttribute("aria-activedescendant");
  }

  row(place, at) {
    const { data } = this;
    const row = make(
      "div",
      {
        id: `row-${at}`,
        role: "option",
        class: "row",
        "data-at": at,
        "aria-selected": String(at === this.at),
        "aria-setsize": this.places.length,
        "aria-posinset": at + 1,
      },
      make(
        "div",
        { class: "row-head" },
        make("bdi", { class: "row-id" }, data.ids[place]),
        data.hasDifficulty ? difficultyBar(data.difficulty[place], data.hardest) : null,
      ),
      make("div", { class: "row-text", lang: data.lang, dir: "auto" }, beginning(data.sources[place])),
      data.hasEdits ? outcomeStrip(data, place) : null,
    );
    row.style.top = `${at * this.rowHeight}px`;
    return row;
  }
}

/** Return as much of a text as a row can show; a character is never cut in half. */
function beginning(text) {
  return [...text.slice(0, 320)].slice(0, 160).join("");
}

function difficultyBar(value, most) {
  const bar = make("span", { class: "difficulty", title: say("difficultyIs", { value: value.toFixed(1) }) }, make("span", { class: "level" }));
  bar.firstChild.style.setProperty("--share", Math.sqrt(value / most));
  bar.append(unseen(say("difficultyIs", { value: value.toFixed(1) })));
  return bar;
}

/** Return one sign for each system; what they are is also said in words, as counts. */
function outcomeStrip(data, place) {
  const outcomes = data.outputs.map((output) => output.outcomes[place]);
  const counted = MARKS.map((_, outcome) => outcomes.filter((one) => one === outcome).length);
  const told = counted.flatMap((count, outcome) =>
    count ? [`${count} ${say(MARK_KEYS[outcome])}`] : [],
  );
  const signs = outcomes.map((outcome) => make("i", { class: MARK_KEYS[outcome] }, MARKS[outcome]));
  return make(
    "div",
    { class: "strip" },
    make("span", { "aria-hidden": "true" }, ...signs),
    unseen(told.join(", ")),
  );
}
