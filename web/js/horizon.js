// The artificial horizon: roll and pitch as a pilot reads them.

import { Surface, font } from "./canvas.js";
import { number } from "./units.js";

const DEGREES_IN_VIEW = 50;

export class ArtificialHorizon {
  #surface;

  constructor(canvas) { this.#surface = new Surface(canvas); }

  /** Draws the attitude; returns it as text. */
  draw(pose) {
    const surface = this.#surface;
    if (!surface.begin()) return "";
    const { context, width, height } = surface;
    const radius = Math.min(width, height) / 2;
    const isKnown = pose && pose.roll_deg !== null && pose.pitch_deg !== null;
    context.save();
    context.translate(width / 2, height / 2);
    context.beginPath();
    context.arc(0, 0, radius, 0, 2 * Math.PI);
    context.clip();
    if (isKnown) drawBall(context, radius, pose); else drawUnknown(context, radius);
    drawAircraft(context, radius);
    context.restore();
    if (!isKnown) return "no attitude yet";
    const [roll, pitch] = [pose.roll_deg, pose.pitch_deg];
    return `roll ${number(Math.abs(roll), 1)} degrees ${roll >= 0 ? "right" : "left"}, `
      + `pitch ${number(Math.abs(pitch), 1)} degrees ${pitch >= 0 ? "up" : "down"}`;
  }
}

function drawUnknown(context, radius) {
  context.fillStyle = "#44525e";
  context.fillRect(-radius, -radius, 2 * radius, 2 * radius);
}

function drawBall(context, radius, pose) {
  const step = 2 * radius / DEGREES_IN_VIEW;
  context.save();
  context.rotate(-pose.roll_deg * Math.PI / 180);
  const level = pose.pitch_deg * step;
  context.fillStyle = "#2f7fc1";
  context.fillRect(-2 * radius, level - 6 * radius, 4 * radius, 6 * radius);
  context.fillStyle = "#8a5a34";
  context.fillRect(-2 * radius, level, 4 * radius, 6 * radius);
  context.fillStyle = "#ffffff";
  context.fillRect(-2 * radius, level - 1, 4 * radius, 2);
  context.font = font(Math.max(9, radius / 8.5), 600);
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (let mark = -80; mark <= 80; mark += 5) {
    const y = level - mark * step;
    if (mark === 0 || Math.abs(y) > radius * 0.72) continue;
    const half = radius * (mark % 10 === 0 ? 0.26 : 0.13);
    context.fillRect(-half, y - 0.75, 2 * half, 1.5);
    if (mark % 10 === 0) context.fillText(String(Math.abs(mark)), half + 4, y);
  }
  drawRollMarks(context, radius);
  context.restore();
  // What the body's up points at on the scale of the roll.
  context.beginPath();
  context.moveTo(0, -radius * 0.84);
  context.lineTo(-radius * 0.07, -radius * 0.72);
  context.lineTo(radius * 0.07, -radius * 0.72);
  context.closePath();
  context.fillStyle = "#ffd24d";
  context.fill();
}

function drawRollMarks(context, radius) {
  context.strokeStyle = "#ffffff";
  for (const mark of [-60, -45, -30, -20, -10, 0, 10, 20, 30, 45, 60]) {
    const angle = (mark - 90) * Math.PI / 180;
    const inner = radius * (mark % 30 === 0 ? 0.84 : 0.89);
    context.lineWidth = mark === 0 ? 3 : 1.6;
    context.beginPath();
    context.moveTo(Math.cos(angle) * inner, Math.sin(angle) * inner);
    context.lineTo(Math.cos(angle) * radius * 0.97, Math.sin(angle) * radius * 0.97);
    context.stroke();
  }
}

function drawAircraft(context, radius) {
  context.strokeStyle = "#1b1405";
  for (const [width, colour] of [[6, "#1b1405"], [3.5, "#ffd24d"]]) {
    context.lineWidth = width;
    context.strokeStyle = colour;
    context.lineCap = "round";
    context.lineJoin = "round";
    context.beginPath();
    context.moveTo(-radius * 0.5, 0);
    context.lineTo(-radius * 0.2, 0);
    context.lineTo(-radius * 0.1, radius * 0.1);
    context.lineTo(0, 0);
    context.lineTo(radius * 0.1, radius * 0.1);
    context.lineTo(radius * 0.2, 0);
    context.lineTo(radius * 0.5, 0);
    context.stroke();
  }
}
