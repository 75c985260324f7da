// The route ahead of the vehicle as points in even steps, for the ribbon and the arrows of the display.

import { near } from "./geometry.js";

/**
 * Points of a route from a distance along it on: position, distance ahead, and number. The points are those of the
 * route in even steps, so that they pass with the road; the first one is where the vehicle is.
 */
export function wayAhead(points, along, reach, step) {
  const way = [];
  let next = along;
  let number = Math.floor(along / step);
  for (let index = 1; index < points.length && next <= along + reach; index += 1) {
    const [a, b] = [points[index - 1], points[index]];
    const span = b[2] - a[2];
    const east = near(b[1], a[1]) - a[1];
    while (next <= b[2] && next <= along + reach && span > 0) {
      const part = Math.max(0, (next - a[2]) / span);
      way.push({ lat: a[0] + (b[0] - a[0]) * part, lon: a[1] + east * part, ahead: next - along, number });
      number += 1;
      next = number * step;
    }
  }
  return way;
}
