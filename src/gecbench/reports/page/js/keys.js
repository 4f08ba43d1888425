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
      acts[event.key]();
      if (event.key !== "/") bringIntoSight(explorer);
    } else return;
    event.preventDefault();
  });
}

const oneBelowTheOther = matchMedia("(width < 60rem)"); // as in explorer.css

/** Scroll to what a key changes, where it cannot be seen. */
function bringIntoSight({ box, sentence }) {
  const height = document.documentElement.clientHeight;
  const { top, bottom } = (oneBelowTheOther.matches ? sentence : box).getBoundingClientRect();
  if (oneBelowTheOther.matches) {
    if (top < 0 || top > height / 2) sentence.scrollIntoView();
  } else if (top > height - 200 || bottom < 200) box.scrollIntoView();
}
