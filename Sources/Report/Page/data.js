// The data of the report, unpacked, and what all pictures share.
const byId = (name) => document.getElementById(name);
const figures = JSON.parse(byId("figures").textContent);
const packed = JSON.parse(byId("series").textContent);

/** A column as numbers; unknown values are NaN. */
function unpack(column) {
  const values = new Float64Array(column ? column.d.length : 0);
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    const step = column.d[i];
    if (step === null) values[i] = NaN;
    else values[i] = (sum += step) * column.step;
  }
  return values;
}

/** Seconds by which the second drive starts later than the first; 0 where their times do not overlap. */
function startOffset(index) {
  const [a, b] = [figures[0], figures[index]];
  if (index === 0 || a.begin_utc_s === null || b.begin_utc_s === null) return 0;
  const offset = b.begin_utc_s - a.begin_utc_s;
  return offset < a.duration_s && -offset < b.duration_s ? offset : 0;
}

const drives = packed.map((series, index) => {
  const drive = { figures: figures[index], series, colour: index === 0 ? "--a" : "--b", offset: startOffset(index) };
  for (const name of ["t", "e", "n", "h", "v", "limit", "colour", "state", "heading", "roll", "pitch", "sigma",
    "heading_sigma", "height_sigma", "fix_age", "error", "height_error", "heading_error", "re", "rn"]) {
    drive["_" + name] = unpack(series[name]);
  }
  drive._t = drive._t.map((t) => t + drive.offset);
  drive.fixes = { t: unpack(series.fixes.t).map((t) => t + drive.offset), e: unpack(series.fixes.e),
    n: unpack(series.fixes.north), latency: unpack(series.fixes.latency) };
  drive.innovations = series.innovations.map((one) => ({ source: one.source,
    t: unpack(one.t).map((t) => t + drive.offset), x: unpack(one.x), refused: unpack(one.refused),
    counts: one.counts }));
  drive.roads = series.roads.map((road) => ({ size: road.class, tunnel: road.tunnel, e: unpack(road.e),
    n: unpack(road.n) }));
  drive.route = { e: unpack(series.route.e), n: unpack(series.route.n) };
  return drive;
});
const isComparison = drives.length > 1;
const shortName = (name) => name.split("/").filter(Boolean).pop() || name;

/** The whole time, the shown time, and the marked instant, seconds; `units` is that of speeds. */
const view = { begin: 0, end: 1, from: 0, to: 1, mark: null, units: { name: "km/h", factor: 3.6 } };
view.begin = Math.min(0, ...drives.map((drive) => drive.offset));
view.end = Math.max(1, ...drives.map((drive) => drive.offset + drive.figures.duration_s));
[view.from, view.to] = [view.begin, view.end];

/** Called after a change of the shown time (`range`), of the mark (`mark`) or of the look (`look`). */
const listeners = [];
const tell = (what) => listeners.forEach((listener) => listener(what));
function show(from, to) {
  const least = Math.min(2, view.end - view.begin);
  const middle = (from + to) / 2;
  const half = Math.max((to - from) / 2, least / 2);
  [view.from, view.to] = [Math.max(view.begin, middle - half), Math.min(view.end, middle + half)];
  tell("range");
}
function mark(seconds) {
  if (seconds === view.mark) return;
  view.mark = seconds === null ? null : Math.min(Math.max(seconds, view.begin), view.end);
  tell("mark");
}

/** Index of the last element that is not after a value. */
function place(sorted, value) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1; else high = middle;
  }
  return low - 1;
}

/** Index of the sample at the mark; -1 where there is none within two intervals. */
function sampleAt(drive, seconds) {
  const index = place(drive._t, seconds);
  return index >= 0 && seconds - drive._t[index] <= 2 * drive.series.interval + 0.5 ? index : -1;
}

// MARK: Text

const fixed = (value, decimals, unit = "") =>
  value === null || value === undefined || Number.isNaN(value)
    ? "-" : value.toFixed(decimals) + (unit ? (unit === "°" ? "" : " ") + unit : "");
const two = (value) => String(value).padStart(2, "0");
function clock(seconds) {
  const sign = seconds < 0 ? "-" : "";
  const whole = Math.floor(Math.abs(seconds));
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return sign + (h > 0 ? h + ":" + two(m) : m) + ":" + two(s);
}
function duration(seconds) {
  const whole = Math.round(seconds);
  const parts = [[Math.floor(whole / 3600), "h"], [Math.floor(whole / 60) % 60, "min"], [whole % 60, "s"]];
  const from = parts.findIndex((part) => part[0] > 0);
  return from < 0 ? fixed(seconds, 1, "s") : parts.slice(from).map((part) => part.join(" ")).join(" ");
}
function distance(metres) { return metres < 1000 ? fixed(metres, 0, "m") : fixed(metres / 1000, 2, "km"); }
function metres(value) {
  if (value === null || Number.isNaN(value)) return "-";
  return Math.abs(value) < 0.1 ? fixed(value * 100, 1, "cm") : fixed(value, Math.abs(value) < 10 ? 2 : 1, "m");
}
const words = (name) => name.replace(/([A-Z])/g, (letter) => " " + letter.toLowerCase()).replaceAll("_", " ");
const percent = (share) => share === null ? "-" : fixed(100 * share, share > 0.0995 ? 0 : 1, "%");

/** An element with a class, a text and children. The text is never read as markup. */
function element(tag, className = "", text = null, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== null) made.textContent = text;
  made.append(...children);
  return made;
}

// MARK: Colour

let palette = {};
function colour(name) {
  if (!(name in palette)) palette[name] = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return palette[name];
}
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  palette = {};
  byId("theme").textContent = name === "dark" ? "Light" : "Dark";
  tell("look");
}
const stateNames = ["starting", "aligning", "coarse", "aligned", "dead reckoning", "lost", "attitude only"];
