// Keys do what their action says: one table, from the page, with what the person has chosen.
//
// The table is {action: ["Alt+A", …]}; on a Mac the page's second table holds. Modifiers stand in
// the order Ctrl, Alt, Shift, Meta. A key without modifiers works outside text boxes only, but
// for function keys and Esc.

import { composing } from "./composing.js";

const CODES = { Comma: ",", Period: ".", Slash: "/", Minus: "-", Equal: "=", Semicolon: ";", Quote: "'", BracketLeft: "[", BracketRight: "]", Backslash: "\\", Backquote: "`", Space: "Space" };
const NAMES = { " ": "Space", Escape: "Esc", ArrowUp: "Up", ArrowDown: "Down", ArrowLeft: "Left", ArrowRight: "Right" };
const SIGNS = { Ctrl: "⌃", Alt: "⌥", Shift: "⇧", Meta: "⌘", Enter: "↩", Backspace: "⌫" };

export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgentData?.platform ?? navigator.platform ?? "");

/** Return the name of the key itself: what it writes, or where it lies if that is no ASCII. */
function nameOf(event) {
  if (/^[!-~]$/.test(event.key)) return event.key.toUpperCase();
  if (NAMES[event.key]) return NAMES[event.key];
  const place = /^(?:Key([A-Z])|Digit(\d)|Numpad(\d))$/.exec(event.code);
  return place ? (place[1] ?? place[2] ?? place[3]) : (CODES[event.code] ?? event.key);
}

/** Return a key event as the table writes it, or "" for what is only typing (AltGr). */
export function chord(event) {
  if (event.getModifierState?.("AltGraph")) return "";
  const name = nameOf(event);
  const letter = /^[A-Z]$/.test(name) || name.length > 1;
  const held = [
    event.ctrlKey && "Ctrl",
    event.altKey && "Alt",
    event.shiftKey && letter && "Shift", // other characters have it in them: "?" is one
    event.metaKey && "Meta",
  ];
  return [...held.filter(Boolean), name].join("+");
}

const writes = (element) => Boolean(element?.closest?.("textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=button])"));
const plain = (keys) => !/^(?:Ctrl|Alt|Meta)\+/.test(keys) && !/^(?:Shift\+)?(?:F\d+|Esc)$/.test(keys);

/** Return how a person reads a chord: "Alt+A", or "⌥A" on a Mac. */
export function written(keys, mac = isMac) {
  if (!mac) return keys;
  return keys.split("+").map((part) => SIGNS[part] ?? part).join("");
}

/** Runs actions by their keys. */
export class Keys {
  /** `tables` is {keys: {action: [chord]}, mac: {action: [chord]}}. */
  constructor(tables, { mac = isMac } = {}) {
    this.table = (mac ? tables.mac : null) ?? tables.keys;
    this.mac = mac;
    this.alsoInside = new Set();
    this.actions = new Map();
    document.addEventListener("keydown", (event) => this.pressed(event));
  }

  /** Do something for an action; a handler that returns false leaves the key to the browser. */
  on(action, handler) {
    this.actions.set(action, handler);
    return this;
  }

  /** Return the first chord of an action as a person reads it; "" where it has none. */
  label(action) {
    const [first] = this.table[action] ?? [];
    return first ? written(first, this.mac) : "";
  }

  /** Write the keys into all <kbd data-key="action"> below an element. */
  show(root = document) {
    for (const element of root.querySelectorAll("kbd[data-key]")) {
      const label = this.label(element.dataset.key);
      element.textContent = label;
      element.hidden = !label;
    }
  }

  pressed(event) {
    if (composing(event) || event.defaultPrevented) return;
    const beside = event.target.closest?.("#signin, #drawer");
    if (beside?.id === "signin") return; // it is about the session, nothing else
    const keys = chord(event);
    if (beside && plain(keys)) return; // what is read beside the work never judges or decides
    if (!keys || (plain(keys) && !this.alsoInside.has(keys) && writes(event.target))) return;
    for (const [action, handler] of this.actions) {
      if (!(this.table[action] ?? []).includes(keys)) continue;
      if (event.repeat && action !== "box_up" && action !== "box_down") return event.preventDefault();
      if (handler(event) !== false) {
        event.preventDefault();
        return;
      }
    }
  }
}
