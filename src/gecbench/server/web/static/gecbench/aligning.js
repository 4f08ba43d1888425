// Gives the cells of a region the same width in each row, so that all rows break their lines at
// the same places and what differs stands one below the other.

/** Align the rows below an element now, and whenever their width changes. */
export function alignRows(root) {
  const lines = [...root.querySelectorAll("[data-aligned]")];
  if (lines.length < 2) return;
  const regions = new Map();
  for (const cell of root.querySelectorAll("[data-aligned] [data-region]")) {
    const { region } = cell.dataset;
    if (!regions.has(region)) regions.set(region, []);
    regions.get(region).push(cell);
  }
  const align = () => {
    for (const cells of regions.values()) for (const cell of cells) cell.style.minWidth = "";
    const widths = [...regions.values()].map((cells) => Math.max(...cells.map((cell) => cell.getBoundingClientRect().width)));
    [...regions.values()].forEach((cells, index) => {
      for (const cell of cells) cell.style.minWidth = `${Math.ceil(widths[index] * 10) / 10}px`;
    });
  };
  let width = 0;
  new ResizeObserver(([entry]) => {
    const now = Math.round(entry.contentRect.width);
    if (now !== width) align();
    width = now;
  }).observe(lines[0]);
  document.fonts?.ready.then(align);
}
