// Where a display with a given field of view shows a place: a pinhole with the line of sight forward.

import { axes, offset } from "./geometry.js";

const NEAR_METERS = 1;

/** The eye of a display: the pose, and the tangents of half its field of view. */
export class Eye {
  constructor(pose, fieldDegrees, width, height) {
    this.pose = pose;
    this.width = width;
    this.height = height;
    this.tanX = Math.tan(fieldDegrees * Math.PI / 360);
    this.tanY = this.tanX * height / width;
    this.axes = axes(pose.heading_deg ?? pose.course_deg ?? 0, pose.pitch_deg ?? 0, pose.roll_deg ?? 0);
  }

  /** A place by its distance east, north and up, as depth, right and up of the eye, metres. */
  body(enu) {
    const dot = (axis) => axis[0] * enu[0] + axis[1] * enu[1] + axis[2] * enu[2];
    return { depth: dot(this.axes.forward), right: -dot(this.axes.left), up: dot(this.axes.up) };
  }

  /** East, north and up of a position, with a height relative to the eye. */
  enu(lat, lon, up) {
    const { east, north } = offset({ lat: this.pose.lat_deg, lon: this.pose.lon_deg }, { lat, lon });
    return [east, north, up];
  }

  /** Pixels of a place; null if it is behind the eye. */
  pixels(enu) {
    const { depth, right, up } = this.body(enu);
    return depth < NEAR_METERS ? null : this.atDepth(depth, right, up);
  }

  /** Pixels of a point at that depth. */
  atDepth(depth, right, up) {
    return {
      x: this.width / 2 * (1 + right / (depth * this.tanX)), y: this.height / 2 * (1 - up / (depth * this.tanY)), depth,
    };
  }

  /** Whether pixels are on the screen. */
  sees(place, margin = 0) {
    return place !== null && place.x >= -margin && place.x <= this.width + margin && place.y >= -margin
      && place.y <= this.height + margin;
  }

  /** The hint for a place that is not on the screen: where the border is on the way to it, and the direction there. */
  hint(enu, inset) {
    const { depth, right, up } = this.body(enu);
    // The farther behind, the more it bends towards the bottom; its side is that of the shorter turn.
    const x = right / this.tanX;
    const y = -up / this.tanY + (depth < 0 ? -depth / this.tanX : 0);
    // The lower part belongs to the speed.
    const [halfX, halfY] = [this.width / 2 - inset, this.height / 2 - inset * (y > 0 ? 2.6 : 1.6)];
    const part = Math.min(halfX / Math.max(Math.abs(x), 1e-9), halfY / Math.max(Math.abs(y), 1e-9));
    return { x: this.width / 2 + x * part, y: this.height / 2 + y * part, angle: Math.atan2(y, x) };
  }
}
