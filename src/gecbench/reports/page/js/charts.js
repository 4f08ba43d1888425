// Charts: how long their bars are, and the keyboard, one stop of Tab for each list, arrows go from
// bar to bar.

/** Let each chart use its whole width for what is shown of it. */
function scaleCharts() {
  for (const chart of document.querySelectorAll("figure")) {
    const bars = [...chart.querySelectorAll(".interval")];
    const ends = bars.filter((bar) => !bar.closest("[hidden]")).map((bar) => bar.dataset.ends.split(" ").map(Number));
    if (!ends.length) continue;
    const least = Math.min(...ends.map(([low]) => low));
    const most = Math.max(...ends.map(([, high]) => high));
    for (const bar of bars) bar.setAttribute("viewBox", `${least} 0 ${most - least || 1} 12`);
  }
}

/** Let the points of scatter plots lead where the bars of the same system do, which phones show. */
function linkPoints() {
  for (const point of document.querySelectorAll("figure [data-point]")) {
    const links = [...point.closest("figure").querySelectorAll(".card a")];
    const link = links.find((one) => new URLSearchParams(one.hash.slice(1)).get("system") === point.dataset.point);
    if (!link) continue;
    point.classList.add("leads");
    point.addEventListener("click", () => link.click());
  }
}

function startCharts() {
  whenChoiceChanges.push(scaleCharts);
  linkPoints();
  for (const list of document.querySelectorAll(".cards, .matrix")) {
    const links = () => [...list.querySelectorAll("a")].filter((one) => one.checkVisibility());
    const stop = (current) => {
      for (const one of list.querySelectorAll("a")) one.tabIndex = one === current ? 0 : -1;
    };
    stop(list.querySelector("a"));
    list.addEventListener("focusin", (event) => stop(event.target.closest("a")));
    list.addEventListener("keydown", (event) => {
      const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
      if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
      const all = links();
      const next = all[all.indexOf(event.target.closest("a")) + by];
      event.preventDefault();
      next?.focus();
    });
    whenChoiceChanges.push(() => {
      if (!links().some((one) => one.tabIndex === 0)) stop(links()[0]);
    });
  }
}
