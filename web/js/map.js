// The map: its view, and what the pointer and the keys do with it. map-layers.js draws.

import { Surface } from "./canvas.js";
import { mercator, metersPerUnit, latitudeOf, nearest, positionOf } from "./geometry.js";
import { drawMap } from "./map-layers.js";
import { Roads } from "./roads.js";

const LEAST = 3;
const MOST = 20;
const TILE_PIXELS = 256;
const AHEAD = 0.22;

export class MapView extends EventTarget {
  #surface;
  #pointers = new Map();
  #pinch = null;

  zoom = 16.4;
  center = { x: 0.5, y: 0.5 };
  rotation = 0;
  follows = true;
  headingUp = true;
  roads = new Roads();
  /** Whether the server has a road file. */
  hasRoads = false;

  constructor(canvas) {
    super();
    this.canvas = canvas;
    this.#surface = new Surface(canvas);
    this.roads.addEventListener("change", () => this.#changed());
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, (event) => this.#up(event));
    }
    canvas.addEventListener("dblclick", (event) => this.pick(this.#place(event)));
    canvas.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Pixels per unit of the square. */
  get pixels() { return TILE_PIXELS * 2 ** this.zoom; }

  /** Metres per pixel in the middle. */
  get metersPerPixel() { return metersPerUnit(latitudeOf(this.center.y)) / this.pixels; }

  /** Follows the vehicle, or stays where it is. */
  setFollowing(value) { this.follows = value; this.#changed(); }

  /** Heading up, or north up. */
  setHeadingUp(value) {
    this.headingUp = value;
    if (!value) this.rotation = 0;
    this.#changed();
  }

  /** Zooms by steps around the middle. */
  zoomBy(steps) {
    this.zoom = Math.max(LEAST, Math.min(MOST, this.zoom + steps));
    this.#changed();
  }

  /** Shows all of these places. */
  fit(places) {
    if (places.length === 0) return;
    const first = mercator(places[0].lat, places[0].lon);
    let [left, right, top, bottom] = [first.x, first.x, first.y, first.y];
    for (const place of places) {
      const { x, y } = nearest(mercator(place.lat, place.lon), first);
      [left, right] = [Math.min(left, x), Math.max(right, x)];
      [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
    }
    this.center = { x: (left + right) / 2, y: (top + bottom) / 2 };
    const { width, height } = this.#surface;
    const span = Math.max((right - left) / Math.max(width, 100), (bottom - top) / Math.max(height, 100));
    this.zoom = Math.max(LEAST, Math.min(17, Math.log2(0.85 / (Math.max(span, 1e-9) * TILE_PIXELS))));
  }

  /** A place of the square in pixels of the canvas. */
  screen(point) {
    const [x, y] = [(point.x - this.center.x) * this.pixels, (point.y - this.center.y) * this.pixels];
    const [cos, sin] = [Math.cos(this.rotation), Math.sin(this.rotation)];
    return { x: this.origin.x + x * cos - y * sin, y: this.origin.y + x * sin + y * cos };
  }

  /** Chooses a place: that of a pixel of the canvas, or the middle. */
  pick(pixel = this.origin) {
    const [right, down] = [pixel.x - this.origin.x, pixel.y - this.origin.y];
    const [cos, sin] = [Math.cos(-this.rotation), Math.sin(-this.rotation)];
    const place = positionOf({
      x: this.center.x + (right * cos - down * sin) / this.pixels,
      y: this.center.y + (right * sin + down * cos) / this.pixels,
    });
    this.dispatchEvent(new MessageEvent("pick", { data: place }));
  }

  /** Where the middle of the view is on the canvas: lower while the way ahead is up. */
  get origin() {
    const { width, height } = this.#surface;
    const isAhead = this.follows && this.headingUp;
    return { x: width / 2, y: height * (isAhead ? 0.5 + AHEAD : 0.5) };
  }

  /** Draws the state with the pose as it is now. */
  draw(state, pose) {
    if (!this.#surface.begin()) return;
    if (pose && pose.lat_deg !== null && this.follows) {
      this.center = mercator(pose.lat_deg, pose.lon_deg);
      const direction = pose.heading_deg ?? pose.course_deg;
      if (this.headingUp && direction !== null) this.rotation = -direction * Math.PI / 180;
    }
    drawMap(this.#surface, this, state, pose);
  }

  #changed() { this.dispatchEvent(new Event("change")); }

  #wheel(event) {
    event.preventDefault();
    const steps = Math.max(-0.6, Math.min(0.6, -event.deltaY / 240));
    this.#zoomAround(steps, this.#place(event));
  }

  #place(event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  #zoomAround(steps, place) {
    const before = this.zoom;
    this.zoomBy(steps);
    if (this.follows) return;
    const factor = 1 - 2 ** (before - this.zoom);
    this.#pan((this.origin.x - place.x) * factor * -1, (this.origin.y - place.y) * factor * -1);
  }

  /** Moves the view by pixels of the screen. */
  #pan(right, down) {
    const [cos, sin] = [Math.cos(-this.rotation), Math.sin(-this.rotation)];
    const x = this.center.x + (right * cos - down * sin) / this.pixels;
    const y = this.center.y + (right * sin + down * cos) / this.pixels;
    this.center = { x: ((x % 1) + 1) % 1, y: Math.max(0, Math.min(1, y)) };
    this.#changed();
  }

  #down(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, this.#place(event));
    this.#pinch = null;
  }

  #move(event) {
    const last = this.#pointers.get(event.pointerId);
    if (!last) return;
    const place = this.#place(event);
    this.#pointers.set(event.pointerId, place);
    if (this.#pointers.size === 2) {
      const [a, b] = [...this.#pointers.values()];
      const span = Math.hypot(a.x - b.x, a.y - b.y);
      if (this.#pinch) this.#zoomAround(Math.log2(span / this.#pinch), { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
      this.#pinch = span;
    } else if (Math.hypot(place.x - last.x, place.y - last.y) > 0) {
      this.#leave();
      this.#pan(last.x - place.x, last.y - place.y);
    }
  }

  #up(event) {
    this.#pointers.delete(event.pointerId);
    this.#pinch = null;
  }

  /** The view stays where it is now. */
  #leave() {
    if (!this.follows) return;
    const down = this.origin.y - this.#surface.height / 2;
    this.follows = false;
    this.#pan(0, -down);
  }

  #key(event) {
    const steps = { ArrowLeft: [-60, 0], ArrowRight: [60, 0], ArrowUp: [0, -60], ArrowDown: [0, 60] }[event.key];
    if (!steps) return;
    event.preventDefault();
    this.#leave();
    this.#pan(steps[0], steps[1]);
  }
}
