// The cards with texts: readouts, status with its remedies, sources.

import { element, make, replace, setAttribute, setText } from "./dom.js";
import * as units from "./units.js";

const POSE_STATES = {
  starting: ["starting", "waiting"], aligning: ["aligning", "warn"], coarse: ["heading coarse", "warn"],
  aligned: ["aligned", "good"], deadReckoning: ["dead reckoning", "warn"], lost: ["lost", "bad"],
  attitudeOnly: ["attitude only", "warn"],
};
const GUIDANCE_STATES = {
  noRoute: "no route", waiting: "waits for a position", onRoute: "on the route", offStep: "beside the route",
  offRoute: "off the route", wrongWay: "wrong way", uTurnNeeded: "turn round", rejoinedAhead: "back on the route",
  arrived: "arrived",
};
const SOURCE_STATES = {
  streaming: "good", stale: "warn", waiting: "warn", opening: "warn", lost: "bad", absent: "none",
};
const LIMIT_SOURCES = {
  route: "from the route", road: "of the road", roadClass: "by class of road", fallback: "from the settings",
};

/** The names of the states, for events. */
export const poseStateName = (state) => POSE_STATES[state]?.[0] ?? state;
export const guidanceStateName = (state) => GUIDANCE_STATES[state] ?? state;

/** Writes the numbers beside the artificial horizon. */
export function showReadouts(state, pose) {
  const { frame } = state;
  const speed = frame?.speed;
  setText(element("r-speed"), units.speed(speed?.speed_m_s));
  const source = LIMIT_SOURCES[speed?.limit_source];
  setText(element("r-limit"), units.speed(speed?.limit_m_s) + (source ? ` ${source}` : ""));
  const sigma = pose?.heading_sigma_deg;
  const bounds = typeof sigma === "number" ? ` ± ${units.angle(sigma)}` : "";
  setText(element("r-heading"), units.heading(pose?.heading_deg) + bounds);
  setText(element("r-tilt"), `${units.angle(pose?.roll_deg)}, ${units.angle(pose?.pitch_deg)}`);
  const place = pose?.sigma_enu_m;
  const across = place ? units.length(Math.hypot(place[0], place[1])) : "–";
  setText(element("r-sigma"), place ? `${across} across, ${units.length(place[2])} up` : "–");
  const height = pose?.alt_msl_m ?? pose?.alt_hae_m ?? null;
  const isEllipsoidal = pose && pose.alt_msl_m === null && height !== null;
  setText(element("r-height"), units.length(height) + (isEllipsoidal ? " (ellipsoid)" : ""));
  setText(element("r-position"), units.position(pose?.lat_deg, pose?.lon_deg));
  setText(element("r-turn"), nextTurn(frame?.guidance, state.turnText));
}

function nextTurn(guidance, text) {
  if (!guidance || guidance.state === "noRoute") return "no route";
  if (guidance.state === "arrived") return "arrived";
  if (typeof guidance.distance_to_turn_m !== "number") return guidanceStateName(guidance.state);
  return `${units.distance(guidance.distance_to_turn_m)}: ${text || "turn"}`;
}

/** Writes the status with the sentences that tell what would help. */
export function showStatus(state, server) {
  const { frame, report } = state;
  const [name, level] = POSE_STATES[frame?.pose?.state] ?? ["no pose", "waiting"];
  const pill = element("pose-state");
  setText(pill, name);
  setAttribute(pill, "data-state", level);
  const why = report?.pose?.why ?? state.status?.why ?? [];
  const notes = [...(report?.state_notes ?? []), ...(report?.settings?.notes ?? [])];
  const list = [...why, ...notes];
  if (server?.roads?.problem) list.push(`roads: ${server.roads.problem}`);
  const isFine = list.length === 0 && level === "good";
  if (isFine) list.push("nothing keeps the pose from being better");
  const kind = isFine ? { class: "fine" } : {};
  replace(element("advice"), JSON.stringify(list), () => list.map((text) => make("li", text, kind)));
  showFacts(frame, report, server);
}

function showFacts(frame, report, server) {
  const facts = [["Guidance", guidanceStateName(frame?.guidance?.state ?? "noRoute")]];
  if (report?.route?.loaded) {
    const name = report.route.name ?? report.route.from ?? "loaded";
    facts.push(["Route", `${name}, ${units.distance(report.route.length_m)}`]);
  }
  if (typeof frame?.guidance?.time_left_s === "number") {
    const { distance_left_m: meters, time_left_s: seconds } = frame.guidance;
    facts.push(["Left", `${units.distance(meters)}, ${units.duration(seconds)}`]);
  }
  const satellites = frame?.pose?.satellites_used;
  if (typeof satellites === "number") facts.push(["Satellites", String(satellites)]);
  if (report?.declination) facts.push(["Declination", units.angle(report.declination.deg)]);
  if (report?.clients) facts.push(["Clients of posed", `${report.clients.connected} of ${report.clients.limit}`]);
  if (typeof report?.uptime_s === "number") facts.push(["Running for", units.duration(report.uptime_s)]);
  if (server?.roads?.file) facts.push(["Roads", server.roads.file.split("/").pop()]);
  if (report?.release) facts.push(["Release", report.release]);
  replace(element("facts"), JSON.stringify(facts), () => facts.map(([term, text]) => {
    const row = make("div");
    row.append(make("dt", term), make("dd", text));
    return row;
  }));
}

/** Writes the table of the sources: of the status, or of the frame where there is none, as in a recording. */
export function showSources(report, frame) {
  const sources = report?.sources ?? sourcesOf(frame);
  element("sources-empty").hidden = sources.length > 0;
  setText(element("sources-empty"), report ? "posed has no source." : "No status yet.");
  const key = JSON.stringify(sources);
  replace(element("sources"), key, () => sources.map(row));
}

function sourcesOf(frame) {
  const states = Object.entries(frame?.sources ?? {});
  return states.filter(([name, state]) => !name.endsWith("_age_s") && state !== "absent")
    .map(([name, state]) => ({ name, state, last_data_age_s: frame.sources[`${name}_age_s`] }));
}

function row(source) {
  const line = make("tr");
  const name = make("th", source.name, { scope: "row" });
  name.append(make("small", [source.kind, source.place].filter(Boolean).join(" · ")));
  const level = SOURCE_STATES[source.state] ?? "none";
  const state = make("td");
  state.append(make("span", source.state, { class: "state", "data-state": level }));
  state.append(make("small", source.explanation ?? ""));
  const rejected = Object.entries(source.rejected ?? {}).filter(([, count]) => count > 0);
  const total = rejected.reduce((sum, [, count]) => sum + count, 0);
  const last = make("td", source.rejected ? String(total) : "–", { class: "number" });
  if (total) last.append(make("small", rejected.map(([reason, count]) => `${reason} ${count}`).join(", ")));
  line.append(
    name, state, make("td", typeof source.rate_hz === "number" ? `${units.number(source.rate_hz, 1)} Hz` : "–"),
    make("td", typeof source.last_data_age_s === "number" ? `${units.number(source.last_data_age_s, 1)} s` : "–"),
    make("td", units.number(source.accepted), { class: "number" }), last);
  return line;
}
