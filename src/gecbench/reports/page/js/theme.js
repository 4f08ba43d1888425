// Light or dark: as the system has it, until the reader says otherwise.

const THEMES = ["auto", "light", "dark"];

function startTheme() {
  const choice = byId("theme");
  const set = (theme) => {
    root.dataset.theme = theme;
    choice.value = theme;
  };
  choice.addEventListener("change", () => {
    memory.set("theme", choice.value);
    set(choice.value);
  });
  const kept = memory.get("theme");
  set(THEMES.includes(kept) ? kept : "auto");
}
