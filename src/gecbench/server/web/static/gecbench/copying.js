// Buttons that copy the text beside them; works without a secure context, too.

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", () => {
    const area = button.parentElement.querySelector("textarea");
    area.focus();
    area.select();
    document.execCommand("copy");
  });
}
