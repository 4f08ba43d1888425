// The keyboard: one key for each thing that is often done; "?" lists them.

function startKeys(explorer) {
  const help = byId("help");
  const close = () => help.close();
  help.querySelector("button").addEventListener("click", close);
  byId("ask-help").addEventListener("click", () => help.showModal());
  const acts = {
    j: () => explorer.step(1),
    k: () => explorer.step(-1),
    v: () => explorer.show(VIEWS[(VIEWS.indexOf(explorer.view.view) + 1) % VIEWS.length]),
    "/": () => explorer.form.elements.namedItem("q").focus(),
  };
  const inList = {
    ArrowDown: () => explorer.step(1),
    ArrowUp: () => explorer.step(-1),
    PageDown: () => explorer.step(10),
    PageUp: () => explorer.step(-10),
    Home: () => explorer.go(0),
    End: () => explorer.go(explorer.places.length - 1),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    const typing = event.target.closest("input, select, textarea");
    if (typing) {
      if (event.key === "Escape") typing.blur();
      return;
    }
    if (event.key === "?") help.showModal();
    else if (event.target === explorer.listBox && inList[event.key] && explorer.places.length) inList[event.key]();
    else if (acts[event.key]) {
      if (!inSight(explorer.box)) explorer.box.scrollIntoView();
      acts[event.key]();
    } else return;
    event.preventDefault();
  });
}

function inSight(element) {
  const { top, bottom } = element.getBoundingClientRect();
  return top < document.documentElement.clientHeight - 200 && bottom > 200;
}
