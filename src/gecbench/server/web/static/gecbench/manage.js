// Small helps on the manager's pages; all of them work without this, too.

for (const box of document.querySelectorAll("[data-every]")) {
  const those = document.querySelectorAll(`input[name="${box.dataset.every}"]`);
  box.addEventListener("change", () => {
    for (const one of those) one.checked = box.checked;
  });
}

for (const button of document.querySelectorAll("[data-copies]")) {
  button.addEventListener("click", () => {
    const field = button.parentElement.querySelector("input, textarea");
    field.focus();
    field.select();
    if (document.execCommand("copy")) button.textContent = button.dataset.done;
  });
}

// An import or a release takes a while: a second press would do it twice.
for (const button of document.querySelectorAll("[data-once]")) {
  button.form.addEventListener("submit", (event) => {
    if (event.submitter === button) setTimeout(() => { button.dataset.wasOn = ""; button.disabled = true; }, 0);
  });
}
window.addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("[data-once][data-was-on]")) button.disabled = false;
});
