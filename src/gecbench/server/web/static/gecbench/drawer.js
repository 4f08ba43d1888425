// The guideline beside the work: it opens by key, keeps its place, and gives the focus back.

const KEPT = "gecbench/drawer/";

export class Drawer {
  /** The drawer is the element #drawer with data-url of its content; it may be absent. */
  constructor() {
    this.element = document.getElementById("drawer");
    if (!this.element) return;
    this.body = this.element.querySelector("[data-part=guide]");
    this.element.querySelector("[data-act=close]")?.addEventListener("click", () => this.close());
    for (const button of document.querySelectorAll("[data-drawer]")) {
      button.addEventListener("click", () => this.toggle());
    }
    this.body.addEventListener("scroll", () => this.keep(), { passive: true });
    this.body.addEventListener("click", (event) => this.follow(event));
  }

  get open() {
    return Boolean(this.element) && !this.element.hidden;
  }

  toggle() {
    if (this.open && this.element.contains(document.activeElement)) this.close();
    else if (this.open) this.enter();
    else this.show();
  }

  async show(section = "") {
    if (!this.element) return;
    this.before = document.activeElement;
    this.element.hidden = false;
    document.body.classList.add("with-drawer");
    this.buttons(true);
    this.before?.scrollIntoView?.({ block: "nearest" }); // on a phone the drawer lies below the box
    await this.load();
    if (section) this.go(section);
    else this.body.scrollTop = this.kept();
    this.enter();
  }

  enter() {
    if (!this.element.contains(document.activeElement)) this.before = document.activeElement;
    (this.element.querySelector("input[type=search]") ?? this.body).focus({ preventScroll: true });
  }

  /** Close; the focus goes back to where it was. Return whether there was anything to close. */
  close() {
    if (!this.open) return false;
    this.keep();
    const inside = this.element.contains(document.activeElement);
    this.element.hidden = true;
    document.body.classList.remove("with-drawer");
    this.buttons(false);
    if (inside) this.before?.focus?.({ preventScroll: true });
    return true;
  }

  buttons(expanded) {
    for (const button of document.querySelectorAll("[data-drawer]")) button.setAttribute("aria-expanded", String(expanded));
  }

  async load() {
    if (this.loaded) return;
    await globalThis.htmx.ajax("GET", this.element.dataset.url, { target: this.body, swap: "innerHTML" });
    this.loaded = true;
  }

  /** A link into the guideline moves the drawer, not the page. */
  follow(event) {
    const link = event.target.closest("a[href*='#']");
    if (!link || link.host !== location.host || event.ctrlKey || event.metaKey) return;
    const name = decodeURIComponent(link.hash.slice(1));
    if (this.go(name)) event.preventDefault();
  }

  go(anchor) {
    const target = this.body.querySelector(`#${CSS.escape(anchor)}`) ?? this.body.querySelector(`#guide-${CSS.escape(anchor)}`);
    if (!target) return false;
    this.body.scrollTop += target.getBoundingClientRect().top - this.body.getBoundingClientRect().top - 8;
    this.keep();
    return true;
  }

  keep() {
    try {
      sessionStorage.setItem(KEPT + this.element.dataset.url, String(this.body.scrollTop));
    } catch {
      // Then it begins at the top.
    }
  }

  kept() {
    try {
      return Number(sessionStorage.getItem(KEPT + this.element.dataset.url)) || 0;
    } catch {
      return 0;
    }
  }
}
