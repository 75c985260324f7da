// What a head-up display shows besides the world: speed, limit, heading, the next turn.

import { font } from "./canvas.js";
import { speedColours } from "./palette.js";
import { turnArrow } from "./turn-arrow.js";
import { distance, speedNumber, speedUnit } from "./units.js";

const GREEN = "#62f0b8";
const INK = "#eaf3fa";

/** Draws the instruments; returns what they show, as text. */
export function drawInstruments(context, eye, state, pose) {
  const unit = Math.max(0.62, eye.width / 640);
  const parts = [drawSpeed(context, eye, state.frame?.speed, unit), drawTurn(context, eye, state, unit)];
  drawHeading(context, eye, pose, unit);
  drawState(context, eye, pose, unit);
  return parts.filter(Boolean).join(", ");
}

function drawSpeed(context, eye, speed, unit) {
  const value = speed?.indicated_m_s ?? speed?.speed_m_s ?? null;
  const y = eye.height - 26 * unit;
  const x = eye.width / 2;
  const backdrop = context.createLinearGradient(0, eye.height - 90 * unit, 0, eye.height);
  backdrop.addColorStop(0, "#05090d00");
  backdrop.addColorStop(1, "#05090dc8");
  context.fillStyle = backdrop;
  context.fillRect(0, eye.height - 90 * unit, eye.width, 90 * unit);
  context.fillStyle = speedColours[speed?.colour] ?? speedColours.unknown;
  context.textBaseline = "alphabetic";
  context.textAlign = "right";
  context.font = font(50 * unit, 700);
  const text = speedNumber(value);
  context.fillText(text, x + 8 * unit, y + 8 * unit);
  context.textAlign = "left";
  context.font = font(15 * unit, 600);
  context.fillText(speedUnit(), x + 14 * unit, y + 8 * unit);
  const limit = speed?.limit_m_s ?? null;
  if (limit !== null) limitSign(context, x + 92 * unit, y - 9 * unit, 21 * unit, speedNumber(limit));
  drawNextLimit(context, x + 128 * unit, y, speed, unit);
  const words = value === null ? "speed unknown" : `${text} ${speedUnit()}`;
  return limit === null ? words : `${words}, limit ${speedNumber(limit)}`;
}

function drawNextLimit(context, x, y, speed, unit) {
  if (typeof speed?.next_limit_m_s !== "number" || !(speed.next_limit_distance_m < 400)) return;
  context.globalAlpha = 0.85;
  limitSign(context, x + 12 * unit, y - 12 * unit, 13 * unit, speedNumber(speed.next_limit_m_s));
  context.globalAlpha = 1;
  context.fillStyle = INK;
  context.font = font(11 * unit, 600);
  context.textAlign = "center";
  context.fillText(distance(speed.next_limit_distance_m), x + 12 * unit, y + 14 * unit);
}

function limitSign(context, x, y, radius, text) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = "#fdfdfd";
  context.fill();
  context.lineWidth = radius * 0.24;
  context.strokeStyle = "#d8281f";
  context.stroke();
  context.fillStyle = "#16181b";
  context.font = font(radius * 0.95, 750);
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(text, x, y + radius * 0.06);
  context.textBaseline = "alphabetic";
}

/** The next turn at the upper left, as a sign with its distance and its words. */
function drawTurn(context, eye, state, unit) {
  const guidance = state.frame?.guidance;
  if (!guidance || guidance.state === "noRoute" || guidance.state === "waiting") return "";
  const [x, y] = [34 * unit, 56 * unit];
  context.strokeStyle = GREEN;
  context.fillStyle = GREEN;
  if (guidance.state === "arrived") return caption(context, x - 14 * unit, y, "arrived", unit);
  if (guidance.state !== "onRoute" && guidance.state !== "rejoinedAhead") {
    context.fillStyle = "#ffb046";
    return caption(context, x - 14 * unit, y, GUIDANCE_WORDS[guidance.state] ?? guidance.state, unit);
  }
  if (guidance.distance_to_turn_m === null) return "";
  context.lineWidth = 5 * unit;
  context.lineCap = "round";
  context.lineJoin = "round";
  turnArrow(context, x, y, 17 * unit, guidance.turn_angle_deg ?? 0);
  context.font = font(24 * unit, 700);
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  const meters = distance(guidance.distance_to_turn_m);
  context.fillText(meters, x + 30 * unit, y + 3 * unit);
  const text = shortened(context, state.turnText, eye.width * 0.36, font(13 * unit, 550));
  context.fillText(text, x + 30 * unit, y + 21 * unit);
  return `${state.turnText || "next turn"} in ${meters}`;
}

const POSE_WORDS = {
  coarse: "heading coarse", deadReckoning: "dead reckoning", lost: "pose lost", aligning: "aligning",
};
const GUIDANCE_WORDS = {
  offStep: "beside the route", offRoute: "off the route", wrongWay: "wrong way", uTurnNeeded: "turn round",
};

function caption(context, x, y, text, unit) {
  context.font = font(22 * unit, 700);
  context.textAlign = "left";
  context.fillText(text, x, y + 4 * unit);
  return text;
}

function shortened(context, text, width, withFont) {
  context.font = withFont;
  if (context.measureText(text).width <= width) return text;
  let end = text.length;
  while (end > 4 && context.measureText(`${text.slice(0, end)}…`).width > width) end -= 1;
  return `${text.slice(0, end).trimEnd()}…`;
}

/** The heading as a tape at the top: what is straight ahead is in the middle. */
function drawHeading(context, eye, pose, unit) {
  const heading = pose.heading_deg ?? pose.course_deg;
  const y = 20 * unit;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (let mark = Math.ceil((heading - 60) / 15) * 15; mark <= heading + 60; mark += 15) {
    const offset = Math.tan((mark - heading) * Math.PI / 180) / eye.tanX;
    if (Math.abs(offset) > 0.92) continue;
    const x = eye.width / 2 * (1 + offset);
    const name = { 0: "N", 90: "E", 180: "S", 270: "W" }[((mark % 360) + 360) % 360];
    context.globalAlpha = 0.9 * (1 - Math.abs(offset) * 0.7);
    context.fillStyle = name ? INK : "#a9c4d8";
    context.font = font((name ? 15 : 11) * unit, name ? 700 : 550);
    context.fillText(name ?? String(((mark % 360) + 360) % 360), x, y - 4 * unit);
    context.fillRect(x - 0.5, y + 6 * unit, 1, 4 * unit);
  }
  context.globalAlpha = 1;
  context.beginPath();
  context.moveTo(eye.width / 2, y + 9 * unit);
  context.lineTo(eye.width / 2 - 5 * unit, y + 16 * unit);
  context.lineTo(eye.width / 2 + 5 * unit, y + 16 * unit);
  context.closePath();
  context.fillStyle = GREEN;
  context.fill();
}

/** A pose that must be trusted less says so. */
function drawState(context, eye, pose, unit) {
  const text = POSE_WORDS[pose.state];
  if (!text) return;
  context.fillStyle = pose.state === "lost" ? speedColours.red : speedColours.orange;
  context.font = font(13 * unit, 650);
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.fillText(text, eye.width - 14 * unit, 52 * unit);
}
