// Playback of a recording: the way as a whole first, then the frames in pieces around the place that is played.

import { Surface, font } from "./canvas.js";
import { element, setText } from "./dom.js";
import { between } from "./motion.js";
import { palette, trailColour } from "./palette.js";
import { duration } from "./units.js";

const PIECE_SECONDS = 20;
const POLL_MS = 300;
const RETRY_MS = 2000;
const PLAY = "M7 4v16l13-8z";
const PAUSE = "M6 4h4v16H6zM14 4h4v16h-4z";

export class Player extends EventTarget {
  #surface;
  #name = "";
  #pieces = new Map();
  #drive = null;
  #time = 0;
  #rate = 1;
  #isPlaying = false;
  #last = 0;
  #generation = 0;
  /** What is wrong with the frames; empty if nothing is. */
  #problem = "";

  constructor() {
    super();
    this.#surface = new Surface(element("timeline"));
    element("play").addEventListener("click", () => this.toggle());
    element("seek").addEventListener("input", (event) => this.seek(Number(event.target.value)));
    element("rate").addEventListener("change", (event) => { this.#rate = Number(event.target.value); });
    element("player-close").addEventListener("click", () => this.close());
  }

  /** Whether a recording is shown. */
  get isOpen() { return this.#name !== ""; }

  /** The recording: its way, events and routes; null until it was read. */
  get drive() { return this.#drive; }

  /** The time that is shown, seconds from the start. */
  get time() { return this.#time; }

  /** Whether it runs. */
  get isPlaying() { return this.#isPlaying; }

  /** Opens a recording and plays it as soon as it was read. */
  async open(name) {
    this.#reset();
    this.#name = name;
    const generation = this.#generation;
    element("player").hidden = false;
    setText(element("player-name"), `${name}: reading`);
    try {
      let summary = await summaryOf(name);
      while (summary.state === "reading" && generation === this.#generation) {
        setText(element("player-name"), `${name}: reading, ${Math.round(summary.part * 100)} %`);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
        summary = await summaryOf(name);
      }
      if (generation !== this.#generation) return;
      this.#drive = summary;
      this.#show(summary);
    } catch (error) {
      // Another recording was opened meanwhile, or this one was closed.
      if (generation !== this.#generation) return;
      this.close();
      this.dispatchEvent(new MessageEvent("problem", { data: error.message }));
    }
  }

  #show(drive) {
    setText(element("player-name"), this.#name);
    setText(element("player-length"), duration(drive.seconds));
    element("seek").max = drive.seconds;
    this.#isPlaying = true;
    this.#last = performance.now();
    this.#showPlaying();
    this.dispatchEvent(new Event("open"));
    for (const note of drive.notes) this.dispatchEvent(new MessageEvent("problem", { data: note }));
  }

  /** Ends the playback. */
  close() {
    this.#reset();
    element("player").hidden = true;
    this.dispatchEvent(new Event("close"));
  }

  #reset() {
    this.#generation += 1;
    this.#name = "";
    this.#drive = null;
    this.#pieces.clear();
    this.#time = 0;
    this.#isPlaying = false;
    this.#problem = "";
  }

  /** Plays or pauses. */
  toggle() {
    if (!this.#drive) return;
    if (!this.#isPlaying && this.#time >= this.#drive.seconds) this.seek(0);
    this.#isPlaying = !this.#isPlaying;
    this.#last = performance.now();
    this.#showPlaying();
  }

  /** Shows another time. */
  seek(seconds) {
    if (!this.#drive) return;
    this.#time = Math.max(0, Math.min(this.#drive.seconds, seconds));
    this.dispatchEvent(new Event("seek"));
  }

  #showPlaying() {
    element("play-shape").setAttribute("d", this.#isPlaying ? PAUSE : PLAY);
    element("play").setAttribute("aria-label", this.#isPlaying ? "Pause" : "Play");
  }

  /** Advances; returns the frame at the time that is shown, or null while it is being loaded. */
  advance(now) {
    if (!this.#drive) return null;
    const frame = this.#frameAt(this.#time);
    // Time goes on where frames were loaded, and where there are none.
    if (this.#isPlaying && this.#isLoaded(this.#time)) {
      // A page that was not seen for a while does not leap.
      this.#time += Math.min(0.25, (now - this.#last) / 1000) * this.#rate;
      if (this.#time >= this.#drive.seconds) {
        this.#time = this.#drive.seconds;
        this.#isPlaying = false;
        this.#showPlaying();
      }
    }
    this.#last = now;
    this.#drawTimeline();
    return frame;
  }

  #frameAt(seconds) {
    const index = Math.floor(seconds / PIECE_SECONDS);
    const piece = this.#piece(index);
    this.#piece(index + 1);
    if (!piece || piece.length === 0) return piece ? this.#frameBefore(index) : null;
    const start = this.#drive.frameStart ??= piece[0].t_s - index * PIECE_SECONDS;
    const next = piece.findIndex((frame) => frame.t_s - start > seconds);
    const b = piece[next < 0 ? piece.length - 1 : next];
    const a = piece[Math.max(0, (next < 0 ? piece.length : next) - 1)];
    if (!a.pose || !b.pose || b === a) return a;
    const part = Math.max(0, Math.min(1, (seconds - (a.t_s - start)) / (b.t_s - a.t_s)));
    return { ...a, pose: between(a.pose, b.pose, part) };
  }

  /** The last frame before a piece without frames; null if it is not known. */
  #frameBefore(index) {
    if (index > 0) this.#piece(index - 1);
    for (let place = index - 1; place >= 0; place -= 1) {
      const piece = this.#pieces.get(place);
      if (!Array.isArray(piece)) return null;
      if (piece.length > 0) return piece.at(-1);
    }
    return null;
  }

  #isLoaded(seconds) { return Array.isArray(this.#pieces.get(Math.floor(seconds / PIECE_SECONDS))); }

  /** The frames of a piece; null while they are being loaded. */
  #piece(index) {
    if (index * PIECE_SECONDS > this.#drive.seconds) return [];
    const known = this.#pieces.get(index);
    if (known) return Array.isArray(known) ? known : null;
    this.#pieces.set(index, this.#load(index));
    return null;
  }

  async #load(index) {
    const [from, to] = [index * PIECE_SECONDS, (index + 1) * PIECE_SECONDS];
    const generation = this.#generation;
    try {
      const response = await fetch(`/recordings/${encodeURIComponent(this.#name)}/frames?from=${from}&to=${to}`);
      const text = await response.text();
      if (!response.ok) throw new Error(text.trim());
      const frames = text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
      if (generation !== this.#generation) return;
      this.#pieces.set(index, frames);
      if (this.#pieces.size > 12) this.#pieces.delete(this.#pieces.keys().next().value);
      this.#tell("");
    } catch (error) {
      if (generation !== this.#generation) return;
      this.#tell(error.message);
      // Asked for again when it is drawn after that.
      setTimeout(() => { if (generation === this.#generation) this.#pieces.delete(index); }, RETRY_MS);
    }
  }

  /** Says what is wrong with the frames, or that nothing is any more. */
  #tell(problem) {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.dispatchEvent(new MessageEvent("problem", { data: problem }));
  }

  #drawTimeline() {
    const seek = element("seek");
    if (document.activeElement !== seek) seek.value = this.#time;
    seek.setAttribute("aria-valuetext", `${duration(this.#time)} of ${duration(this.#drive.seconds)}`);
    setText(element("player-time"), duration(this.#time));
    if (!this.#surface.begin()) return;
    const { context, width, height } = this.#surface;
    const colours = palette();
    const x = (seconds) => seconds / Math.max(this.#drive.seconds, 1e-3) * width;
    context.fillStyle = colours.land;
    context.fillRect(0, 0, width, height);
    drawSpeeds(context, this.#drive.way, x, height, colours);
    context.fillStyle = colours.target;
    for (const [seconds, event] of this.#drive.events) {
      if (event.type === "event") context.fillRect(x(seconds), height - 6, 1.5, 6);
    }
    context.fillStyle = colours.vehicle;
    context.fillRect(x(this.#time) - 1.25, 0, 2.5, height);
    context.beginPath();
    context.arc(x(this.#time), 6, 5, 0, 2 * Math.PI);
    context.fill();
    context.font = font(10.5, 600);
  }
}

/** What a recording has, or how far the server has read it. */
async function summaryOf(name) {
  const response = await fetch(`/recordings/${encodeURIComponent(name)}`);
  if (!response.ok) throw new Error((await response.text()).trim());
  return response.json();
}

/** The speed over time; where it was above the limit it is red, and grey where the pose was poor. */
function drawSpeeds(context, way, x, height, colours) {
  let fastest = 14;
  for (const point of way) fastest = Math.max(fastest, point[3] ?? 0);
  const top = fastest * 1.1;
  for (let index = 1; index < way.length; index += 1) {
    const [seconds, , , speed, limit, isPoor] = way[index];
    const before = way[index - 1][0];
    if (speed === null) continue;
    const colour = limit !== null && speed > limit * 1.1 ? "red" : limit !== null && speed > limit ? "orange" : "blue";
    context.globalAlpha = isPoor ? 0.3 : 0.75;
    context.fillStyle = trailColour(colour, { trail: colours.route });
    const bar = speed / top * (height - 8);
    context.fillRect(x(before), height - bar, Math.max(0.6, x(seconds) - x(before)), bar);
  }
  context.globalAlpha = 1;
}
