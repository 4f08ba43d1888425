// The explorer: filters, a list, and one sentence; all that is shown follows from the view.

class Explorer {
  constructor(data, place) {
    Object.assign(this, { data, box: place, view: { ...PLAIN }, places: [], at: -1, begun: false });
    if (!data.hasDifficulty) PLAIN.sort = "position";
    this.form = make("form", { class: "filters", role: "search" });
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", () => this.changed());
    this.status = make("p", { class: "status", role: "status" });
    this.listBox = make("div", { class: "list", role: "listbox", tabindex: "0" });
    this.heading = make("div", { class: "sentence-head" });
    this.body = make("div", { class: "sentence-body", tabindex: "-1" });
    this.sentence = make("section", { class: "sentence", "aria-labelledby": "sentence-id" }, this.heading, this.body);
    this.files = make("p", { class: "files" });
    const left = make("div", { class: "found" }, make("div", { class: "found-head" }, this.status, this.files), this.listBox);
    place.replaceChildren(this.form, make("div", { class: "panes" }, left, this.sentence));
    this.list = new List(data, this.listBox, (at) => this.go(at));
    startHints(this.body);
    whenLanguageChanges.push(() => this.words());
    window.addEventListener("hashchange", () => this.follow());
    this.words();
    this.follow();
  }

  /** Take over the view that the address asks for; a link to a section leaves it as it is. */
  follow() {
    const asked = viewOf(location.hash);
    if (this.begun && !asked) {
      keepView(this.view, location.hash);
      return;
    }
    this.view = { ...PLAIN, ...(asked ?? history.state?.view) };
    fill(this.form, this.view);
    const wanted = this.view.s;
    this.filter();
    if (!wanted) {
      this.at = Math.max(0, this.places.indexOf(goodExample(this.data, this.places)));
      this.draw();
    }
    // The browser aimed before the explorer was there, and where it reloads it knows the place.
    const target = asked ? this.box : byId(location.hash.slice(1));
    if (this.begun || isFirstVisit()) target?.scrollIntoView();
    if (this.begun) {
      this.remember();
      this.listBox.focus({ preventScroll: true }); // what was followed may be far above
    }
    this.begun = true;
  }

  words() {
    this.form.replaceChildren(...controls(this.data, this.form), this.resetButton());
    this.form.setAttribute("aria-label", say("filters"));
    this.listBox.setAttribute("aria-label", say("sentences"));
    this.files.replaceChildren(this.fileButton("CSV", asCsv), this.fileButton("JSONL", asJsonl));
    fill(this.form, this.view);
    if (this.begun) this.draw();
  }

  /** Return a button that saves the sentences in the list. */
  fileButton(kind, write) {
    const act = () => save(`sentences.${kind.toLowerCase()}`, write(this.data, this.places));
    return make("button", { type: "button", onclick: act }, unseen(`${say("saveList")}: `), kind);
  }

  resetButton() {
    const reset = () => {
      this.view = { ...PLAIN, s: this.view.s, view: this.view.view };
      fill(this.form, this.view);
      this.filter();
      this.remember();
    };
    return make("button", { type: "button", class: "reset", onclick: reset }, say("reset"));
  }

  changed() {
    const order = this.view.sort;
    settle(this.form);
    for (const name of Object.keys(PLAIN)) {
      const control = this.form.elements.namedItem(name);
      if (control) this.view[name] = control.value;
    }
    if (this.view.sort !== order) this.view.s = ""; // who sorts looks for the first
    this.filter();
    this.remember();
  }

  filter() {
    this.places = chosen(this.data, this.view);
    const wanted = this.places.indexOf(this.data.places.get(this.view.s) ?? -1);
    this.at = wanted >= 0 || !this.places.length ? wanted : 0;
    this.draw();
  }

  draw() {
    const { data, places, view } = this;
    this.status.textContent = say("found", { count: places.length, total: data.total });
    this.list.show(places, this.at);
    if (this.at < 0) {
      this.heading.replaceChildren(make("h3", { id: "sentence-id" }, say("nothingFound")));
      this.body.replaceChildren(make("p", { class: "remark" }, say("nothingFoundHint")));
      return;
    }
    view.s = data.ids[places[this.at]];
    const held = document.activeElement;
    const inHeading = this.heading.contains(held);
    const inBody = this.body.contains(held);
    this.heading.replaceChildren(...this.head(places[this.at]));
    this.body.replaceChildren(detail(data, places[this.at], view.view));
    // What had the focus was made again; in the text the next Tab goes to its first edit.
    if (inHeading) this.heading.querySelector(`[data-key=${held.dataset.key}]`).focus({ preventScroll: true });
    else if (inBody) this.body.focus({ preventScroll: true });
  }

  head(place) {
    const { data, view } = this;
    const facts = [say("tokens", { count: data.lengths[place] }), say("position", { number: place + 1 })];
    if (data.hasDifficulty) facts.unshift(say("difficultyIs", { value: data.difficulty[place].toFixed(1) }));
    for (const [name, values] of Object.entries(data.meta)) {
      if (values[place] !== null) facts.push(`${name}: ${data.strings[values[place]]}`);
    }
    const tool = (key) => ({ class: "step", "data-key": key, title: say(key), "aria-label": say(key) });
    const button = (key, act, sign, atEnd) => // one that is disabled would lose the focus
      make("button", { type: "button", ...tool(key), "aria-disabled": atEnd && "true", onclick: act }, sign);
    const views = make("select", { name: "shown", "data-key": "shown", "aria-label": say("shown") }, ...VIEWS.map((name) => option(name, say(`view-${name}`))));
    views.value = view.view;
    views.addEventListener("change", () => this.show(views.value));
    return [
      make(
        "div",
        { class: "title" },
        make("h3", { id: "sentence-id" }, make("bdi", {}, data.ids[place])),
        make("p", { class: "facts" }, ...facts.map((fact) => make("span", {}, make("bdi", {}, fact)))),
      ),
      make(
        "div",
        { class: "tools" },
        views,
        button("previous", () => this.step(-1), "↑", this.at === 0),
        button("next", () => this.step(1), "↓", this.at === this.places.length - 1),
        make("a", { ...tool("link"), href: addressOf(view) }, "#"),
      ),
    ];
  }

  show(name) {
    this.view.view = name;
    this.draw();
    this.remember();
  }

  step(by) {
    if (this.places.length) this.go(Math.min(Math.max(this.at + by, 0), this.places.length - 1));
  }

  go(at) {
    this.at = at;
    this.draw();
    this.remember();
  }

  /** Write the view into the address, without a step in the history for each sentence. */
  remember() {
    keepView(this.view, addressOf(this.view));
  }
}
