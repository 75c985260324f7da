// The map's projection (spherical Mercator, the world as a square from 0 to 1), and directions on the Earth.

const RADIANS = Math.PI / 180;
const EARTH_METERS = 40075016.686;

/** A geodetic position in degrees as a point of the square. */
export function mercator(latitude, longitude) {
  const bounded = Math.max(-85.05, Math.min(85.05, latitude)) * RADIANS;
  return { x: longitude / 360 + 0.5, y: 0.5 - Math.asinh(Math.tan(bounded)) / (2 * Math.PI) };
}

/** The latitude in degrees of a point of the square. */
export const latitudeOf = (y) => Math.atan(Math.sinh((0.5 - y) * 2 * Math.PI)) / RADIANS;

/** The position in degrees of a point of the square. */
export const positionOf = (point) => ({ lat: latitudeOf(point.y), lon: near((point.x - 0.5) * 360, 0) });

/** A longitude, in degrees, turned by whole rounds so that it is at most 180 from another one. */
export const near = (longitude, reference) => longitude - 360 * Math.round((longitude - reference) / 360);

/** A point of the square, or the same place on a square beside it, so that it is at most half of one from another. */
export const nearest = (point, other) => ({ x: point.x - Math.round(point.x - other.x), y: point.y });

/** Metres on the ground per unit of the square at a latitude. */
export const metersPerUnit = (latitude) => EARTH_METERS * Math.cos(latitude * RADIANS);

/** East and north, metres, from one position to another one nearby (within some kilometres). */
export function offset(from, to) {
  const phi = from.lat * RADIANS;
  const squared = 1 - 0.00669437999 * Math.sin(phi) ** 2;
  const east = 6378137 / Math.sqrt(squared);
  const north = east * (1 - 0.00669437999) / squared;
  const turn = near(to.lon, from.lon) - from.lon;
  return { east: turn * RADIANS * east * Math.cos(phi), north: (to.lat - from.lat) * RADIANS * north };
}

/** A position that lies some metres east and north of another one. */
export function moved(from, east, north) {
  const one = offset(from, { lat: from.lat + 1e-4, lon: from.lon + 1e-4 });
  return { lat: from.lat + 1e-4 * north / one.north, lon: from.lon + 1e-4 * east / one.east };
}

/** The body's axes in east, north, up: forward, left, up. Angles in degrees, as in the frames. */
export function axes(heading, pitch, roll) {
  const [h, p, r] = [heading * RADIANS, pitch * RADIANS, roll * RADIANS];
  const forward = [Math.sin(h) * Math.cos(p), Math.cos(h) * Math.cos(p), Math.sin(p)];
  const left = [-Math.cos(h), Math.sin(h), 0];
  const up = [
    forward[1] * left[2] - forward[2] * left[1], forward[2] * left[0] - forward[0] * left[2],
    forward[0] * left[1] - forward[1] * left[0],
  ];
  const mix = (a, b, c, s) => a.map((value, index) => value * c + b[index] * s);
  return { forward, left: mix(left, up, Math.cos(r), Math.sin(r)), up: mix(up, left, Math.cos(r), -Math.sin(r)) };
}

/** The shorter turn from one angle to another, degrees. */
export function turn(from, to) {
  const difference = (to - from) % 360;
  return difference > 180 ? difference - 360 : difference <= -180 ? difference + 360 : difference;
}
