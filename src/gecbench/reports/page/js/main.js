// What happens when the page is opened.

startLanguage();
startTheme();
startTables();
startScrollers();
startCharts();
startChoice();
startPaper();

unpack(byId("data")).then((packed) => {
  const place = byId("explorer");
  if (!packed) {
    const tell = () => place.replaceChildren(make("p", { class: "failure" }, say("tooOld")));
    whenLanguageChanges.push(tell);
    tell();
    return;
  }
  startDownloads(packed.files);
  offerViews(packed.sentences);
  startKeys(new Explorer(new Data(packed.sentences), place));
  root.dataset.ready = "yes";
});
