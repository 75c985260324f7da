// What the map shows, from the ground up.

import { font, outlined } from "./canvas.js";
import { mercator, metersPerUnit, near, nearest } from "./geometry.js";
import { palette, trailColour } from "./palette.js";
import { EXTENT, covering, levelFor } from "./roads.js";
import { distance, metric } from "./units.js";

// Widths in pixels at zoom 16, by class of road; each zoom step changes them by a factor of 1.45.
const WIDTHS = { 1: 15, 2: 13, 3: 11, 4: 10, 5: 9, 6: 7, 7: 7, 8: 6, 9: 3.5, 10: 3, 11: 2.5 };

/** Draws everything. */
export function drawMap(surface, view, state, pose) {
  const { context, width, height } = surface;
  const colours = palette();
  context.fillStyle = colours.land;
  context.fillRect(0, 0, width, height);
  const reach = Math.hypot(width, height) / 2 + Math.abs(view.origin.y - height / 2);
  const tiles = visibleTiles(view, reach);
  if (tiles.every(({ tile }) => tile.paths.size === 0)) drawGrid(context, view, colours, surface);
  drawRoads(context, view, colours, tiles);
  drawRoute(context, view, state, colours);
  drawTrail(context, view, state.trail, colours);
  drawNames(context, view, tiles, colours, surface);
  drawPoints(context, view, state.points, colours);
  drawPlaces(context, view, state, colours);
  drawVehicle(context, view, pose, colours);
  drawScale(context, view, colours, surface);
}

/** Without roads: lines to the north and to the east, so that motion and scale are seen. */
function drawGrid(context, view, colours, { width, height }) {
  const step = 2 ** -Math.round(view.zoom + 1.2);
  const reach = Math.hypot(width, height) / view.pixels;
  const count = Math.ceil(reach / step);
  const [column, row] = [Math.round(view.center.x / step), Math.round(view.center.y / step)];
  context.beginPath();
  for (let index = -count; index <= count; index += 1) {
    const [x, y] = [(column + index) * step, (row + index) * step];
    const { center } = view;
    for (const [from, to] of [
      [{ x, y: center.y - reach }, { x, y: center.y + reach }],
      [{ x: center.x - reach, y }, { x: center.x + reach, y }],
    ]) {
      const [a, b] = [view.screen(from), view.screen(to)];
      context.moveTo(a.x, a.y);
      context.lineTo(b.x, b.y);
    }
  }
  stroke(context, 1, colours.grid);
}

function visibleTiles(view, reachPixels) {
  const level = view.hasRoads ? levelFor(view.zoom) : null;
  if (level === null) return [];
  const tiles = [];
  const size = view.pixels / 2 ** level;
  for (const { x, y } of covering(level, view.center, reachPixels / view.pixels)) {
    const tile = view.roads.tile(level, x, y);
    if (tile) tiles.push({ tile, corner: view.screen({ x: x / 2 ** level, y: y / 2 ** level }), scale: size / EXTENT });
  }
  return tiles;
}

function drawRoads(context, view, colours, tiles) {
  const factor = 1.45 ** (view.zoom - 16);
  const fill = {
    1: colours.motorway, 2: colours.trunk, 3: colours.primary, 4: colours.secondary, 5: colours.tertiary,
    9: colours.path, 10: colours.path, 11: colours.path,
  };
  for (const isCasing of [true, false]) {
    for (let key = 11; key >= 1; key -= 1) {
      if (isCasing && key >= 9) continue;
      const pixels = Math.max(key <= 3 ? 1.6 : 0.7, WIDTHS[key] * factor);
      const colour = isCasing ? colours.casing : fill[key] ?? colours.minor;
      strokeClass(context, view, tiles, key, isCasing ? pixels + 2 : pixels, colour);
    }
  }
}

function strokeClass(context, view, tiles, key, pixels, colour) {
  for (const { tile, corner, scale } of tiles) {
    for (const [variant, alpha] of [[key, 1], [key + 100, 0.45]]) {
      const path = tile.paths.get(variant);
      if (!path) continue;
      context.save();
      context.globalAlpha = alpha;
      context.translate(corner.x, corner.y);
      context.rotate(view.rotation);
      context.scale(scale, scale);
      context.lineWidth = pixels / scale;
      context.lineCap = "round";
      context.lineJoin = "round";
      context.strokeStyle = colour;
      context.stroke(path);
      context.restore();
    }
  }
}

/** A position in pixels of the canvas, on that side of longitude 180 where the middle of the view is. */
const onCanvas = (view, lat, lon) => view.screen(nearest(mercator(lat, lon), view.center));

/** Begins a line through places. */
export function line(context, view, places) {
  context.beginPath();
  let last = null;
  for (const [lat, lon] of places) {
    const point = nearest(mercator(lat, lon), view.center);
    const { x, y } = view.screen(point);
    // On the far side of the world a way leaves the map at one border and comes back at the other one.
    if (last === null || Math.abs(point.x - last) > 0.5) context.moveTo(x, y); else context.lineTo(x, y);
    last = point.x;
  }
}

function stroke(context, width, colour) {
  context.lineWidth = width;
  context.strokeStyle = colour;
  context.lineCap = "round";
  context.lineJoin = "round";
  context.stroke();
}

function drawRoute(context, view, state, colours) {
  const route = state.route;
  if (!route || route.line.length < 2) return;
  const progress = state.frame?.guidance?.progress_m ?? 0;
  const [passed, ahead] = split(route.line, progress);
  const width = Math.max(4, Math.min(11, 7 * 1.3 ** (view.zoom - 16)));
  if (passed.length > 1) { line(context, view, passed); stroke(context, width * 0.8, colours.passed); }
  line(context, view, ahead);
  stroke(context, width + 3, colours.routeEdge);
  line(context, view, ahead);
  stroke(context, width, colours.route);
}

/** The route before and after a distance along it. */
export function split(points, along) {
  const index = points.findIndex((point) => point[2] > along);
  if (index < 0) return [points, points.slice(-1)];
  if (index === 0) return [[], points];
  const [a, b] = [points[index - 1], points[index]];
  const part = (along - a[2]) / Math.max(b[2] - a[2], 1e-6);
  const here = [a[0] + (b[0] - a[0]) * part, a[1] + (near(b[1], a[1]) - a[1]) * part, along];
  return [[...points.slice(0, index), here], [here, ...points.slice(index)]];
}

function drawTrail(context, view, trail, colours) {
  let run = [];
  const flush = () => {
    if (run.length > 1) {
      line(context, view, run.map((place) => [place.lat, place.lon]));
      context.setLineDash([1, 6]);
      stroke(context, 3.2, trailColour(run.at(-1).colour, colours));
      context.setLineDash([]);
    }
  };
  for (const place of trail) {
    const last = run.at(-1);
    if (last && (place.gap || place.colour !== last.colour)) {
      flush();
      run = place.gap ? [] : [last];
    }
    run.push(place);
  }
  flush();
}

function drawNames(context, view, tiles, colours, surface) {
  if (view.zoom < 15) return;
  context.font = font(11.5, 550);
  context.textAlign = "center";
  context.textBaseline = "middle";
  const taken = [];
  const shown = new Set();
  for (const { tile, corner, scale } of tiles) {
    for (const name of tile.names) {
      if (shown.has(name.name) || taken.length > 28) continue;
      const width = context.measureText(name.name).width;
      if (name.length * scale < width * 0.9) continue;
      const [cos, sin] = [Math.cos(view.rotation), Math.sin(view.rotation)];
      const [dx, dy] = [name.x * scale, name.y * scale];
      const [x, y] = [corner.x + dx * cos - dy * sin, corner.y + dx * sin + dy * cos];
      if (x < 0 || y < 0 || x > surface.width || y > surface.height) continue;
      if (taken.some((other) => Math.hypot(other.x - x, other.y - y) < (other.width + width) / 2)) continue;
      taken.push({ x, y, width });
      shown.add(name.name);
      let angle = name.angle + view.rotation;
      angle -= Math.PI * Math.round(angle / Math.PI);
      context.save();
      context.translate(x, y);
      context.rotate(angle);
      outlined(context, name.name, 0, 0, colours.name, colours.halo);
      context.restore();
    }
  }
}

function drawPoints(context, view, points, colours) {
  context.font = font(11.5, 550);
  context.textAlign = "left";
  context.textBaseline = "middle";
  for (const point of (points?.points ?? []).slice(0, 60)) {
    const { x, y } = onCanvas(view, point.lat_deg, point.lon_deg);
    context.beginPath();
    context.arc(x, y, 4.5, 0, 2 * Math.PI);
    context.fillStyle = colours.point;
    context.fill();
    if (view.zoom >= 16) outlined(context, point.name, x + 8, y, colours.point, colours.halo);
  }
}

function drawPlaces(context, view, state, colours) {
  for (const place of state.route?.places ?? []) {
    if (place.kind === "marker" || place.kind === "arrow") continue;
    const { x, y } = onCanvas(view, place.lat_deg, place.lon_deg);
    if (place.kind === "turn") disc(context, x, y, 5.5, colours.vehicleEdge, colours.routeEdge);
    else pin(context, x, y, place.kind === "destination" ? colours.target : colours.point);
  }
}

function disc(context, x, y, radius, fill, edge) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = fill;
  context.fill();
  context.lineWidth = 2.5;
  context.strokeStyle = edge;
  context.stroke();
}

function pin(context, x, y, colour) {
  context.beginPath();
  context.moveTo(x, y);
  context.bezierCurveTo(x - 4, y - 8, x - 10, y - 11, x - 10, y - 18);
  context.arc(x, y - 18, 10, Math.PI, 0);
  context.bezierCurveTo(x + 10, y - 11, x + 4, y - 8, x, y);
  context.fillStyle = colour;
  context.fill();
  context.beginPath();
  context.arc(x, y - 18, 4, 0, 2 * Math.PI);
  context.fillStyle = "#fff";
  context.fill();
}

function drawVehicle(context, view, pose, colours) {
  if (!pose || pose.lat_deg === null) return;
  const { x, y } = onCanvas(view, pose.lat_deg, pose.lon_deg);
  drawSigma(context, view, pose, x, y, colours);
  const direction = pose.heading_deg ?? pose.course_deg;
  if (typeof direction !== "number") return disc(context, x, y, 8, colours.vehicle, colours.vehicleEdge);
  context.save();
  context.translate(x, y);
  context.rotate(view.rotation + direction * Math.PI / 180);
  drawHeadingSigma(context, pose, colours);
  context.beginPath();
  context.moveTo(0, -17);
  context.lineTo(11, 13);
  context.lineTo(0, 7);
  context.lineTo(-11, 13);
  context.closePath();
  context.lineJoin = "round";
  context.lineWidth = 5;
  context.strokeStyle = colours.vehicleEdge;
  context.stroke();
  context.fillStyle = colours.vehicle;
  context.fill();
  context.restore();
}

/** The ellipse within which the position is with one sigma east and north. */
function drawSigma(context, view, pose, x, y, colours) {
  const sigma = pose.sigma_enu_m;
  if (!sigma) return;
  const unit = view.pixels / metersPerUnit(pose.lat_deg);
  context.save();
  context.translate(x, y);
  context.rotate(view.rotation);
  context.beginPath();
  context.ellipse(0, 0, Math.min(sigma[0] * unit, 4000), Math.min(sigma[1] * unit, 4000), 0, 0, 2 * Math.PI);
  context.globalAlpha = 0.16;
  context.fillStyle = colours.sigma;
  context.fill();
  context.globalAlpha = 0.9;
  context.lineWidth = 1.5;
  context.strokeStyle = colours.sigma;
  context.stroke();
  context.restore();
}

function drawHeadingSigma(context, pose, colours) {
  const sigma = Math.min(60, pose.heading_sigma_deg ?? 0) * Math.PI / 180;
  if (sigma < 0.02) return;
  context.beginPath();
  context.moveTo(0, 0);
  context.arc(0, 0, 46, -Math.PI / 2 - sigma, -Math.PI / 2 + sigma);
  context.closePath();
  context.globalAlpha = 0.22;
  context.fillStyle = colours.sigma;
  context.fill();
  context.globalAlpha = 1;
}

function drawScale(context, view, colours, surface) {
  const unit = metric() ? 1 : 0.3048;
  const most = 90 * view.metersPerPixel / unit;
  const power = 10 ** Math.floor(Math.log10(most));
  const nice = [5, 2, 1].find((step) => step * power <= most) * power;
  const pixels = nice * unit / view.metersPerPixel;
  const [x, y] = [14, surface.height - 16];
  context.beginPath();
  context.moveTo(x, y - 5);
  context.lineTo(x, y);
  context.lineTo(x + pixels, y);
  context.lineTo(x + pixels, y - 5);
  stroke(context, 4, colours.halo);
  stroke(context, 1.8, colours.scale);
  context.font = font(11.5, 550);
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  outlined(context, metric() ? distance(nice) : `${nice} ft`, x + pixels + 8, y + 1, colours.scale, colours.halo);
}
