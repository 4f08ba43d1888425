// The guideline beside the work: it opens by key, keeps its place, and gives the focus back.

import { byId } from "./page.js";

/** The dialog #drawer with data-url of its content; a page may have none. */
export class GuidelineDrawer {
  constructor(keys) {
    this.dialog = byId("drawer");
    if (!this.dialog) return;
    this.body = this.dialog.querySelector("[data-part=guide]");
    this.place = `gecbench/drawer/${this.dialog.dataset.url}`;
    this.buttons = document.querySelectorAll("[data-drawer]");
    keys.on({ guide: () => this.toggle(), close: () => this.close() });
    this.body.addEventListener("scroll", () => this.keepPlace(), { passive: true });
    this.body.addEventListener("click", (event) => this.follow(event));
  }

  /** Open it, go into it, or close it from inside. */
  async toggle() {
    if (this.dialog.contains(document.activeElement)) return this.close();
    const before = document.activeElement;
    this.dialog.close(); // opened again, it gives the focus back to where it is now
    this.dialog.show();
    for (const button of this.buttons) button.setAttribute("aria-expanded", "true");
    before?.scrollIntoView?.({ block: "nearest" }); // on a phone the drawer lies below the box
    const target = { target: this.body, swap: "innerHTML" };
    if (!this.loaded) await globalThis.htmx.ajax("GET", this.dialog.dataset.url, target);
    this.loaded = true;
    this.body.scrollTop = Number(sessionStorage.getItem(this.place)) || 0;
    (this.dialog.querySelector("input[type=search]") ?? this.body).focus({ preventScroll: true });
  }

  /** Close it; false where it is not open. */
  close() {
    if (!this.dialog?.open) return false;
    this.keepPlace();
    this.dialog.close();
    for (const button of this.buttons) button.setAttribute("aria-expanded", "false");
    return true;
  }

  /** A link into the guideline moves the drawer, not the page. */
  follow(event) {
    const link = event.target.closest("a[href*='#']");
    if (!link || link.host !== location.host || event.ctrlKey || event.metaKey) return;
    const id = CSS.escape(decodeURIComponent(link.hash.slice(1)));
    const section = this.body.querySelector(`#${id}, #guide-${id}`);
    if (!section) return;
    event.preventDefault();
    this.body.scrollTop += section.getBoundingClientRect().top - this.body.getBoundingClientRect().top - 8;
    this.keepPlace();
  }

  keepPlace() {
    if (this.loaded && this.dialog.open) sessionStorage.setItem(this.place, String(this.body.scrollTop));
  }
}
