// Buttons that copy the text beside them; works without a secure context, too.

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", () => {
    const area = button.parentElement.querySelector("textarea, input");
    area.focus();
    area.select();
    if (document.execCommand("copy") && button.dataset.done) button.textContent = button.dataset.done;
  });
}
