// Keys that work anywhere on the page, except while something is typed or chosen.

const KEYS = {
  "+": "zoomIn", "=": "zoomIn", "-": "zoomOut", f: "follow", n: "turn", u: "units", d: "theme", "?": "help",
  t: "target", x: "noTarget",
};
const PLAYER_KEYS = { " ": "play", j: "back", l: "ahead" };

/** Listens for the keys; hasPlayer tells whether a recording is shown. */
export function installKeys(actions, hasPlayer) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    const tag = event.target.tagName;
    if (tag === "SELECT" || tag === "TEXTAREA" || (tag === "INPUT" && event.target.type !== "range")) return;
    const isButton = tag === "BUTTON";
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const name = KEYS[key] ?? (hasPlayer() && !(isButton && key === " ") ? PLAYER_KEYS[key] : undefined);
    if (!name) return;
    event.preventDefault();
    actions[name]();
  });
}
