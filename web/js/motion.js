// The pose between frames: each frame tells its rates, so that the page draws smoothly at any rate.

import { moved, near, turn } from "./geometry.js";

const LONGEST = 0.3;

/** The pose of a frame at a later time, in seconds after the frame. */
export function extrapolated(pose, seconds) {
  const dt = Math.max(0, Math.min(LONGEST, seconds || 0));
  const velocity = pose.vel_enu_m_s;
  const place = { lat: pose.lat_deg, lon: pose.lon_deg };
  let shift = [0, 0, 0];
  if (velocity && pose.lat_deg !== null && !pose.standing_still) {
    const acceleration = pose.accel_enu_m_s2 ?? [0, 0, 0];
    shift = velocity.map((v, axis) => v * dt + acceleration[axis] * dt * dt / 2);
    Object.assign(place, moved(place, shift[0], shift[1]));
  }
  const heading = pose.heading_deg === null ? null : (pose.heading_deg + (pose.turn_rate_deg_s ?? 0) * dt + 360) % 360;
  const enu = pose.enu_m && pose.enu_m.map((value, axis) => value + shift[axis]);
  return { ...pose, lat_deg: place.lat, lon_deg: place.lon, heading_deg: heading, enu_m: enu };
}

/** The pose between two recorded frames; part is 0 at the first and 1 at the second. */
export function between(a, b, part) {
  const isNumber = (value) => typeof value === "number";
  const mix = (x, y) => (isNumber(x) && isNumber(y) ? x + (y - x) * part : x ?? null);
  const heading = a.heading_deg === null || b.heading_deg === null
    ? a.heading_deg : (a.heading_deg + turn(a.heading_deg, b.heading_deg) * part + 360) % 360;
  const jump = a.reset_count !== b.reset_count;
  if (jump) return a;
  const longitude = isNumber(a.lon_deg) && isNumber(b.lon_deg) ? near(b.lon_deg, a.lon_deg) : b.lon_deg;
  const lon = mix(a.lon_deg, longitude);
  return {
    ...a, lat_deg: mix(a.lat_deg, b.lat_deg), lon_deg: isNumber(lon) ? near(lon, 0) : lon, heading_deg: heading,
    roll_deg: mix(a.roll_deg, b.roll_deg), pitch_deg: mix(a.pitch_deg, b.pitch_deg),
    enu_m: a.enu_m && b.enu_m ? a.enu_m.map((value, axis) => mix(value, b.enu_m[axis])) : a.enu_m,
  };
}
