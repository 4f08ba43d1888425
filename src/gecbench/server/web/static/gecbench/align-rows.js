// Gives the cells of a region the same width in each row, so that all rows break their lines at
// the same places and what differs stands one below the other.

/** Align the rows below an element now, and whenever their width changes. */
export function alignRows(root) {
  const rows = root.querySelectorAll("[data-aligned]");
  if (rows.length < 2) return;
  const cells = [...root.querySelectorAll("[data-aligned] [data-region]")];
  const regions = new Map(cells.map(({ dataset }) => [dataset.region, []]));
  for (const cell of cells) regions.get(cell.dataset.region).push(cell);
  const align = () => {
    for (const cell of cells) cell.style.minWidth = "";
    const widths = new Map();
    for (const [region, column] of regions) {
      widths.set(region, Math.max(...column.map((cell) => cell.getBoundingClientRect().width)));
    }
    for (const cell of cells) cell.style.minWidth = `${Math.ceil(widths.get(cell.dataset.region) * 10) / 10}px`;
  };
  let width = 0;
  new ResizeObserver(([{ contentRect }]) => {
    if (Math.round(contentRect.width) !== width) align();
    width = Math.round(contentRect.width);
  }).observe(rows[0]);
  document.fonts.ready.then(align);
}
