// The page: connects the parts, and draws when there is something new.

import { Connection } from "./connection.js";
import { element, setAttribute, setText } from "./dom.js";
import { addEvent, announce, clearEvents, sentence } from "./events.js";
import { HeadUpDisplay } from "./hud.js";
import { ArtificialHorizon } from "./horizon.js";
import { installKeys } from "./keys.js";
import { MapView } from "./map.js";
import { extrapolated } from "./motion.js";
import { showReadouts, showSources, showStatus } from "./panels.js";
import { Player } from "./player.js";
import { Recorder } from "./recorder.js";
import { State } from "./state.js";
import { duration, metric, speedUnit, useMetric } from "./units.js";

const TEXT_MS = 200;
const ALT_MS = 2000;
const FRAME_MS = 30;
const SILENT_MS = 2000;

const connection = new Connection();
const map = new MapView(element("map"));
const hud = new HeadUpDisplay(element("hud"));
const horizon = new ArtificialHorizon(element("horizon"));
const recorder = new Recorder(connection);
const player = new Player();
const live = new State();
const played = new State();
let server = null;
let isConnected = false;
let lostReason = null;
let needsDrawing = true;
let [lastText, lastAlt, lastDraw] = [0, 0, 0];
/** When the last frame of the daemon came, on the clock of the page. */
let lastFrame = 0;
let playedEvents = 0;
/** What was wrong with the recording that was opened last, or with the last request. */
let note = "";

/** What is shown: the daemon, or a recording. */
const shown = () => (player.isOpen ? played : live);

// MARK: - The daemon's lines

connection.addEventListener("line", ({ data: line }) => {
  needsDrawing = true;
  if (line.type === "server") return takeServer(line);
  const isEvent = live.take(line);
  if (line.type === "frame") {
    lastFrame = performance.now();
    notePassage(line);
  }
  if (isEvent) line.came = new Date().toLocaleTimeString();
  if (isEvent && !player.isOpen) {
    addEvent(line, line.came);
    announce(sentence(line));
  }
  if (line.type === "maneuver" && line.text && !player.isOpen) announce(line.text);
});

function takeServer(line) {
  server = line;
  if (line.problem) live.clear();
  map.roads.use(line.roads.version ?? "");
  map.hasRoads = Boolean(line.roads.file) && !line.roads.problem;
  element("credit").hidden = !map.hasRoads;
}

connection.addEventListener("open", () => {
  isConnected = true;
  lostReason = null;
  delay = null;
  recorder.list();
});
connection.addEventListener("lost", ({ data }) => {
  isConnected = false;
  lostReason = data;
  needsDrawing = true;
});

/** How long a frame took from the engine to this page, milliseconds; the mean of the last ones. */
let delay = null;
function notePassage(frame) {
  const now = connection.now();
  if (now === null) return;
  const own = (now - frame.published_s) * 1000;
  delay = delay === null ? own : delay + (own - delay) * 0.1;
}

// MARK: - Recordings

recorder.addEventListener("play", ({ data }) => {
  note = "";
  player.open(data);
});
player.addEventListener("open", () => {
  setAttribute(element("mode-live"), "aria-pressed", "false");
  setAttribute(element("mode-recordings"), "aria-pressed", "true");
  played.clear();
  clearEvents();
  playedEvents = 0;
  map.fit(player.drive.way.map(([, lat, lon]) => ({ lat, lon })));
  map.setFollowing(true);
  map.zoom = 16;
});
player.addEventListener("seek", () => {
  const { drive, time } = player;
  const passed = drive.way.filter(([seconds]) => seconds <= time);
  played.trail = passed.map(([, lat, lon]) => ({ lat, lon, colour: "blue" }));
  clearEvents();
  playedEvents = 0;
  played.maneuver = null;
  takePlayedEvents(false);
});
player.addEventListener("close", () => {
  // What was wrong with the recording says nothing of what is shown now.
  note = "";
  clearEvents();
  live.events.forEach((event) => addEvent(event, event.came));
  showMode("live");
});
player.addEventListener("problem", ({ data }) => { note = data; showBanner(data); });

function playFrame(now) {
  const frame = player.advance(now);
  if (!frame) return;
  played.take(frame);
  takePlayedEvents(true);
}

/** Takes the events and the route up to the time that is shown. */
function takePlayedEvents(isSpoken) {
  const { drive, time } = player;
  played.route = drive.routes.filter(([seconds]) => seconds <= time).at(-1)?.[1] ?? null;
  while (playedEvents < drive.events.length && drive.events[playedEvents][0] <= time) {
    const [seconds, line] = drive.events[playedEvents];
    playedEvents += 1;
    if (played.take(line)) {
      addEvent(line, duration(seconds));
      if (isSpoken) announce(sentence(line));
    }
  }
}

// MARK: - Drawing

function draw(now) {
  requestAnimationFrame(draw);
  if (now - lastDraw < FRAME_MS) return;
  if (player.isOpen) playFrame(now);
  const state = shown();
  const isMoving = player.isOpen ? player.isPlaying : isConnected && state.frame !== null;
  if (!needsDrawing && !isMoving) return;
  lastDraw = now;
  // What came since the texts were written is written with the next frames.
  needsDrawing = now - lastText < TEXT_MS;
  const pose = currentPose(state);
  map.draw(state, pose);
  const hudText = hud.draw(state, pose);
  const attitude = horizon.draw(pose);
  if (now - lastText >= TEXT_MS) {
    lastText = now;
    writeTexts(state, pose);
  }
  if (now - lastAlt >= ALT_MS) {
    lastAlt = now;
    describe(pose, hudText, attitude);
  }
}

/** The pose as it is now: the newest frame continued by its rates. */
function currentPose(state) {
  const pose = state.frame?.pose ?? null;
  if (!pose || player.isOpen) return pose;
  const now = connection.now();
  return extrapolated(pose, now === null ? 0 : now - state.frame.t_s);
}

function writeTexts(state, pose) {
  showReadouts(state, pose);
  showStatus(state, server);
  showSources(player.isOpen ? null : state.report, player.isOpen ? state.frame : null);
  recorder.show(live.report, server);
  showConnection();
  element("simulated").hidden = !(state.frame?.simulated ?? false);
  setAttribute(element("follow"), "aria-pressed", String(map.follows));
  setAttribute(element("turn"), "aria-pressed", String(map.headingUp));
}

function showConnection() {
  const [text, level] = connectionState();
  setText(element("connection-text"), text);
  setAttribute(element("connection"), "data-state", level);
  showBanner(connectionProblem() || note);
}

/** What is wrong with the connections, and what to do; empty if nothing is. */
function connectionProblem() {
  if (!isConnected) return lostReason ? `posed-web: ${lostReason}` : "No connection to posed-web; it is tried again.";
  return server?.problem ? `No connection to posed: ${server.problem}` : "";
}

function connectionState() {
  if (player.isOpen) return [player.isPlaying ? "playing a recording" : "recording paused", "good"];
  if (!isConnected) return ["disconnected", "bad"];
  if (server?.problem) return ["no connection to posed", "bad"];
  if (!live.frame) return ["waiting for frames", "warn"];
  const silence = performance.now() - lastFrame;
  if (silence > SILENT_MS) return [`no frame for ${Math.floor(silence / 1000)} s`, "bad"];
  if (delay === null) return ["live", "good"];
  return [`live, ${Math.max(0, Math.round(delay))} ms`, delay > 100 ? "warn" : "good"];
}

function showBanner(text) {
  const banner = element("banner");
  banner.hidden = !text;
  setText(banner, text);
}

/** The pictures in words, for those who do not see them. */
function describe(pose, hudText, attitude) {
  const readout = (id) => element(id).textContent;
  setAttribute(element("map"), "aria-label", pose && pose.lat_deg !== null
    ? `Map: vehicle at ${readout("r-position")}, heading ${readout("r-heading")}` : "Map: no position yet");
  setAttribute(element("hud"), "aria-label", `Preview of the head-up display: ${hudText || "nothing to show"}`);
  setAttribute(element("horizon"), "aria-label", `Artificial horizon: ${attitude}`);
}

// MARK: - Controls

function showMode(mode) {
  document.documentElement.dataset.mode = mode;
  setAttribute(element("mode-live"), "aria-pressed", String(mode === "live"));
  setAttribute(element("mode-recordings"), "aria-pressed", String(mode === "recordings"));
  if (mode === "live" && player.isOpen) player.close();
  if (mode === "recordings") {
    recorder.list();
    element("recorder-title").scrollIntoView({ block: "center", behavior: "auto" });
    element("files").querySelector("button")?.focus();
  }
  needsDrawing = true;
}

const actions = {
  zoomIn: () => map.zoomBy(0.5),
  zoomOut: () => map.zoomBy(-0.5),
  follow: () => map.setFollowing(!map.follows),
  turn: () => map.setHeadingUp(!map.headingUp),
  units: () => {
    useMetric(!metric());
    setText(element("units"), speedUnit());
    setAttribute(element("units"), "aria-label", `Unit of speed: ${speedUnit()}`);
  },
  theme: () => {
    globalThis.posedTheme.next();
    const choice = globalThis.posedTheme.choice;
    setAttribute(element("theme"), "aria-label", `Colours: ${choice === "system" ? "as the system" : choice}`);
  },
  help: () => element("keys").showModal(),
  target: () => map.pick(),
  noTarget: () => setTarget({}),
  play: () => player.toggle(),
  back: () => player.seek(player.time - 10),
  ahead: () => player.seek(player.time + 10),
};
for (const [id, action] of Object.entries({
  "zoom-in": "zoomIn", "zoom-out": "zoomOut", follow: "follow", turn: "turn", units: "units", theme: "theme",
  help: "help",
})) {
  element(id).addEventListener("click", () => { actions[action](); lastText = 0; needsDrawing = true; });
}
element("mode-live").addEventListener("click", () => showMode("live"));
element("mode-recordings").addEventListener("click", () => showMode("recordings"));
element("field").addEventListener("input", ({ target }) => {
  hud.field = Number(target.value);
  setText(element("field-value"), `${target.value}°`);
  needsDrawing = true;
});
/** Sets the target of the daemon, or removes it. */
function setTarget(place) {
  if (player.isOpen) return;
  note = "";
  connection.request({ cmd: "target", ...place }).catch((error) => { note = error.message; });
}
map.addEventListener("pick", ({ data }) => setTarget({ lat_deg: data.lat, lon_deg: data.lon }));
map.addEventListener("change", () => { needsDrawing = true; });
addEventListener("themechange", () => { needsDrawing = true; });
addEventListener("resize", () => { needsDrawing = true; });
installKeys(actions, () => player.isOpen);

connection.open();
requestAnimationFrame(draw);
