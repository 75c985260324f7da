// What the page knows. The newest line of each type is kept as it came; drawing reads it.

const TRAIL_POINTS = 3000;
const TRAIL_METERS = 3;

import { offset } from "./geometry.js";

export class State {
  constructor() { this.clear(); }

  /** Forgets everything, for another daemon or recording. */
  clear() {
    this.frame = null;
    this.route = null;
    this.scene = null;
    this.points = null;
    this.maneuver = null;
    this.status = null;
    this.report = null;
    this.hello = null;
    this.events = [];
    this.trail = [];
    this.changes = 0;
  }

  /** The words for the next turn; empty if the route has none. */
  get turnText() {
    if (this.maneuver?.text) return this.maneuver.text;
    const next = this.frame?.guidance?.next_maneuver;
    return this.route?.places.find((place) => place.number === next && place.text)?.text ?? "";
  }

  /** Takes a line; true if it was an event. */
  take(line) {
    this.changes += 1;
    switch (line.type) {
      case "frame": this.#takeFrame(line); return false;
      case "reply": if (line.cmd === "status" && line.ok) this.report = line; return false;
      case "event": this.events.push(line); if (this.events.length > 200) this.events.shift(); return true;
      case "hello": case "route": case "scene": case "points": case "maneuver": case "status":
        this[line.type] = line;
        return false;
      default: return false;
    }
  }

  #takeFrame(frame) {
    const pose = frame.pose;
    this.frame = frame;
    if (!pose || pose.lat_deg === null) return;
    const place = { lat: pose.lat_deg, lon: pose.lon_deg, colour: frame.speed?.colour ?? "none" };
    const last = this.trail.at(-1);
    if (last) {
      const step = offset(last, place);
      const meters = Math.hypot(step.east, step.north);
      if (meters < TRAIL_METERS) return;
      place.gap = meters > 200;
    }
    this.trail.push(place);
    if (this.trail.length > TRAIL_POINTS) this.trail.splice(0, 500);
  }
}
