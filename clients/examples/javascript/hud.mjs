// Prints a line for a head-up display. usage: node hud.mjs [SOCKET] [LINES]
import { Client, DEFAULT_PATH } from "./posed.mjs";

const [path = DEFAULT_PATH, count = "-1"] = process.argv.slice(2);
let lines = Number(count);
const client = new Client({ topics: ["pose", "speed", "guidance"], rate_hz: 10, smooth: true }, path);
client.on("disconnected", (reason) => console.log(`no pose: ${reason}`));
client.on("frame", ({ pose, speed, guidance }) => {
  const text = (value, unit, factor = 1) => `${value === null ? "---" : (value * factor).toFixed(0)} ${unit}`;
  let line = `${text(pose.heading_deg, "deg")}  ${text(speed.speed_m_s, "km/h", 3.6)}`;
  if (speed.limit_m_s !== null) line += ` of ${(speed.limit_m_s * 3.6).toFixed(0)}`;
  if (guidance.distance_to_turn_m !== null) line += `  turn in ${guidance.distance_to_turn_m.toFixed(0)} m`;
  console.log(line + (pose.state === "aligned" ? "" : "  (uncertain)"));
  if (--lines === 0) client.close();
});
client.open();
