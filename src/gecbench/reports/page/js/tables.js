// Tables that sort by a click on the head of a column.

function startTables() {
  for (const table of document.querySelectorAll("table.sortable")) {
    table.querySelectorAll("thead th").forEach((head, column) => {
      const button = make("button", { type: "button", class: "order" });
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sortBy(table, head, column));
    });
  }
}

function sortBy(table, head, column) {
  const words = head.classList.contains("word");
  const now = head.getAttribute("aria-sort");
  // Numbers are asked for from the greatest down, words from the first on.
  const order = now ? (now === "ascending" ? "descending" : "ascending") : words ? "ascending" : "descending";
  for (const other of table.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", order);
  const sign = order === "ascending" ? 1 : -1;
  const compare = new Intl.Collator(["zh-Hans", "en"], { numeric: true }).compare;
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => [row.cells[column].dataset.value, row]);
  rows.sort(([one], [two]) => {
    if (one === "" || two === "") return (one === "") - (two === ""); // what is absent stands last
    return sign * (words ? compare(one, two) : Number(one) - Number(two));
  });
  body.append(...rows.map(([, row]) => row));
}

/** Let the keyboard reach what scrolls sideways, and only that. */
function startScrollers() {
  const set = ({ target }) => {
    const scrolls = target.scrollWidth > target.clientWidth || target.scrollHeight > target.clientHeight;
    if (scrolls) target.setAttribute("tabindex", "0");
    else target.removeAttribute("tabindex");
  };
  const watcher = new ResizeObserver((entries) => entries.forEach(set));
  for (const box of document.querySelectorAll(".scroll, .plot")) watcher.observe(box);
}
