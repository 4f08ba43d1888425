// Details of an edit, shown while it is pointed at or has the focus; Escape hides them.

const hints = new WeakMap();

function hintOf(old, edit, kind, { data, place }) {
  const makers = data.makers(place, edit.index);
  const rows = [
    [say("verdict"), say(`kind-${kind}`)],
    [say("type"), typeName(edit.label)],
  ];
  if (edit.weight !== undefined && edit.weight !== null) {
    rows.push([say("difficulty"), `${Math.round(100 * edit.weight)}%`]);
  }
  if (edit.alternatives.length) rows.push([say("alternatives"), edit.alternatives.join(" / ")]);
  rows.push([
    say("madeBy", { count: makers.length, total: data.systems.length }),
    makers.length ? makers.map((system) => data.systems[system]).join(", ") : say("nobody"),
  ]);
  return [
    make("p", { class: "change", lang: data.lang }, spoken(old, edit).trim()),
    make("dl", {}, ...rows.map(([head, text]) => make("div", {}, make("dt", {}, head), make("dd", {}, make("bdi", {}, text))))),
  ];
}

function startHints(area) {
  const box = byId("hint");
  let owner = null;
  const hide = () => {
    box.hidden = true;
    owner?.removeAttribute("aria-describedby");
    owner = null;
  };
  const show = (mark) => {
    if (!mark || !hints.has(mark)) return hide();
    if (mark === owner) return undefined;
    hide();
    owner = mark;
    box.replaceChildren(...hints.get(mark)());
    box.hidden = false;
    mark.setAttribute("aria-describedby", "hint");
    return place(box, mark);
  };
  const markOf = (event) => event.target.closest?.(".edit");
  area.addEventListener("pointerover", (event) => show(markOf(event)));
  area.addEventListener("pointerleave", hide);
  area.addEventListener("focusin", (event) => show(markOf(event)));
  area.addEventListener("focusout", hide);
  area.addEventListener("click", (event) => show(markOf(event)));
  area.addEventListener("keydown", (event) => {
    const mark = event.target.closest(".edit");
    if (!mark || !["Enter", " "].includes(event.key)) return;
    event.preventDefault();
    if (mark === owner) hide();
    else show(mark);
  });
  // What has the focus was perhaps scrolled to just now.
  const move = () => (owner && owner === document.activeElement ? place(box, owner) : hide());
  document.addEventListener("scroll", move, { passive: true, capture: true });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
}

/** Put a box below what it belongs to, or above where there is no room. */
function place(box, owner) {
  const at = owner.getClientRects()[0];
  const { offsetWidth: width, offsetHeight: height } = box;
  const room = document.documentElement;
  const left = Math.min(Math.max(8, at.left), room.clientWidth - width - 8);
  const below = owner.getBoundingClientRect().bottom + 6;
  const top = below + height > room.clientHeight ? Math.max(8, at.top - height - 6) : below;
  box.style.left = `${left}px`;
  box.style.top = `${top}px`;
}
