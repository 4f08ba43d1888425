// Keys do what their action says: one table, from the page, with what the person has chosen.
//
// The table is {action: ["Alt+A", …]}; on a Mac the page's second table holds. Modifiers stand in
// the order Ctrl, Alt, Shift, Meta. A key without modifiers works outside text boxes only, but
// for function keys and Esc. Handlers get the event, of a key or a click. rules/keys.py says what each key does.

import { isComposing } from "./composition.js";
import { byId } from "./page.js";

const CODES = {
  ...{ Comma: ",", Period: ".", Slash: "/", Minus: "-", Equal: "=", Semicolon: ";", Quote: "'" },
  ...{ BracketLeft: "[", BracketRight: "]", Backslash: "\\", Backquote: "`", Space: "Space" },
};
const NAMES = {
  ...{ " ": "Space", Escape: "Esc", ArrowUp: "Up", ArrowDown: "Down", ArrowLeft: "Left", ArrowRight: "Right" },
};
const MAC_SIGNS = { Ctrl: "⌃", Alt: "⌥", Shift: "⇧", Meta: "⌘", Enter: "↩", Backspace: "⌫" };
const TEXT_FIELD =
  "textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=button])";
const REPEATED = ["box_up", "box_down"];
const isMac = /Mac|iPhone|iPad/.test(navigator.userAgentData?.platform ?? navigator.platform ?? "");

/** The name of the key itself: what it writes, or where it lies if that is no ASCII. */
function keyName(event) {
  if (/^[!-~]$/.test(event.key)) return event.key.toUpperCase();
  if (NAMES[event.key]) return NAMES[event.key];
  const place = /^(?:Key([A-Z])|Digit(\d)|Numpad(\d))$/.exec(event.code);
  return place ? (place[1] ?? place[2] ?? place[3]) : (CODES[event.code] ?? event.key);
}

/** A key event as the table writes it, or "" for what is only typing (AltGr). */
export function chordOf(event) {
  if (event.getModifierState?.("AltGraph")) return "";
  const name = keyName(event);
  const canShift = /^[A-Z]$/.test(name) || name.length > 1; // other characters have it in them, as "?"
  const modifiers = [
    event.ctrlKey && "Ctrl",
    event.altKey && "Alt",
    event.shiftKey && canShift && "Shift",
    event.metaKey && "Meta",
  ];
  return [...modifiers.filter(Boolean), name].join("+");
}

const typesText = (chord) => !/^(?:Ctrl|Alt|Meta)\+/.test(chord) && !/^(?:Shift\+)?(?:F\d+|Esc)$/.test(chord);

function followLink(rel) {
  const link = document.querySelector(`a[rel=${rel}]`);
  if (!link?.href) return false;
  location.assign(link.href);
}

/** Runs actions by their keys; those to the previous and next page and to the list of keys are here. */
export class Keys {
  /** `tables` is {keys: {action: [chord]}, mac: {action: [chord]}}. */
  constructor(tables) {
    this.table = (isMac ? tables.mac : null) ?? tables.keys;
    this.alsoInText = new Set();
    this.actions = new Map();
    this.on({
      previous: () => followLink("prev"),
      next: () => followLink("next"),
      keys: () => byId("keys-list")?.toggleAttribute("open") ?? false,
    });
    document.addEventListener("keydown", (event) => this.press(event));
    document.addEventListener("click", (event) => this.click(event));
    for (const root of [document, ...Array.from(document.querySelectorAll("template"), ({ content }) => content)]) {
      for (const element of root.querySelectorAll("kbd[data-key]")) {
        const [chord = ""] = this.table[element.dataset.key] ?? [];
        const parts = isMac ? chord.split("+").map((part) => MAC_SIGNS[part] ?? part) : [chord];
        element.textContent = parts.join("");
        element.hidden = !chord;
      }
    }
  }

  /** Add actions {name: handler}; a handler that returns false leaves the key to the browser. */
  on(actions) {
    for (const [name, act] of Object.entries(actions)) this.actions.set(name, act);
  }

  /** Add an action for each number from 1: box_1, box_2, … */
  onNumbers(name, act, most = 9) {
    for (let number = 1; number <= most; number += 1) this.on({ [`${name}_${number}`]: () => act(number) });
  }

  /** A button does what the key that is written on it does. */
  click(event) {
    const key = event.target.closest("button")?.querySelector("kbd[data-key]");
    const act = this.actions.get(key?.dataset.key);
    if (act && !event.defaultPrevented && act(event) !== false) event.preventDefault();
  }

  press(event) {
    if (isComposing(event) || event.defaultPrevented || event.target.closest?.("#signin")) return;
    const chord = chordOf(event);
    if (!chord) return;
    if (typesText(chord)) {
      if (event.target.closest?.("#drawer")) return; // what is read beside the work never decides
      if (event.target.closest?.(TEXT_FIELD) && !this.alsoInText.has(chord)) return;
    }
    for (const [name, act] of this.actions) {
      if (!this.table[name]?.includes(chord)) continue;
      if ((event.repeat && !REPEATED.includes(name)) || act(event) !== false) return event.preventDefault();
    }
  }
}
