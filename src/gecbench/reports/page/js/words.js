// The two languages of the interface. What the page was made with shows both, and CSS hides one;
// what scripts make asks `say` and is made again when the language changes.

const WORDS = JSON.parse(byId("words").textContent);
const root = document.documentElement;
const whenLanguageChanges = [];

/** Return a text of the interface in the reader's language, {names} replaced by values. */
function say(key, values = {}) {
  const text = WORDS[key][root.dataset.language];
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** Return a type of edits with what it means, where that is known. */
function typeName(label) {
  const key = `type:${label}`;
  return key in WORDS ? `${label} ${say(key)}` : label;
}

function setLanguage(language) {
  root.dataset.language = language;
  root.lang = language === "zh" ? "zh-Hans" : "en";
  for (const element of document.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", say(element.dataset.label));
  }
  for (const element of document.querySelectorAll("[data-words]")) {
    element.textContent = say(element.dataset.words);
  }
  const other = byId("language");
  other.textContent = language === "zh" ? "English" : "中文";
  other.lang = language === "zh" ? "en" : "zh-Hans";
  whenLanguageChanges.forEach((tell) => tell());
}

function startLanguage() {
  byId("language").addEventListener("click", () => {
    const language = root.dataset.language === "zh" ? "en" : "zh";
    memory.set("language", language);
    setLanguage(language);
  });
  const kept = memory.get("language");
  setLanguage(kept === "en" || kept === "zh" ? kept : root.dataset.language);
}
