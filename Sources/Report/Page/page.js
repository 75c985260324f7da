// The page: texts, tables, and which pictures there are.
const only = figures[0];
const speed = (value) => value === null || Number.isNaN(value) ? "-"
  : fixed(value * view.units.factor, 1, view.units.name);

function head() {
  byId("title").textContent = figures.map((one) => shortName(one.name)).join(" and ");
  const facts = figures.map((one) => {
    const date = one.begin_utc_s === null ? "date unknown"
      : new Date(one.begin_utc_s * 1000).toISOString().replace("T", " ").slice(0, 19) + " UTC";
    return [date, duration(one.duration_s), distance(one.length_m), one.format,
      one.release ? "release " + one.release : "", one.private ? "moved to a random place" : ""]
      .filter(Boolean).join(" · ");
  });
  byId("facts").append(...facts.map((text) => element("span", "", text)).flatMap((one, i) =>
    i ? [element("br"), one] : [one]));
}

function writeFindings() {
  const list = byId("findings");
  for (const drive of drives) {
    for (const finding of drive.figures.findings) {
      const text = element("span", "", (isComparison ? shortName(drive.figures.name) + ": " : "") + finding.text);
      if (finding.remedy) text.append(element("span", "remedy", "; " + finding.remedy));
      const item = element("li", "", null, element("span", "badge " + finding.severity, finding.severity), text);
      if (finding.at_s !== null) {
        const link = element("button", "link", "at " + clock(finding.at_s));
        link.type = "button";
        link.addEventListener("click", () => jump(finding.at_s + drive.offset));
        item.append(link);
      }
      list.append(item);
    }
  }
  if (!list.children.length) {
    const good = element("span", "badge good", "good");
    list.append(element("li", "", null, good, element("span", "", "nothing to improve")));
  }
}

/** Shows a minute around an instant. */
function jump(seconds) {
  show(seconds - 30, seconds + 30);
  mark(seconds);
  byId("time-title").scrollIntoView({ block: "start" });
}

function tile(name, values, more = []) {
  const box = element("div", "tile", null, element("div", "name", name));
  values.forEach((value, i) => {
    const line = element("div", "value" + (isComparison ? " second" : ""), value);
    if (isComparison) line.style.color = colour(drives[i].colour);
    box.append(line);
  });
  if (!isComparison) more.filter(Boolean).forEach((text) => box.append(element("div", "more", text)));
  return box;
}

function writeTiles() {
  const each = (text) => figures.map(text);
  const tiles = [
    tile("Aligned", each((f) => percent(f.pose.state_share.aligned)),
      [only.pose.aligned_after_s === null ? "never" : "after " + fixed(only.pose.aligned_after_s, 1, "s")]),
    tile("Position 1-sigma", each((f) => metres(f.pose.sigma_m.median)),
      ["95 % below " + metres(only.pose.sigma_m.p95), "largest " + metres(only.pose.sigma_m.max)]),
    tile("Heading 1-sigma", each((f) => fixed(f.pose.heading_sigma_deg.median, 2, "°")),
      ["95 % below " + fixed(only.pose.heading_sigma_deg.p95, 2, "°")]),
  ];
  if (figures.some((f) => f.error)) {
    tiles.unshift(tile(only.error?.smoothed ? "Difference to smoothed" : "Position error, RMS",
      each((f) => metres(f.error?.horizontal_m.rms ?? null)),
      only.error ? ["95 % below " + metres(only.error.horizontal_m.p95),
        "within 1, 2, 3 sigma " + only.error.within_sigmas.map((s) => Math.round(100 * s)).join(", ") + " %"] : []));
  }
  tiles.push(
    tile(
      "Fixes used", each((f) => String(f.fixes.used)),
      [only.fixes.refused + " refused", only.fixes.count + " received"]),
    tile(
      "Latency", each((f) => fixed(f.latency_ms.median, 0, "ms")),
      ["95 % below " + fixed(only.latency_ms.p95, 0, "ms")]),
    tile("Longest without fix", each((f) => fixed(f.pose.longest_without_fix_s, 1, "s"))),
    tile("Largest speed", each((f) => speed(f.speed.max_m_s)),
      ["moving " + speed(only.speed.mean_moving_m_s), only.speed.with_limit_s > 0
        ? percent(only.speed.over_limit_s / only.speed.with_limit_s) + " of it above the limit" : "no limits known"]));
  byId("tiles").replaceChildren(...tiles);
}

/** A table of rows; the first row is the head. */
function table(rows, textColumns = [0]) {
  const made = element("table");
  rows.forEach((row, i) => {
    const line = element("tr");
    row.forEach((cell, k) => {
      const kind = textColumns.includes(k) ? "text" : "";
      line.append(element(i ? "td" : "th", kind, String(cell)));
    });
    made.append(line);
  });
  return made;
}

function writeTables() {
  for (const drive of drives) {
    const f = drive.figures;
    const caption = isComparison ? [element("p", "facts", shortName(f.name))] : [];
    byId("sensors").append(...caption, table([["sensor", "count", "rate", "gaps", "longest"],
      ...f.sensors.map((s) => [s.name, s.count, fixed(s.rate_hz, 1, "Hz"), s.gaps, fixed(s.longest_gap_s, 2, "s")])]));
    byId("sources").append(...caption.map((one) => one.cloneNode(true)),
      table([["source", "used", "refused", "RMS in sigmas", "beyond 3"],
        ...f.innovations.map(
          (s) => [words(s.source), s.used, s.refused, fixed(s.normalised_rms, 2), s.beyond_3_sigma])]));
    const events = element("table");
    for (const event of drive.series.events) {
      const link = element("button", "link", clock(event.t));
      link.type = "button";
      link.addEventListener("click", () => jump(event.t + drive.offset));
      events.append(element("tr", "", null, element("td", "", null, link), element("td", "text", event.text)));
    }
    byId("events").append(...caption.map((one) => one.cloneNode(true)), events);
    if (f.events > drive.series.events.length) {
      byId("events").append(element("p", "hint", `the first ${drive.series.events.length} of ${f.events}`));
    }
  }
}

/** All figures as a table: their names are the ones of the JSON output. */
function writeAll() {
  const made = element("table");
  made.append(element("tr", "", null, element("th", "", "figure"),
    ...figures.map((f) => element("th", "", isComparison ? shortName(f.name) : "value")),
    ...(isComparison ? [element("th", "", "difference")] : [])));
  const skip = new Set(["findings", "sensors", "innovations", "name", "format", "release", "begin_utc_s", "counts"]);
  const walk = (values, name) => {
    const first = values.find((value) => value !== null && value !== undefined);
    if (first !== undefined && typeof first === "object" && !Array.isArray(first)) {
      for (const key of Object.keys(first).filter((one) => !skip.has(one))) {
        walk(values.map((value) => value?.[key] ?? null), name ? name + "." + key : key);
      }
      return;
    }
    const cells = values.map((value) => element("td", "", value === null ? "-" : Array.isArray(value)
      ? value.join(", ") : String(value)));
    if (isComparison) {
      const [a, b] = values;
      cells.push(element("td", "", typeof a === "number" && typeof b === "number"
        ? (b - a >= 0 ? "+" : "") + String(Number((b - a).toPrecision(4))) : ""));
    }
    made.append(element("tr", "", null, element("td", "", name), ...cells));
  };
  walk(figures, "");
  byId("all").append(made);
}

// MARK: Pictures over time

const both = (name) => drives.filter((d) => d["_" + name].length).map((d) => [d._t, d["_" + name]]);
const named = (d, text) => isComparison ? text + ", " + shortName(d.figures.name) : text;

function rowsChart(parent) {
  const rows = drives.flatMap((d) => [["pose", d], ...d.series.gaps.map((gap) => [gap.name, d, gap])]);
  const tall = 22;
  new Chart(parent, { title: "State and sensors", rows: true, height: rows.length * tall + 34, range: () => [0, 1],
    legend: () => stateNames.map((name, i) => [name, "--s" + i])
      .filter((_, i) => drives.some((d) => d._state.includes(i))).concat([["gap", "--bad"]]),
    paint: (chart, context) => rows.forEach(([name, d, gap], k) => {
      const y = margin.top + k * tall;
      const bar = (from, to, hue) => {
        const x = Math.max(chart.x(from), margin.left - 1);
        const end = Math.min(chart.x(to), margin.left + chart.inner + 1);
        if (end < x) return;
        context.fillStyle = colour(hue);
        context.fillRect(x, y + 3, Math.max(end - x, 1), tall - 7);
      };
      if (gap) {
        bar(gap.span[0] + d.offset, gap.span[1] + d.offset, "--road-big");
        for (let i = 0; i + 1 < gap.gaps.length; i += 2) {
          bar(gap.gaps[i] + d.offset, gap.gaps[i + 1] + d.offset, "--bad");
        }
      } else {
        let start = 0;
        for (let i = 1; i <= d._t.length; i++) {
          if (i < d._t.length && d._state[i] === d._state[start]) continue;
          bar(d._t[start], d._t[Math.min(i, d._t.length - 1)], "--s" + d._state[start]);
          start = i;
        }
      }
      context.restore();
      context.fillStyle = colour(isComparison ? d.colour : "--faint");
      context.textAlign = "right";
      context.textBaseline = "middle";
      context.fillText(name.slice(0, 9), margin.left - 6, y + tall / 2);
      context.save();
      context.beginPath();
      context.rect(margin.left, 0, chart.inner, chart.bottom + 1);
      context.clip();
    }) });
}

function speedChart(parent) {
  const scaled = (values) => values.map((v) => v * view.units.factor);
  let cache = {};
  const values = (d, name) => {
    const key = drives.indexOf(d) + name + view.units.name;
    return cache[key] ??= scaled(d["_" + name]);
  };
  new Chart(parent, { title: "Speed", height: 170, fromZero: true, leastRoom: 1,
    summary: `largest ${speed(only.speed.max_m_s)}`,
    values: () => drives.flatMap((d) => [[d._t, values(d, "v")], [d._t, values(d, "limit")]]),
    legend: () => [...drives.map((d) => [named(d, "speed in " + view.units.name), d.colour]),
      ...(drives.some((d) => d.figures.speed.with_limit_s > 0)
        ? [["limit", "--limit", true], ["above it", "--red"]] : [])],
    paint: (chart, context) => drives.forEach((d, k) => {
      const [v, limit] = [values(d, "v"), values(d, "limit")];
      if (k === 0) {
        const over = v.map((value, i) => value > limit[i] ? value : NaN);
        context.globalAlpha = 0.4;
        chart.area(context, d._t, limit, over, colour("--red"));
        context.globalAlpha = 1;
        chart.line(context, d._t, limit, colour("--limit"), { dash: [5, 4], steps: true });
      }
      chart.line(context, d._t, v, colour(d.colour));
    }) });
}

/** A sigma and the error that it promises, on a scale of powers of ten. */
function trustChart(parent, title, sigma, error, unit, least) {
  const has = drives.some((d) => d["_" + error].length && d["_" + error].some((v) => !Number.isNaN(v)));
  const size = drives.map((d) => d["_" + error].map(Math.abs));
  new Chart(parent, { title, height: 160, log: true, least, summary: has ? "sigma against error" : "sigma",
    values: () => [...both(sigma), ...(has ? drives.map((d, k) => [d._t, size[k]]) : [])],
    legend: () => [...drives.map((d) => [named(d, "1-sigma, " + unit), d.colour]), ...(has
      ? [[only.error?.smoothed ? "difference to the smoothed track" : "error", "--ref"]] : [])],
    paint: (chart, context) => drives.forEach((d, k) => {
      if (has && d["_" + error].length) {
        chart.line(context, d._t, size[k], colour(k ? "--limit" : "--ref"), { width: 1.2 });
      }
      chart.line(context, d._t, d["_" + sigma], colour(d.colour), { width: 1.8 });
    }) });
}

function heightChart(parent) {
  const edges = drives.map((d) => [-1, 1].map((sign) => d._h.map((h, i) => h + sign * d._height_sigma[i])));
  new Chart(parent, { title: "Height above the ellipsoid", height: 130, leastRoom: 1,
    values: () => both("h"),
    legend: () => drives.map((d) => [named(d, "height in m, band of 1-sigma"), d.colour]),
    paint: (chart, context) => drives.forEach((d, k) => {
      if (!isComparison) chart.area(context, d._t, edges[k][0], edges[k][1], colour("--band"));
      chart.line(context, d._t, d._h, colour(d.colour));
    }) });
}

function attitudeCharts(parent) {
  new Chart(parent, { title: "Heading", height: 130, range: () => [0, 360], ticks: [0, 90, 180, 270, 360],
    values: () => both("heading"),
    legend: () => drives.map((d) => [named(d, "true heading in degrees"), d.colour]),
    paint: (chart, context) => drives.forEach((d) =>
      chart.line(context, d._t, d._heading.map((v) => (v % 360 + 360) % 360), colour(d.colour), { wrap: 180 })) });
  new Chart(parent, { title: "Roll and pitch", height: 130, leastRoom: 0.5,
    values: () => [...both("roll"), ...both("pitch")],
    legend: () => drives.flatMap((d, k) => [[named(d, "roll in degrees"), d.colour],
      [named(d, "pitch"), k ? "--limit" : "--ref"]]),
    paint: (chart, context) => drives.forEach((d, k) => {
      chart.line(context, d._t, d._roll, colour(d.colour), { width: 1.2 });
      chart.line(context, d._t, d._pitch, colour(k ? "--limit" : "--ref"), { width: 1.2 });
    }) });
}

const sourceColours = ["--a", "--b", "--ref", "--limit", "--s1", "--s2"];
function innovationChart(parent) {
  const sources = [...new Set(drives.flatMap((d) => d.innovations.map((one) => one.source)))]
    .filter((name) => name.startsWith("gnss") || ["wheelSpeed", "receiverHeading", "barometer"].includes(name));
  if (!sources.length) return;
  const hue = (name) => sourceColours[sources.indexOf(name) % sourceColours.length];
  new Chart(parent, { title: "Innovations over their sigma", height: 170, range: () => [-6, 6],
    ticks: [-6, -3, 0, 3, 6], values: () => [],
    legend: () => [...sources.map((name) => [words(name).replace("gnss", "GNSS"), hue(name)]), ["refused", "--red"]],
    paint: (chart, context) => {
      context.fillStyle = colour("--band");
      context.fillRect(margin.left, chart.y(3), chart.inner, chart.y(-3) - chart.y(3));
      for (const d of drives) {
        for (const { source, t, x, refused } of d.innovations) {
          if (!sources.includes(source)) continue;
          context.fillStyle = colour(hue(source));
          for (let i = Math.max(place(t, view.from), 0); i < t.length && t[i] <= view.to; i++) {
            if (refused[i]) continue;
            context.fillRect(chart.x(t[i]) - 1, chart.y(Math.min(Math.max(x[i], -5.9), 5.9)) - 1, 2.2, 2.2);
          }
          context.fillStyle = colour("--red");
          for (let i = Math.max(place(t, view.from), 0); i < t.length && t[i] <= view.to; i++) {
            if (refused[i]) context.fillRect(chart.x(t[i]) - 2, chart.y(Math.min(Math.max(x[i], -5.9), 5.9)) - 2, 4, 4);
          }
        }
      }
    } });
}

function writeHistograms() {
  const bin = only.latency_ms.bin;
  let used = 8;
  for (const f of figures) f.latency_ms.counts.forEach((count, i) => { if (count) used = Math.max(used, i + 2); });
  histogram(byId("latency"), {
    title: `Latency of the fixes: median ${fixed(only.latency_ms.median, 0, "ms")}`, unit: "ms",
    bins: figures.map((f) => ({ low: 0, step: bin, counts: f.latency_ms.counts.slice(0, used) })) });
  const [low, step, count] = [-5, 0.25, 40];
  const bins = drives.map((d) => {
    const counts = new Array(count).fill(0);
    for (const one of d.innovations.filter((entry) => entry.source.startsWith("gnss"))) {
      one.counts.forEach((number, k) => { counts[k] += number; });
    }
    return { low, step, counts };
  });
  const expected = Array.from({ length: count }, (_, i) =>
    Math.exp(-((low + (i + 0.5) * step) ** 2) / 2) / Math.sqrt(2 * Math.PI) * step);
  histogram(byId("histogram"), { title: "Innovations of the receiver over their sigma", bins, expected });
  byId("histogram").append(element("p", "hint",
    "The line is the normal distribution: narrower bars mean that the stated accuracies are too cautious."));
}

function readout() {
  const lines = [];
  if (view.mark !== null) {
    lines.push(clock(view.mark));
    for (const d of drives) {
      const i = sampleAt(d, view.mark);
      if (i < 0) continue;
      if (isComparison) lines.push(shortName(d.figures.name).slice(0, 28));
      lines.push(stateNames[d._state[i]], speed(d._v[i]) + (d._limit[i] > 0 ? "  limit " + speed(d._limit[i]) : ""),
        "heading " + fixed(d._heading[i], 1, "°") + " ± " + fixed(d._heading_sigma[i], 1, "°"),
        "± " + metres(d._sigma[i])
          + (d._error.length && !Number.isNaN(d._error[i]) ? "  error " + metres(d._error[i]) : ""));
    }
  }
  byId("readout").textContent = lines.join("\n");
  byId("range").textContent = clock(view.from) + " to " + clock(view.to);
}

head();
writeFindings();
writeTables();
writeAll();
const charts = byId("charts");
rowsChart(charts);
speedChart(charts);
trustChart(charts, "Position: 1-sigma" + (only.error ? " and error" : ""), "sigma", "error", "m", 0.001);
trustChart(
  charts, "Heading: 1-sigma" + (only.error ? " and error" : ""), "heading_sigma", "heading_error", "degrees", 0.005);
heightChart(charts);
attitudeCharts(charts);
innovationChart(charts);
writeHistograms();
new TrackMap();
listeners.push((what) => { readout(); if (what === "look") writeTiles(); });
byId("whole").addEventListener("click", () => show(view.begin, view.end));
byId("print").addEventListener("click", () => window.print());
byId("units").addEventListener("click", () => {
  view.units = view.units.name === "km/h" ? { name: "mph", factor: 2.2369363 } : { name: "km/h", factor: 3.6 };
  byId("units").textContent = view.units.name;
  tell("look");
});
byId("theme").addEventListener("click", () =>
  setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
// Paper is light.
let screenTheme = null;
window.addEventListener("beforeprint", () => {
  byId("figures-part").open = true;
  screenTheme = document.documentElement.dataset.theme;
  setTheme("light");
});
window.addEventListener("afterprint", () => { if (screenTheme) setTheme(screenTheme); });
setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
