// Colours of the drawings, light and dark. A HUD is always dark, as on a windscreen.

const light = {
  land: "#f3f0ea", grid: "#e4dfd5", casing: "#cfc8bc",
  minor: "#ffffff", tertiary: "#fffdf2", secondary: "#fdf0c4", primary: "#fbdc9b",
  trunk: "#f7bf85", motorway: "#ef9f86", path: "#d9d2c4", name: "#3c444c", halo: "#fffffff0",
  route: "#1673e6", routeEdge: "#0b4aa0", passed: "#9fb4cc", trail: "#5b6b7a",
  vehicle: "#0b6e8f", vehicleEdge: "#ffffff",
  sigma: "#0b6e8f", place: "#15202b", target: "#b3261e", point: "#7a3fb0", scale: "#15202b",
};
const dark = {
  land: "#111920", grid: "#1d2832", casing: "#0a0f14",
  minor: "#2c3947", tertiary: "#33424f", secondary: "#4a4a33", primary: "#5f5030",
  trunk: "#6e4e2e", motorway: "#7c4434", path: "#232e39", name: "#b9c7d4", halo: "#0b1116f0",
  route: "#4ba3ff", routeEdge: "#12365f", passed: "#3b4d60", trail: "#8396a8",
  vehicle: "#4fc3e8", vehicleEdge: "#04222d",
  sigma: "#4fc3e8", place: "#e8eef4", target: "#ff8f85", point: "#d0a3ff", scale: "#e8eef4",
};

/** The colours for the theme in force. */
export const palette = () => (document.documentElement.dataset.theme === "dark" ? dark : light);

/** The colour of a speed: blue is fine, orange is too fast, red is far too fast. */
export const speedColours = { blue: "#5fb4ff", orange: "#ffb046", red: "#ff5f57", unknown: "#dfe7ee" };

/** The colour of a way driven at such a speed, on the map. */
export function trailColour(colour, colours) {
  if (colour === "orange") return "#e08600";
  if (colour === "red") return "#e0362c";
  return colours.trail;
}
