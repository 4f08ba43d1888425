// The few things that every other file needs of the document.

const byId = (id) => document.getElementById(id);

/** Return a new element; attributes that are null or false are left out, `on...` are listeners. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** Return text for readers of the screen alone. */
const unseen = (text) => make("span", { class: "unseen" }, text);

/** What a browser remembers of the reader's choices; it may refuse to, as for files it often does. */
const memory = {
  get(name) {
    try {
      return localStorage.getItem(`gecbench-${name}`);
    } catch {
      return null;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(`gecbench-${name}`, value);
    } catch {
      // Then the choice lasts as long as the page is open.
    }
  },
};
