// Pictures over time: lines, bands, points and rows on canvas elements with one common axis of time.
const margin = { left: 58, right: 12, top: 8, bottom: 22 };

/** A canvas in the pixels of the display; `draw(context, width, height)` draws it. */
class Picture {
  constructor(canvas, draw) {
    [this.canvas, this.draw, this.waits] = [canvas, draw, false];
    new ResizeObserver(() => this.redraw()).observe(canvas);
  }
  redraw() {
    if (this.waits) return;
    this.waits = true;
    requestAnimationFrame(() => { this.waits = false; this.now(); });
  }
  now() {
    const [width, height, dense] = [this.canvas.clientWidth, this.canvas.clientHeight, window.devicePixelRatio || 1];
    if (!width || !height) return;
    const [w, h] = [Math.round(width * dense), Math.round(height * dense)];
    if (this.canvas.width !== w || this.canvas.height !== h) [this.canvas.width, this.canvas.height] = [w, h];
    const context = this.canvas.getContext("2d");
    context.setTransform(dense, 0, 0, dense, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = "12px system-ui, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif";
    this.draw(context, width, height);
  }
}

/** Round numbers between two values, about as many as asked. */
function ticks(low, high, count) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
  const list = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) list.push(value);
  return list;
}
function timeTicks(low, high, count) {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400];
  const step = steps.find((n) => n >= (high - low) / count) || 86400;
  const list = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) list.push(value);
  return list;
}

/** One picture over time. `spec`: title, height, unit, series, and optionally log, range, rows. */
class Chart {
  constructor(parent, spec) {
    this.spec = spec;
    const head = element("div", "chart-head", null, element("h3", "", spec.title));
    this.legend = element("span", "legend");
    head.append(this.legend);
    this.canvas = element("canvas");
    this.canvas.style.height = spec.height + "px";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", spec.title + ". " + (spec.summary || ""));
    parent.append(element("div", "chart", null, head, this.canvas));
    this.picture = new Picture(this.canvas, (context, width, height) => this.paint(context, width, height));
    this.listen();
    listeners.push((what) => { if (what === "look") this.writeLegend(); this.picture.redraw(); });
    this.writeLegend();
  }

  writeLegend() {
    this.legend.replaceChildren(...(this.spec.legend ? this.spec.legend() : []).map(([name, hue, dash]) => {
      const sample = element("i", dash ? "dash" : "");
      sample.style.background = sample.style.color = colour(hue);
      return element("span", "", null, sample, name);
    }));
  }

  x(seconds) { return margin.left + (seconds - view.from) / (view.to - view.from) * this.inner; }
  seconds(x) { return view.from + (x - margin.left) / this.inner * (view.to - view.from); }
  y(value) {
    const [low, high] = this.range;
    const share = this.spec.log ? Math.log(Math.max(value, low) / low) / Math.log(high / low)
      : (value - low) / (high - low);
    return this.bottom - share * (this.bottom - margin.top);
  }

  paint(context, width, height) {
    this.inner = width - margin.left - margin.right;
    this.bottom = height - (this.spec.axis === false ? 4 : margin.bottom);
    this.range = this.spec.range ? this.spec.range() : this.found();
    this.grid(context, width);
    context.save();
    context.beginPath();
    context.rect(margin.left, 0, this.inner, this.bottom + 1);
    context.clip();
    this.spec.paint(this, context);
    this.drawMark(context);
    context.restore();
  }

  /** The range of the values in the shown time, with some room. */
  found() {
    let [low, high] = [Infinity, -Infinity];
    for (const [t, values] of this.spec.values()) {
      const last = Math.min(place(t, view.to) + 1, t.length - 1);
      for (let i = Math.max(place(t, view.from), 0); i <= last; i++) {
        const value = values[i];
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    if (!(low <= high)) [low, high] = [0, 1];
    if (this.spec.log) {
      low = 10 ** Math.floor(Math.log10(Math.max(low, this.spec.least || 0.01)));
      return [low, Math.max(10 ** Math.ceil(Math.log10(Math.max(high, low * 1.01))), low * 10)];
    }
    if (this.spec.fromZero) low = Math.min(0, low);
    const room = Math.max((high - low) * 0.06, this.spec.leastRoom || 1e-3);
    return [this.spec.fromZero && low === 0 ? 0 : low - room, high + room];
  }

  grid(context, width) {
    context.strokeStyle = colour("--grid");
    context.fillStyle = colour("--faint");
    context.lineWidth = 1;
    context.textBaseline = "middle";
    context.textAlign = "right";
    if (!this.spec.rows) {
      const [low, high] = this.range;
      const values = this.spec.ticks ? this.spec.ticks : this.spec.log
        ? Array.from({ length: 12 }, (_, i) => 10 ** (i - 4)).filter((v) => v >= low * 0.99 && v <= high * 1.01)
        : ticks(low, high, this.spec.height / 38);
      for (const value of values) {
        const y = Math.round(this.y(value)) + 0.5;
        context.beginPath();
        context.moveTo(margin.left, y);
        context.lineTo(width - margin.right, y);
        context.stroke();
        context.fillText(String(Number(value.toPrecision(6))), margin.left - 7, y);
      }
    }
    context.textAlign = "center";
    context.textBaseline = "top";
    for (const seconds of timeTicks(view.from, view.to, this.inner / 85)) {
      const x = Math.round(this.x(seconds)) + 0.5;
      context.beginPath();
      context.moveTo(x, margin.top);
      context.lineTo(x, this.bottom);
      context.stroke();
      if (this.spec.axis !== false && x > margin.left + 12) context.fillText(clock(seconds), x, this.bottom + 5);
    }
  }

  drawMark(context) {
    if (view.mark === null) return;
    const x = Math.round(this.x(view.mark)) + 0.5;
    context.strokeStyle = colour("--faint");
    context.setLineDash([3, 3]);
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, this.bottom);
    context.stroke();
    context.setLineDash([]);
    if (this.drag !== undefined) {
      const from = this.x(this.drag);
      context.fillStyle = colour("--band");
      context.fillRect(Math.min(from, x), margin.top, Math.abs(x - from), this.bottom - margin.top);
    }
  }

  /** Calls `body` with the range of each run of samples that belong together. */
  runs(t, values, body) {
    const first = Math.max(place(t, view.from), 0);
    const last = Math.min(place(t, view.to) + 1, t.length - 1);
    let start = -1;
    for (let i = first; i <= last + 1; i++) {
      const ends = i > last || Number.isNaN(values[i]) || (start >= 0 && i > start && t[i] - t[i - 1] > 3);
      if (ends && start >= 0) { body(start, i - 1); start = -1; }
      if (i <= last && start < 0 && !Number.isNaN(values[i])) start = i;
    }
  }

  /** A line. Many samples in one column of pixels are drawn as their range. */
  line(context, t, values, hue, { width = 1.5, dash = [], steps = false, wrap = 0 } = {}) {
    context.strokeStyle = hue;
    context.lineWidth = width;
    context.setLineDash(dash);
    context.lineJoin = "round";
    context.beginPath();
    this.runs(t, values, (from, to) => {
      let [column, low, high, started] = [-1e9, 0, 0, false];
      for (let i = from; i <= to; i++) {
        const [x, y] = [this.x(t[i]), this.y(values[i])];
        if (!started || (wrap && Math.abs(values[i] - values[i - 1]) > wrap)) {
          context.moveTo(x, y);
          started = true;
          [column, low, high] = [Math.floor(x), y, y];
        } else if (Math.floor(x) === column) {
          if (y < low || y > high) context.lineTo(x, y);
          [low, high] = [Math.min(low, y), Math.max(high, y)];
        } else {
          if (steps) context.lineTo(x, this.y(values[i - 1]));
          context.lineTo(x, y);
          [column, low, high] = [Math.floor(x), y, y];
        }
      }
    });
    context.stroke();
    context.setLineDash([]);
  }

  /** The area between two lines. */
  area(context, t, low, high, hue) {
    context.fillStyle = hue;
    this.runs(t, high, (from, to) => {
      context.beginPath();
      for (let i = from; i <= to; i++) context.lineTo(this.x(t[i]), this.y(high[i]));
      for (let i = to; i >= from; i--) context.lineTo(this.x(t[i]), this.y(Number.isNaN(low[i]) ? high[i] : low[i]));
      context.fill();
    });
  }

  listen() {
    const at = (event) => this.seconds(event.clientX - this.canvas.getBoundingClientRect().left);
    this.canvas.addEventListener("pointerdown", (event) => {
      this.drag = at(event);
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => mark(at(event)));
    this.canvas.addEventListener("pointerleave", () => { if (this.drag === undefined) mark(null); });
    this.canvas.addEventListener("pointerup", (event) => {
      const [from, to] = [this.drag, at(event)];
      this.drag = undefined;
      if (from !== undefined && Math.abs(this.x(to) - this.x(from)) > 6) show(Math.min(from, to), Math.max(from, to));
    });
    this.canvas.addEventListener("pointercancel", () => { this.drag = undefined; });
    this.canvas.addEventListener("dblclick", () => show(view.begin, view.end));
    this.canvas.addEventListener("keydown", (event) => {
      const span = view.to - view.from;
      const middle = view.mark ?? (view.from + view.to) / 2;
      const step = event.shiftKey ? span / 20 : span / 200;
      if (event.key === "ArrowRight") mark(middle + step);
      else if (event.key === "ArrowLeft") mark(middle - step);
      else if (event.key === "+") show(middle - span / 4, middle + span / 4);
      else if (event.key === "-") show(middle - span, middle + span);
      else if (event.key === "Escape") { mark(null); show(view.begin, view.end); }
      else return;
      event.preventDefault();
    });
  }
}

/** A histogram of one count per bin for each drive. */
function histogram(parent, { title, bins, unit, expected, height = 190 }) {
  const canvas = element("canvas");
  canvas.style.height = height + "px";
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", title);
  parent.append(element("div", "chart", null, canvas));
  const picture = new Picture(canvas, (context, width, tall) => {
    const [left, bottom, inner] = [46, tall - 24, width - 58];
    const totals = bins.map((one) => Math.max(one.counts.reduce((a, b) => a + b, 0), 1));
    const shares = bins.map((one, k) => one.counts.map((count) => count / totals[k]));
    const most = Math.max(0.01, ...shares.flat(), ...(expected || []));
    const count = bins[0].counts.length;
    context.strokeStyle = colour("--grid");
    context.fillStyle = colour("--faint");
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const value of ticks(0, most * 100, 4)) {
      const y = Math.round(bottom - value / 100 / most * (bottom - 10)) + 0.5;
      context.beginPath();
      context.moveTo(left, y);
      context.lineTo(left + inner, y);
      context.stroke();
      context.fillText(Number(value.toPrecision(4)) + " %", left - 5, y);
    }
    const wide = inner / count;
    shares.forEach((one, k) => {
      context.fillStyle = colour(k === 0 ? "--a" : "--b");
      context.globalAlpha = shares.length > 1 ? 0.65 : 0.85;
      one.forEach((share, i) => {
        const [w, h] = [wide / shares.length, share / most * (bottom - 10)];
        context.fillRect(left + i * wide + k * w + 0.5, bottom - h, Math.max(w - 1, 1), h);
      });
      context.globalAlpha = 1;
    });
    if (expected) {
      context.strokeStyle = colour("--ref");
      context.lineWidth = 1.6;
      context.beginPath();
      expected.forEach((share, i) => context.lineTo(left + (i + 0.5) * wide, bottom - share / most * (bottom - 10)));
      context.stroke();
      context.lineWidth = 1;
    }
    context.fillStyle = colour("--faint");
    context.textAlign = "center";
    context.textBaseline = "top";
    const [low, step] = [bins[0].low, bins[0].step];
    for (const value of ticks(low, low + step * count, inner / 60)) {
      context.fillText(Number(value.toPrecision(5)) + (unit ? " " + unit : ""), left + (value - low) / step * wide,
        bottom + 5);
    }
  });
  listeners.push((what) => { if (what === "look") picture.redraw(); });
}
