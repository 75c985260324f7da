// Colours as the system's, or as chosen. Runs before the page is drawn, so that it does not flash.
(() => {
  const choices = ["system", "light", "dark"];
  const media = matchMedia("(prefers-color-scheme: dark)");
  const read = () => {
    try { return localStorage.getItem("theme"); } catch { return null; }
  };
  let choice = choices.includes(read()) ? read() : "system";

  const apply = () => {
    const theme = choice === "system" ? (media.matches ? "dark" : "light") : choice;
    document.documentElement.dataset.theme = theme;
    dispatchEvent(new Event("themechange"));
  };
  media.addEventListener("change", apply);
  apply();

  globalThis.posedTheme = {
    get choice() { return choice; },
    next() {
      choice = choices[(choices.indexOf(choice) + 1) % choices.length];
      try { localStorage.setItem("theme", choice); } catch { /* the choice lasts until the page is closed */ }
      apply();
    },
  };
})();
