// Reads the JSON lines of posed's socket `stream`: connects, subscribes, reads, and reconnects after a loss (after
// 0.1 s, later up to 5 s). Needs Node 18 and no packages. Node has no SOCK_SEQPACKET, so this is the stream socket.
//
// An unknown value is null, never 0 or NaN. Ignore members, types and states that you do not know.
import { EventEmitter } from "node:events";
import net from "node:net";
import { StringDecoder } from "node:string_decoder";

export const DEFAULT_PATH = "/run/posed/stream";
const LONGEST_LINE = 1 << 20;

/** Splits text that arrives in pieces into the objects of its lines. */
export class Lines {
  #decoder = new StringDecoder("utf8");
  #rest = "";

  /** The objects of the lines that are complete now. Throws if a line is no JSON object with a type. */
  add(bytes) {
    const lines = (this.#rest + this.#decoder.write(bytes)).split("\n");
    this.#rest = lines.pop();
    if (this.#rest.length > LONGEST_LINE) throw new Error(`a line of more than ${LONGEST_LINE} characters`);
    return lines.filter((line) => line !== "").map((line) => {
      const message = JSON.parse(line);
      if (typeof message?.type !== "string") throw new Error("a line without the member type");
      return message;
    });
  }
}

/**
 * Events: `connected` (hello), one per type of message (`frame`, `event`, `scene`, ...), `disconnected` (reason).
 * A `reply` is given to the caller of `command` instead.
 */
export class Client extends EventEmitter {
  #socket = null;
  #wait = 0;
  #timer = null;
  #replies = new Map();
  #next = 1;

  /** `subscription` has the members of the command `subscribe`: rate_hz, topics, every, smooth, ecef. */
  constructor(subscription = {}, path = DEFAULT_PATH) {
    super();
    this.subscription = subscription;
    this.path = path;
  }

  /** Connects, and again after each loss. Ends the connection that there is. */
  open() {
    this.close();
    const lines = new Lines();
    let reason = null;
    const socket = net.createConnection(this.path);
    this.#socket = socket;
    socket.on("data", (bytes) => {
      try {
        for (const message of lines.add(bytes)) {
          // A listener may have closed the client.
          if (this.#socket !== socket) return;
          if (message.type === "hello") this.#connected(message, socket);
          else if (message.type === "reply") this.#reply(message);
          else if (message.type === "bye") reason = message.text || message.reason;
          else this.emit(message.type, message);
        }
      } catch (problem) {
        socket.destroy(problem);
      }
    });
    socket.on("error", (problem) => { reason ??= problem.message; });
    socket.on("close", () => {
      if (this.#socket === socket) this.#lost(reason ?? "the daemon closed the connection");
    });
  }

  /** Disconnects for good. */
  close() {
    clearTimeout(this.#timer);
    this.#socket?.destroy();
    this.#socket = null;
    this.#rejectReplies("the client was closed");
  }

  /** Sends a command, such as {cmd: "status"}. Resolves with its reply; rejects with what, where and remedy. */
  command(members) {
    return new Promise((resolve, reject) => {
      if (!this.#socket || this.#socket.connecting) return reject(new Error("not connected"));
      const id = String(this.#next++);
      this.#replies.set(id, { resolve, reject });
      this.#socket.write(JSON.stringify({ ...members, id }) + "\n");
    });
  }

  #connected(hello, socket) {
    // Only a subscription that is taken ends the waiting: a refused one would be tried again at once, for ever.
    this.command({ cmd: "subscribe", ...this.subscription }).then(
      () => { this.#wait = 0; }, (problem) => socket.destroy(problem));
    this.emit("connected", hello);
  }

  #reply(message) {
    const waiting = this.#replies.get(message.id);
    this.#replies.delete(message.id);
    if (!waiting) return;
    if (message.ok) waiting.resolve(message);
    else waiting.reject(new Error(`${message.error.where}: ${message.error.what}; ${message.error.remedy}`));
  }

  #lost(reason) {
    this.#socket = null;
    this.#rejectReplies(reason);
    this.#wait = this.#wait ? Math.min(this.#wait * 2, 5000) : 100;
    this.#timer = setTimeout(() => this.open(), this.#wait);
    this.emit("disconnected", reason);
  }

  #rejectReplies(reason) {
    for (const { reject } of this.#replies.values()) reject(new Error(reason));
    this.#replies.clear();
  }
}
