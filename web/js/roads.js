// Tiles of roads from the server, as paths that can be drawn at any scale.

const EXTENT = 4096;
const MOST_TILES = 160;
/** Tiles that are drawn at once; fewer than are kept, so that none of them is loaded anew for each drawing. */
const MOST_DRAWN = 128;
const MOST_REQUESTS = 6;

/** The level of tiles for a scale of the map; null if roads are not drawn at this scale. */
export const levelFor = (zoom) => (zoom >= 12.8 ? 14 : zoom >= 10.8 ? 12 : zoom >= 8.5 ? 10 : null);

export class Roads extends EventTarget {
  #tiles = new Map();
  #waiting = 0;
  #generation = 0;
  #version = "";

  /** Draws the roads of that version of the server's file; the tiles of another one are forgotten. */
  use(version) {
    if (version === this.#version) return;
    this.#version = version;
    this.#tiles.clear();
    this.#generation += 1;
    this.dispatchEvent(new Event("change"));
  }

  /** The tile, or null while it is being loaded. */
  tile(level, x, y) {
    const count = 2 ** level;
    if (y < 0 || y >= count) return null;
    const column = ((x % count) + count) % count;
    const key = `${level}/${column}/${y}`;
    const known = this.#tiles.get(key);
    if (known) {
      known.used = performance.now();
      return known.paths ? known : null;
    }
    if (this.#waiting < MOST_REQUESTS) this.#load(key);
    return null;
  }

  async #load(key) {
    const generation = this.#generation;
    const entry = { paths: null, used: performance.now() };
    this.#tiles.set(key, entry);
    this.#waiting += 1;
    try {
      // The browser keeps tiles for some minutes, by their address.
      const response = await fetch(`/roads/${key}?version=${this.#version}`);
      if (!response.ok) throw new Error(response.statusText);
      const { roads } = await response.json();
      if (generation !== this.#generation) return;
      Object.assign(entry, build(roads));
      this.#discard();
    } catch {
      // Asked for again when it is drawn the next time, some seconds later.
      setTimeout(() => { if (this.#tiles.get(key) === entry) this.#tiles.delete(key); }, 5000);
    } finally {
      this.#waiting -= 1;
      this.dispatchEvent(new Event("change"));
    }
  }

  #discard() {
    if (this.#tiles.size <= MOST_TILES) return;
    const oldest = [...this.#tiles].sort((a, b) => a[1].used - b[1].used).slice(0, MOST_TILES / 4);
    for (const [key] of oldest) this.#tiles.delete(key);
  }
}

/** One path per class of road, and the longest straight part of each named road for its name. */
function build(roads) {
  const paths = new Map();
  const names = new Map();
  for (const [roadClass, flags, name, ...steps] of roads) {
    const isTunnel = (flags & 8) !== 0;
    const key = roadClass + (isTunnel ? 100 : 0);
    if (!paths.has(key)) paths.set(key, new Path2D());
    const path = paths.get(key);
    let [x, y] = [0, 0];
    let best = { length: 0 };
    for (let index = 0; index + 1 < steps.length; index += 2) {
      const [fromX, fromY] = [x, y];
      x += steps[index];
      y += steps[index + 1];
      if (index === 0) { path.moveTo(x, y); continue; }
      path.lineTo(x, y);
      const length = Math.hypot(x - fromX, y - fromY);
      if (length > best.length) {
        best = { length, x: (x + fromX) / 2, y: (y + fromY) / 2, angle: Math.atan2(y - fromY, x - fromX) };
      }
    }
    const inside = best.x >= 0 && best.x < EXTENT && best.y >= 0 && best.y < EXTENT;
    if (name && inside && best.length > (names.get(name)?.length ?? 0)) {
      names.set(name, { ...best, name, rank: roadClass });
    }
  }
  return { paths, names: [...names.values()].sort((a, b) => a.rank - b.rank) };
}

/** The tiles that cover a circle around a place of the map's square, the nearest first. */
export function covering(level, center, reach) {
  const count = 2 ** level;
  const tiles = [];
  const away = ({ x, y }) => Math.hypot(x + 0.5 - center.x * count, y + 0.5 - center.y * count);
  const first = (value) => Math.floor((value - reach) * count);
  const last = (value) => Math.floor((value + reach) * count);
  for (let x = first(center.x); x <= last(center.x); x += 1) {
    for (let y = first(center.y); y <= last(center.y); y += 1) tiles.push({ x, y });
  }
  return tiles.sort((a, b) => away(a) - away(b)).slice(0, MOST_DRAWN);
}

export { EXTENT };
