// Numbers as text. What is unknown is a dash, never 0.

const MPH = 2.2369362920544;
const NONE = "–";
let isMetric = true;

/** Whether speeds are in km/h and distances in metres. */
export const metric = () => isMetric;

/** Chooses km/h and metres, or mph and miles. */
export function useMetric(value) { isMetric = value; }

/** The unit of speeds. */
export const speedUnit = () => (isMetric ? "km/h" : "mph");

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

/** A speed in m/s as a whole number in the chosen unit. */
export function speedNumber(metersPerSecond) {
  return isNumber(metersPerSecond) ? String(Math.round(metersPerSecond * (isMetric ? 3.6 : MPH))) : NONE;
}

/** A speed in m/s with its unit. */
export function speed(metersPerSecond) {
  return isNumber(metersPerSecond) ? `${speedNumber(metersPerSecond)} ${speedUnit()}` : NONE;
}

/** A distance in metres, rounded as a person would say it. */
export function distance(meters) {
  if (!isNumber(meters)) return NONE;
  if (!isMetric) {
    const miles = meters / 1609.344;
    return miles < 0.2 ? `${Math.max(0, Math.round(meters * 3.28084 / 10) * 10)} ft` : `${miles.toFixed(1)} mi`;
  }
  if (meters < 20) return `${Math.max(0, Math.round(meters))} m`;
  if (meters < 1000) return `${Math.round(meters / 10) * 10} m`;
  return `${(meters / 1000).toFixed(meters < 10000 ? 1 : 0)} km`;
}

/** A length in metres with a decimal. */
export const length = (meters) => (isNumber(meters) ? `${meters.toFixed(meters < 100 ? 1 : 0)} m` : NONE);

/** An angle in degrees. */
export const angle = (degrees, decimals = 1) => (isNumber(degrees) ? `${degrees.toFixed(decimals)}°` : NONE);

/** A heading: 0 to 360 with its direction. */
export function heading(degrees) {
  if (!isNumber(degrees)) return NONE;
  const whole = Math.round(degrees) % 360;
  const names = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"];
  return `${String(whole).padStart(3, "0")}° ${names[Math.round(degrees / 45) % 8]}`;
}

/** A position with six decimals: 0.1 m. */
export function position(latitude, longitude) {
  if (!isNumber(latitude) || !isNumber(longitude)) return NONE;
  const lat = `${Math.abs(latitude).toFixed(6)}° ${latitude < 0 ? "S" : "N"}`;
  return `${lat}, ${Math.abs(longitude).toFixed(6)}° ${longitude < 0 ? "W" : "E"}`;
}

/** Seconds as minutes and seconds, or hours, minutes and seconds. */
export function duration(seconds) {
  if (!isNumber(seconds)) return NONE;
  const whole = Math.max(0, Math.round(seconds));
  const parts = [Math.floor(whole / 60) % 60, whole % 60];
  const hours = Math.floor(whole / 3600);
  const text = `${hours ? String(parts[0]).padStart(2, "0") : parts[0]}:${String(parts[1]).padStart(2, "0")}`;
  return hours ? `${hours}:${text}` : text;
}

/** Bytes as kB or MB. */
export function bytes(count) {
  if (!isNumber(count)) return NONE;
  return count < 1e6 ? `${Math.round(count / 1000)} kB` : `${(count / 1e6).toFixed(1)} MB`;
}

/** A number with that many decimals, or a dash. */
export const number = (value, decimals = 0) => (isNumber(value) ? value.toFixed(decimals) : NONE);
