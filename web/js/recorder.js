// The recorder of the daemon, and the list of recordings.

import { element, make, replace, setText } from "./dom.js";
import { bytes, duration } from "./units.js";

export class Recorder extends EventTarget {
  #connection;
  #isRecording = false;
  #problem = "";

  constructor(connection) {
    super();
    this.#connection = connection;
    element("record").addEventListener("click", () => this.#toggle());
  }

  /** Writes what the recorder does. */
  show(report, server) {
    const recording = report?.recording;
    const wasRecording = this.#isRecording;
    // While it waits for something to record it has a file, too, which is removed again.
    this.#isRecording = recording?.state === "recording";
    // The request that failed is no news where the recorder has changed since.
    if (wasRecording !== this.#isRecording) this.#problem = "";
    element("recording-pill").hidden = !this.#isRecording;
    const button = element("record");
    setText(button, this.#isRecording ? "Stop recording" : "Start recording");
    button.disabled = !server?.control || !recording;
    setText(element("recorder-text"), this.#problem || describe(recording, server));
    if (wasRecording && !this.#isRecording) this.list();
  }

  async #toggle() {
    this.#problem = "";
    try {
      await this.#connection.request({ cmd: "record", action: this.#isRecording ? "stop" : "start" });
    } catch (error) {
      this.#problem = error.message;
      setText(element("recorder-text"), error.message);
    }
  }

  /** Asks for the list of recordings. */
  async list() {
    const empty = element("files-empty");
    try {
      const response = await fetch("/recordings");
      if (!response.ok) throw new Error(await response.text());
      const { recordings, folder, problem } = await response.json();
      empty.hidden = recordings.length > 0;
      setText(empty, problem ?? `No recordings in ${folder} yet.`);
      replace(element("files"), JSON.stringify(recordings), () => recordings.map((file) => this.#row(file)));
    } catch {
      empty.hidden = false;
      setText(empty, "The list of recordings cannot be loaded.");
    }
  }

  #row(file) {
    const row = make("li");
    const name = make("span", file.name);
    name.append(make("small", `${new Date(file.modified_s * 1000).toLocaleString()} · ${bytes(file.bytes)}`));
    const button = make("button", "Play", { type: "button", "aria-label": `Play ${file.name}` });
    button.addEventListener("click", () => this.dispatchEvent(new MessageEvent("play", { data: file.name })));
    row.append(name, button);
    return row;
  }
}

function describe(recording, server) {
  if (!recording) return "posed has not told yet what its recorder does.";
  const readOnly = " This page is read-only: start posed-web with --allow-control, or use posectl record start.";
  const remedy = server?.control ? "" : readOnly;
  if (recording.problem) return `${recording.problem}`;
  if (recording.state === "waiting") {
    const kept = recording.from_start ? "everything since the start" : "the last minute";
    return `Waiting for something to record; ${kept} is kept.${remedy}`;
  }
  if (recording.file) {
    const name = recording.file.split("/").pop();
    const lost = recording.lost ? `, ${recording.lost} inputs lost` : "";
    return `${name}: ${duration(recording.seconds)}, ${bytes(recording.bytes)}${lost}`;
  }
  return `Not recording.${remedy}`;
}
