// The WebSocket: lines of the daemon as they are, and the server's own. It reconnects by itself, and rests while the
// page is not seen.

const RETRY_MS = [500, 1000, 2000, 4000, 8000];
const HIDDEN_MS = 60000;
const TIME_MS = 5000;
const LATE_MS = 4000;
const MOST_MISSED = 2;

export class Connection extends EventTarget {
  #socket = null;
  #failures = 0;
  #timer = 0;
  #hiddenTimer = 0;
  #number = 0;
  #asked = new Map();
  /** Requests for the time in succession that got no answer. */
  #missed = 0;
  #replies = new Map();
  #roundTrips = [];

  /** Monotonic time of the server minus that of the page, seconds; null until it is known. */
  clockOffset = null;

  constructor() {
    super();
    setInterval(() => this.#askTime(), TIME_MS);
    document.addEventListener("visibilitychange", () => this.#visibilityChanged());
  }

  /** Connects. */
  open() {
    clearTimeout(this.#timer);
    if (this.#socket) return;
    const address = new URL("/ws", location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);
    this.#socket = socket;
    socket.addEventListener("open", () => {
      this.#failures = 0;
      this.#asked.clear();
      this.#missed = 0;
      // The clock begins anew with each start of the machine.
      this.#roundTrips = [];
      this.clockOffset = null;
      this.#askTime();
      this.dispatchEvent(new Event("open"));
    });
    socket.addEventListener("message", (event) => this.#receive(event.data));
    socket.addEventListener("close", (event) => {
      if (event.target === this.#socket) this.#lose(event.reason || null);
    });
  }

  /** Disconnects until open() is called. */
  close() {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  /** Seconds of the server's monotonic clock now; null until it is known. */
  now() { return this.clockOffset === null ? null : performance.now() / 1000 + this.clockOffset; }

  /** Sends a request; resolves to its reply. */
  request(command) {
    return new Promise((resolve, reject) => {
      if (this.#socket?.readyState !== WebSocket.OPEN) {
        reject(new Error("there is no connection; wait until it is back"));
        return;
      }
      const id = String(++this.#number);
      const timer = setTimeout(() => {
        this.#replies.delete(id);
        reject(new Error("posed does not answer; see its log"));
      }, 8000);
      this.#replies.set(id, (reply) => {
        clearTimeout(timer);
        if (reply.ok) resolve(reply); else reject(new Error(`${reply.error?.what}; ${reply.error?.remedy}`));
      });
      this.#socket.send(JSON.stringify({ ...command, id }));
    });
  }

  #askTime() {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    const now = performance.now();
    for (const sent of this.#asked.values()) if (now - sent > LATE_MS) this.#missed += 1;
    if (this.#missed >= MOST_MISSED) {
      // A line that is gone closes no connection: the browser would take it for open for many minutes.
      const socket = this.#socket;
      this.#lose(`no answer for ${MOST_MISSED * TIME_MS / 1000} s`);
      socket.close();
      return;
    }
    const id = String(++this.#number);
    this.#asked.clear();
    this.#asked.set(id, now);
    this.#socket.send(JSON.stringify({ cmd: "time", id }));
  }

  #receive(text) {
    let message;
    try { message = JSON.parse(text); } catch { return; }
    if (message.type === "time") return this.#setClock(message);
    if (message.type === "reply") {
      const id = String(message.id ?? "").split(":").pop();
      const reply = this.#replies.get(id);
      if (reply) {
        this.#replies.delete(id);
        reply(message);
        return;
      }
    }
    this.dispatchEvent(new MessageEvent("line", { data: message }));
  }

  /** The quickest of the last answers tells the clock best. */
  #setClock(message) {
    const sent = this.#asked.get(message.id);
    if (sent === undefined) return;
    this.#asked.delete(message.id);
    this.#missed = 0;
    const received = performance.now();
    this.#roundTrips.push({ span: received - sent, offset: message.t_s - (sent + received) / 2000 });
    if (this.#roundTrips.length > 6) this.#roundTrips.shift();
    const best = this.#roundTrips.reduce((a, b) => (b.span < a.span ? b : a));
    this.clockOffset = best.offset;
    if (this.#roundTrips.length < 4) setTimeout(() => this.#askTime(), 200);
  }

  /** The connection is lost: it is tried again. */
  #lose(reason) {
    this.#socket = null;
    for (const reply of this.#replies.values()) reply({ ok: false, error: { what: "disconnected", remedy: "wait" } });
    this.#replies.clear();
    const wait = RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)];
    this.#failures += 1;
    this.#timer = setTimeout(() => this.open(), wait);
    this.dispatchEvent(new MessageEvent("lost", { data: reason }));
  }

  #visibilityChanged() {
    clearTimeout(this.#hiddenTimer);
    if (document.hidden) this.#hiddenTimer = setTimeout(() => this.close(), HIDDEN_MS);
    else this.open();
  }
}
