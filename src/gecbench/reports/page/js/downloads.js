// Tables and the data of figures as files: they lie in the page's data by name.

const KINDS = { csv: "text/csv", tex: "application/x-tex", jsonl: "application/jsonl" };

function save(name, text) {
  const kind = KINDS[name.split(".").pop()];
  // Spreadsheets take a file for UTF-8 only where it begins with this mark.
  const mark = name.endsWith(".csv") ? "\ufeff" : "";
  const address = URL.createObjectURL(new Blob([mark, text], { type: `${kind};charset=utf-8` }));
  const link = make("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

function startDownloads(files) {
  for (const button of document.querySelectorAll("button[data-file]")) {
    const name = button.dataset.file;
    button.disabled = !(name in files);
    button.addEventListener("click", () => save(name, files[name]));
  }
}
