// The preview of a head-up display: what a display with this field of view would draw, on a drawn road.

import { Surface, font } from "./canvas.js";
import { drawInstruments } from "./hud-instruments.js";
import { Eye } from "./projection.js";
import { turnArrow } from "./turn-arrow.js";
import { distance } from "./units.js";
import { wayAhead } from "./way-ahead.js";

const EYE_METERS = 1.2;
const HALF_WIDTH = 1.7;
const GREEN = "#62f0b8";
const REACH_METERS = 260;

export class HeadUpDisplay {
  #surface;

  field = 60;

  constructor(canvas) { this.#surface = new Surface(canvas); }

  /** Draws the state with the pose as it is now; returns what it shows, as text. */
  draw(state, pose) {
    const surface = this.#surface;
    if (!surface.begin()) return "";
    const { context, width, height } = surface;
    if (!pose || (pose.heading_deg === null && pose.course_deg === null)) return this.#drawWaiting(pose);
    const eye = new Eye(pose, this.field, width, height);
    drawWorld(context, eye);
    const hasPlace = pose.lat_deg !== null;
    const progress = state.frame?.guidance?.progress_m ?? 0;
    const way = hasPlace && state.route ? wayAhead(state.route.line, progress, REACH_METERS, 4) : [];
    drawRibbon(context, eye, way);
    if (hasPlace) {
      drawMarkers(context, eye, state, way);
      drawInterest(context, eye, state.points);
      drawSigns(context, eye, state);
    }
    return drawInstruments(context, eye, state, pose);
  }

  #drawWaiting(pose) {
    const { context, width, height } = this.#surface;
    context.fillStyle = "#0a1119";
    context.fillRect(0, 0, width, height);
    context.fillStyle = "#a9bccb";
    context.font = font(Math.max(13, width / 34), 550);
    context.textAlign = "center";
    context.textBaseline = "middle";
    const text = pose ? "the heading is not known yet: drive on" : "no pose yet";
    context.fillText(text, width / 2, height / 2);
    return text;
  }
}

/** Sky and ground with the horizon, and lines on the ground that show the motion. */
function drawWorld(context, eye) {
  const { width, height } = eye;
  const far = 5000;
  const roll = (eye.pose.roll_deg ?? 0) * Math.PI / 180;
  const pitch = Math.tan((eye.pose.pitch_deg ?? 0) * Math.PI / 180);
  const middle = eye.atDepth(far, 0, -pitch * far);
  context.save();
  context.translate(middle.x, middle.y);
  context.rotate(-roll);
  const span = 2 * (width + height);
  const sky = context.createLinearGradient(0, -height * 0.7, 0, 0);
  sky.addColorStop(0, "#0c1a2b");
  sky.addColorStop(1, "#31506b");
  context.fillStyle = sky;
  context.fillRect(-span, -span, 2 * span, span);
  const ground = context.createLinearGradient(0, 0, 0, height * 0.8);
  ground.addColorStop(0, "#22313b");
  ground.addColorStop(1, "#0d151b");
  context.fillStyle = ground;
  context.fillRect(-span, 0, 2 * span, span);
  context.fillStyle = "#7fa3bd";
  context.fillRect(-span, -0.5, 2 * span, 1);
  context.restore();
}

/** The border of the way, both sides, as far as it is in front of the eye. */
function edges(eye, way) {
  const pairs = [];
  for (let index = 0; index < way.length; index += 1) {
    const here = eye.enu(way[index].lat, way[index].lon, -EYE_METERS);
    const other = way[Math.min(index + 1, way.length - 1)];
    const before = way[Math.max(index - 1, 0)];
    const [a, b] = [eye.enu(before.lat, before.lon, 0), eye.enu(other.lat, other.lon, 0)];
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const size = Math.hypot(dx, dy) || 1;
    const side = [-dy / size * HALF_WIDTH, dx / size * HALF_WIDTH];
    const left = eye.pixels([here[0] + side[0], here[1] + side[1], here[2]]);
    const right = eye.pixels([here[0] - side[0], here[1] - side[1], here[2]]);
    if (left && right) pairs.push({ left, right, ahead: way[index].ahead });
    else if (pairs.length) break;
  }
  return pairs;
}

function drawRibbon(context, eye, way) {
  const pairs = edges(eye, way);
  for (let index = pairs.length - 1; index > 0; index -= 1) {
    const [a, b] = [pairs[index - 1], pairs[index]];
    context.beginPath();
    context.moveTo(a.left.x, a.left.y);
    context.lineTo(b.left.x, b.left.y);
    context.lineTo(b.right.x, b.right.y);
    context.lineTo(a.right.x, a.right.y);
    context.closePath();
    context.globalAlpha = 0.42 * (1 - b.ahead / REACH_METERS) + 0.06;
    context.fillStyle = "#2f8fff";
    context.fill();
  }
  context.globalAlpha = 1;
}

/** Arrows on the way in even steps, and the markers of the scene. */
function drawMarkers(context, eye, state, way) {
  for (let index = way.length - 2; index > 1; index -= 1) {
    if (way[index].number % 3 !== 0 || way[index].ahead > 180) continue;
    chevron(context, eye, way[index], way[index + 1], 1 - way[index].ahead / 210);
  }
  for (const point of state.scene?.points ?? []) {
    if (point.kind !== "marker") continue;
    const place = eye.pixels(eye.enu(point.lat_deg, point.lon_deg, above(point, eye, -EYE_METERS)));
    if (!eye.sees(place) || place.depth > 1500) continue;
    const radius = Math.max(1.2, Math.min(4.5, 160 / place.depth));
    context.beginPath();
    context.arc(place.x, place.y, radius, 0, 2 * Math.PI);
    context.globalAlpha = Math.max(0.25, Math.min(0.95, point.size));
    context.fillStyle = "#d9ecff";
    context.fill();
  }
  context.globalAlpha = 1;
}

/** The height at which a point is drawn, relative to the eye, metres. */
function above(point, eye, otherwise) {
  const own = eye.pose.alt_msl_m;
  if (point.draw_elevation_m === null || point.draw_elevation_m === undefined || own === null) return otherwise;
  return point.draw_elevation_m - own;
}

function chevron(context, eye, from, to, alpha) {
  const [a, b] = [eye.enu(from.lat, from.lon, -EYE_METERS), eye.enu(to.lat, to.lon, -EYE_METERS)];
  const size = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
  const [ux, uy] = [(b[0] - a[0]) / size, (b[1] - a[1]) / size];
  const at = (forward, left) => eye.pixels([a[0] + ux * forward - uy * left, a[1] + uy * forward + ux * left, a[2]]);
  const corners = [at(4.4, 0), at(1.4, 1), at(0, 1), at(2.6, 0), at(0, -1), at(1.4, -1)];
  if (corners.some((corner) => corner === null)) return;
  context.beginPath();
  corners.forEach((corner, index) => (index ? context.lineTo(corner.x, corner.y) : context.moveTo(corner.x, corner.y)));
  context.closePath();
  context.globalAlpha = Math.max(0, Math.min(0.95, alpha));
  context.fillStyle = "#cfe6ff";
  context.fill();
  context.globalAlpha = 1;
}

/** Points of interest: the nearest ones in front, with their names. */
function drawInterest(context, eye, points) {
  context.font = font(Math.max(11, eye.width / 52), 550);
  context.textAlign = "center";
  context.textBaseline = "bottom";
  const taken = [];
  for (const point of points?.points ?? []) {
    const place = eye.pixels(eye.enu(point.lat_deg, point.lon_deg, above(point, eye, 2)));
    if (!eye.sees(place) || place.depth > 600 || taken.length > 8) continue;
    const label = `${point.name} · ${distance(place.depth)}`;
    const width = context.measureText(label).width;
    const isCovered = (other) =>
      Math.abs(other.x - place.x) < (other.width + width) / 2 && Math.abs(other.y - place.y) < 18;
    if (taken.some(isCovered)) continue;
    taken.push({ x: place.x, y: place.y, width });
    context.fillStyle = "#d9a8ff";
    context.fillRect(place.x - 0.75, place.y - 14, 1.5, 14);
    context.beginPath();
    context.arc(place.x, place.y, 3, 0, 2 * Math.PI);
    context.fill();
    // A label at the border stays readable.
    const middle = Math.max(width / 2 + 4, Math.min(eye.width - width / 2 - 4, place.x));
    context.fillText(label, middle, place.y - 16);
  }
}

/** The next turn, waypoints and the destination, or where to look for them. */
function drawSigns(context, eye, state) {
  const next = state.frame?.guidance?.next_maneuver;
  const places = state.scene?.points.length ? state.scene.points : state.route?.places ?? [];
  for (const place of places) {
    const isNext = place.kind === "turn" && place.number === next;
    if (!isNext && place.kind !== "destination" && place.kind !== "waypoint") continue;
    if (!isNext && !isSoon(place, state)) continue;
    const enu = eye.enu(place.lat_deg, place.lon_deg, above(place, eye, place.kind === "turn" ? 1 : 2));
    const meters = Math.hypot(enu[0], enu[1]);
    if (meters > 1500) continue;
    const colour = place.kind === "turn" ? GREEN : "#ff8f85";
    const pixels = eye.pixels(enu);
    const turnAngle = isNext ? state.frame.guidance.turn_angle_deg : null;
    if (eye.sees(pixels)) sign(context, eye, pixels, colour, distance(meters), turnAngle);
    else arrowAtBorder(context, eye.hint(enu, eye.width / 18), colour);
  }
}

/**
 * Whether a place is reached within some hundred metres: another part of the route may pass it earlier. A target beside
 * the route is always shown.
 */
function isSoon(place, state) {
  if (typeof place.along_route_m !== "number") return true;
  const left = place.along_route_m - (state.frame?.guidance?.progress_m ?? 0);
  return left > 0 && left < 400;
}

function sign(context, eye, place, colour, text, turnAngle) {
  const size = Math.max(13, Math.min(44, 900 / place.depth)) * eye.width / 640;
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = Math.max(2, size / 7);
  context.lineCap = "round";
  context.lineJoin = "round";
  if (turnAngle === null || turnAngle === undefined) {
    context.beginPath();
    context.moveTo(place.x, place.y + size);
    context.lineTo(place.x, place.y - size);
    context.lineTo(place.x + size * 1.1, place.y - size * 0.55);
    context.lineTo(place.x, place.y - size * 0.1);
    context.stroke();
  } else {
    turnArrow(context, place.x, place.y, size, turnAngle);
  }
  context.font = font(Math.max(11, size * 0.55), 650);
  context.textAlign = "center";
  context.textBaseline = "top";
  context.fillText(text, place.x, place.y + size * 1.15);
}

function arrowAtBorder(context, hint, colour) {
  context.save();
  context.translate(hint.x, hint.y);
  context.rotate(hint.angle);
  context.beginPath();
  context.moveTo(14, 0);
  context.lineTo(-8, -11);
  context.lineTo(-3, 0);
  context.lineTo(-8, 11);
  context.closePath();
  context.fillStyle = colour;
  context.fill();
  context.restore();
}

