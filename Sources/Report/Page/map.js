// The track on the roads.
const colourModes = {
  limit: { title: "speed by limit", part: (drive, i) => ["--grey", "--blue", "--orange", "--red"][drive._colour[i]],
    legend: [["below the limit", "--blue"], ["at the limit", "--orange"], ["far above", "--red"],
      ["no limit known", "--grey"]] },
  state: { title: "state of the pose", part: (drive, i) => "--s" + drive._state[i],
    legend: stateNames.map((name, i) => [name, "--s" + i]) },
  sigma: { title: "1-sigma of the position", part: (drive, i) => stepOf(drive._sigma[i]),
    legend: [["below 1 m", "--good"], ["below 5 m", "--blue"], ["below 20 m", "--orange"], ["above", "--red"]] },
  error: {
    title: "error", part: (drive, i) => Number.isNaN(drive._error[i] ?? NaN) ? "--grey" : stepOf(drive._error[i]),
    legend: [["below 1 m", "--good"], ["below 5 m", "--blue"], ["below 20 m", "--orange"], ["above", "--red"],
      ["no reference", "--grey"]] },
  drive: { title: "recording", part: (drive) => drive.colour,
    legend: drives.map((drive) => [shortName(drive.figures.name), drive.colour]) },
};
const stepOf = (metres) => metres < 1 ? "--good" : metres < 5 ? "--blue" : metres < 20 ? "--orange" : "--red";

class TrackMap {
  constructor() {
    this.canvas = byId("map");
    this.layers = { roads: true, route: true, fixes: false, reference: true };
    this.mode = isComparison ? "drive" : drives.some((d) => d.figures.speed.with_limit_s > 0) ? "limit" : "state";
    this.middle = [0, 0];
    this.scale = 1;
    this.picture = new Picture(this.canvas, (context, width, height) => this.paint(context, width, height));
    this.fitted = false;
    this.choices();
    this.listen();
    listeners.push((what) => { if (what === "look") this.legend(); this.picture.redraw(); });
    this.legend();
  }

  choices() {
    const select = byId("map-colour");
    for (const [name, mode] of Object.entries(colourModes)) {
      if (name === "error" && !drives.some((d) => d._error.length)) continue;
      if (name === "drive" && !isComparison) continue;
      const option = element("option", "", mode.title);
      option.value = name;
      select.append(option);
    }
    select.value = this.mode;
    select.addEventListener("change", () => { this.mode = select.value; this.legend(); this.picture.redraw(); });
    const present = { roads: drives.some((d) => d.roads.length), route: drives.some((d) => d.route.e.length),
      fixes: drives.some((d) => d.fixes.t.length), reference: drives.some((d) => d._re.length) };
    for (const name of Object.keys(this.layers).filter((one) => present[one])) {
      const box = element("input");
      box.type = "checkbox";
      box.checked = this.layers[name];
      box.addEventListener("change", () => { this.layers[name] = box.checked; this.legend(); this.picture.redraw(); });
      byId("map-layers").append(element("label", "", null, box, " " + name));
    }
    byId("map-fit").addEventListener("click", () => { this.fitted = false; this.picture.redraw(); });
    this.present = present;
    if (present.roads) byId("credit").textContent = "Roads: © OpenStreetMap contributors, ODbL.";
  }

  legend() {
    const items = [...colourModes[this.mode].legend];
    if (this.present.fixes && this.layers.fixes) items.push(["fixes", "--warn"]);
    if (this.present.reference && this.layers.reference) {
      items.push([drives.find((d) => d.figures.error)?.figures.error.reference || "reference", "--ref", true]);
    }
    if (this.present.route && this.layers.route) items.push(["route", "--limit"]);
    byId("map-legend").replaceChildren(...items.map(([name, hue, dash]) => {
      const sample = element("i", dash ? "dash" : "");
      sample.style.background = sample.style.color = colour(hue);
      return element("span", "", null, sample, name);
    }));
  }

  fit(width, height) {
    let [west, east, south, north] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const drive of drives) {
      for (let i = 0; i < drive._e.length; i++) {
        if (Number.isNaN(drive._e[i])) continue;
        [west, east] = [Math.min(west, drive._e[i]), Math.max(east, drive._e[i])];
        [south, north] = [Math.min(south, drive._n[i]), Math.max(north, drive._n[i])];
      }
    }
    if (!(west <= east)) return;
    // The legend at the bottom stays free.
    this.scale = Math.min((width - 60) / Math.max(east - west, 40), (height - 90) / Math.max(north - south, 40));
    this.middle = [(west + east) / 2, (south + north) / 2 - 18 / this.scale];
    this.fitted = true;
  }

  point(e, n) {
    return [this.width / 2 + (e - this.middle[0]) * this.scale, this.height / 2 - (n - this.middle[1]) * this.scale];
  }

  paint(context, width, height) {
    [this.width, this.height] = [width, height];
    if (!this.fitted) this.fit(width, height);
    context.lineJoin = context.lineCap = "round";
    if (this.layers.roads) this.paintRoads(context);
    if (this.layers.route) {
      for (const drive of drives) this.path(context, drive.route.e, drive.route.n, "--limit", 7, 0.35);
    }
    if (this.layers.fixes) this.paintFixes(context);
    for (const drive of drives) this.paintTrack(context, drive);
    if (this.layers.reference) for (const drive of drives) this.paintReference(context, drive);
    this.paintEnds(context);
    this.paintMark(context);
    this.paintScale(context);
  }

  path(context, e, n, hue, width, alpha = 1) {
    if (!e.length) return;
    context.globalAlpha = alpha;
    context.strokeStyle = colour(hue);
    context.lineWidth = width;
    context.beginPath();
    for (let i = 0; i < e.length; i++) context.lineTo(...this.point(e[i], n[i]));
    context.stroke();
    context.globalAlpha = 1;
  }

  paintRoads(context) {
    for (const drive of drives) {
      for (const road of drive.roads) {
        const width = Math.max((road.size <= 2 ? 9 : road.size <= 5 ? 7 : 4.5) * Math.min(this.scale, 3), 1);
        context.setLineDash(road.tunnel ? [6, 5] : []);
        this.path(context, road.e, road.n, road.size <= 4 ? "--road-big" : "--road", Math.min(width, 16));
      }
    }
    context.setLineDash([]);
  }

  paintFixes(context) {
    context.fillStyle = colour("--warn");
    context.globalAlpha = 0.7;
    for (const { fixes } of drives) {
      for (let i = 0; i < fixes.t.length; i++) {
        if (fixes.t[i] < view.from || fixes.t[i] > view.to) continue;
        const [x, y] = this.point(fixes.e[i], fixes.n[i]);
        if (x > -5 && x < this.width + 5 && y > -5 && y < this.height + 5) context.fillRect(x - 1.5, y - 1.5, 3, 3);
      }
    }
    context.globalAlpha = 1;
  }

  /** The track in runs of one colour; outside of the shown time it is faint. */
  paintTrack(context, drive) {
    const part = colourModes[this.mode].part;
    let [hue, open, lastX, lastY] = [null, false, 0, 0];
    const end = () => { if (open) context.stroke(); open = false; };
    context.lineWidth = 3.2;
    for (let i = 0; i < drive._t.length; i++) {
      const e = drive._e[i];
      const gap = i > 0 && drive._t[i] - drive._t[i - 1] > 3;
      if (Number.isNaN(e) || gap) { end(); hue = null; }
      if (Number.isNaN(e)) continue;
      const [x, y] = this.point(e, drive._n[i]);
      const inside = drive._t[i] >= view.from && drive._t[i] <= view.to;
      const wanted = part(drive, i) + (inside ? "" : "/");
      if (wanted !== hue) {
        const joined = open;
        if (open) context.lineTo(x, y);
        end();
        hue = wanted;
        context.strokeStyle = colour(wanted.replace("/", ""));
        context.globalAlpha = inside ? 1 : 0.18;
        context.beginPath();
        context.moveTo(joined ? lastX : x, joined ? lastY : y);
        open = true;
        context.lineTo(x, y);
      } else if (Math.abs(x - lastX) + Math.abs(y - lastY) >= 0.7) {
        context.lineTo(x, y);
      } else {
        continue;
      }
      [lastX, lastY] = [x, y];
    }
    end();
    context.globalAlpha = 1;
  }

  paintReference(context, drive) {
    if (!drive._re.length) return;
    context.strokeStyle = colour("--ref");
    context.lineWidth = 1.3;
    context.setLineDash([5, 4]);
    context.beginPath();
    let open = false;
    for (let i = 0; i < drive._re.length; i++) {
      if (Number.isNaN(drive._re[i])) { open = false; continue; }
      const [x, y] = this.point(drive._re[i], drive._rn[i]);
      if (open) context.lineTo(x, y); else context.moveTo(x, y);
      open = true;
    }
    context.stroke();
    context.setLineDash([]);
  }

  paintEnds(context) {
    for (const drive of drives) {
      const first = drive._e.findIndex((e) => !Number.isNaN(e));
      if (first < 0) continue;
      let last = drive._e.length - 1;
      while (Number.isNaN(drive._e[last])) last--;
      for (const [index, name] of [[first, "A"], [last, "B"]]) {
        const [x, y] = this.point(drive._e[index], drive._n[index]);
        context.fillStyle = colour("--card");
        context.strokeStyle = colour("--ink");
        context.lineWidth = 1.5;
        context.beginPath();
        context.arc(x, y, 8.5, 0, 7);
        context.fill();
        context.stroke();
        context.fillStyle = colour("--ink");
        context.textAlign = "center";
        context.textBaseline = "middle";
        context.fillText(name, x, y + 0.5);
      }
    }
  }

  paintMark(context) {
    if (view.mark === null) return;
    for (const drive of drives) {
      const i = sampleAt(drive, view.mark);
      if (i < 0 || Number.isNaN(drive._e[i])) continue;
      const [x, y] = this.point(drive._e[i], drive._n[i]);
      if (drive._sigma[i] > 0) {
        context.fillStyle = colour("--band");
        context.strokeStyle = colour(drive.colour);
        context.lineWidth = 1;
        context.beginPath();
        context.arc(x, y, Math.max(drive._sigma[i] * this.scale, 1), 0, 7);
        context.fill();
        context.stroke();
      }
      const turn = Number.isNaN(drive._heading[i]) ? null : drive._heading[i] * Math.PI / 180;
      context.save();
      context.translate(x, y);
      context.fillStyle = colour(drive.colour);
      context.strokeStyle = colour("--card");
      context.lineWidth = 2;
      context.beginPath();
      if (turn === null) {
        context.arc(0, 0, 6, 0, 7);
      } else {
        context.rotate(turn);
        context.moveTo(0, -13);
        context.lineTo(8, 9);
        context.lineTo(0, 4);
        context.lineTo(-8, 9);
        context.closePath();
      }
      context.fill();
      context.stroke();
      context.restore();
    }
  }

  paintScale(context) {
    const power = 10 ** Math.floor(Math.log10(130 / this.scale));
    const metres = [5, 2, 1].map((n) => n * power).find((n) => n <= 130 / this.scale);
    const [x, y, wide] = [this.width - 20, this.height - 18, metres * this.scale];
    context.strokeStyle = context.fillStyle = colour("--ink");
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(x - wide, y - 5);
    context.lineTo(x - wide, y);
    context.lineTo(x, y);
    context.lineTo(x, y - 5);
    context.stroke();
    context.textAlign = "center";
    context.textBaseline = "bottom";
    context.fillText(distance(metres), x - wide / 2, y - 4);
    context.textAlign = "center";
    context.fillText("N", 20, 42);
    context.beginPath();
    context.moveTo(20, 10);
    context.lineTo(15, 26);
    context.lineTo(20, 22);
    context.lineTo(25, 26);
    context.closePath();
    context.fill();
  }

  /** Marks the sample that is nearest to a point of the picture, if one is near. */
  markNear(x, y) {
    let [best, seconds] = [24 * 24, null];
    for (const drive of drives) {
      for (let i = 0; i < drive._t.length; i++) {
        if (Number.isNaN(drive._e[i]) || drive._t[i] < view.from || drive._t[i] > view.to) continue;
        const [px, py] = this.point(drive._e[i], drive._n[i]);
        const square = (px - x) ** 2 + (py - y) ** 2;
        if (square < best) [best, seconds] = [square, drive._t[i]];
      }
    }
    mark(seconds);
  }

  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const [dx, dy] = [(x - this.width / 2) / this.scale, (y - this.height / 2) / this.scale];
    const scale = Math.min(Math.max(this.scale * factor, 1e-4), 200);
    const rest = 1 - this.scale / scale;
    this.middle = [this.middle[0] + dx * rest, this.middle[1] - dy * rest];
    this.scale = scale;
    this.picture.redraw();
  }

  listen() {
    const canvas = this.canvas;
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * 0.0015), ...at(event));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      this.grip = [event.clientX, event.clientY, ...this.middle];
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!this.grip) return this.markNear(...at(event));
      const [x, y, e, n] = this.grip;
      this.middle = [e - (event.clientX - x) / this.scale, n + (event.clientY - y) / this.scale];
      this.picture.redraw();
    });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { this.grip = null; });
    canvas.addEventListener("pointerleave", () => { if (!this.grip) mark(null); });
    canvas.addEventListener("keydown", (event) => {
      const step = 60 / this.scale;
      const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
      if (event.key in moves) {
        this.middle = [this.middle[0] + moves[event.key][0], this.middle[1] + moves[event.key][1]];
      } else if (event.key === "+") {
        this.zoom(1.4);
      } else if (event.key === "-") {
        this.zoom(1 / 1.4);
      } else {
        return;
      }
      event.preventDefault();
      this.picture.redraw();
    });
  }
}
