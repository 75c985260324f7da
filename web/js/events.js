// Events as sentences, in a list, and the important ones spoken by screen readers.

import { element, make } from "./dom.js";
import { guidanceStateName, poseStateName } from "./panels.js";
import { number } from "./units.js";

const MOST = 100;

/** An event as a sentence. */
export function sentence(event) {
  switch (event.event) {
    case "pose": return `the pose is ${poseStateName(event.state)}`;
    case "guidance": return `guidance: ${guidanceStateName(event.state)}`;
    case "source": return `${event.source} is ${event.state}`;
    case "route": return event.route_version ? `route ${event.route_version} is followed` : "the route was cleared";
    case "reset": return "the estimate has jumped";
    case "origin": return "the local frame has a new origin";
    case "target": return event.state === "near" ? "the target is near" : "the target is far again";
    case "maneuverReached": return `turn ${event.maneuver} is reached`;
    case "waypointReached": return `waypoint ${event.waypoint} is reached`;
    case "waypointSkipped": return `waypoint ${event.waypoint} was skipped`;
    case "departed": return "the route was left";
    case "rejoined": return event.ahead ? "back on the route, farther ahead" : "back on the route";
    case "frameRate": {
      const verdict = event.state === "low" ? "too few" : "enough again";
      return `frames arrive at ${number(event.rate_hz, 1)} Hz, ${verdict}`;
    }
    default: return event.event;
  }
}

/** How urgent an event is. */
const LEVELS = { lost: "bad", stale: "warn", deadReckoning: "warn", offRoute: "warn", wrongWay: "warn" };
const level = (event) => LEVELS[event.state] ?? "";

/** Adds an event to the list; time is a text. */
export function addEvent(event, time) {
  const list = element("events");
  const item = make("li");
  const text = make("span", sentence(event), level(event) ? { class: "state", "data-state": level(event) } : {});
  item.append(make("time", time), text);
  list.prepend(item);
  while (list.children.length > MOST) list.lastElementChild.remove();
  element("events-empty").hidden = true;
}

/** Removes all events. */
export function clearEvents() {
  element("events").replaceChildren();
  element("events-empty").hidden = false;
}

/** Speaks a sentence to screen readers. */
export function announce(text) {
  const target = element("announcer");
  target.textContent = "";
  requestAnimationFrame(() => { target.textContent = text; });
}
