// Reads the values of the golden packets. Run: node --test clients/examples/javascript
import assert from "node:assert";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { Client, Lines } from "./posed.mjs";

const golden = new URL("../../../Tests/FramesTests/Golden/version1/", import.meta.url);
const names = fs.readdirSync(golden).filter((name) => name.endsWith(".json"));
const read = (name) => fs.readFileSync(new URL(name, golden));

test("golden lines are read however they are cut", () => {
  assert(names.length > 25);
  const all = Buffer.concat(names.map(read));
  for (const size of [1, 7, 64, all.length]) {
    const lines = new Lines();
    const messages = [];
    for (let at = 0; at < all.length; at += size) messages.push(...lines.add(all.subarray(at, at + size)));
    assert.deepEqual(messages, names.map((name) => JSON.parse(read(name))));
  }
});

test("golden values have their meaning", () => {
  const [frame] = new Lines().add(read("frame.json"));
  assert.equal(frame.pose.state, "aligned");
  assert.equal(frame.pose.lat_deg, 48.137154321);
  assert.deepEqual(frame.pose.accel_enu_m_s2, [-0.625, 1.375, 0.0625]);
  assert.equal(frame.dropped, 3);
  const [maneuver] = new Lines().add(read("maneuver.json"));
  assert(maneuver.text.endsWith("Fürstenstraße"));
  const [skipped] = new Lines().add(read("event-waypoint-skipped.json"));
  assert.deepEqual([skipped.event, skipped.waypoint, skipped.count], ["waypointSkipped", 4, 2]);
});

test("what is no line is refused", () => {
  for (const bad of ["nonsense\n", "3\n", "null\n", "{}\n"]) {
    assert.throws(() => new Lines().add(Buffer.from(bad)), bad);
  }
});

test("a conversation, and the way back after a loss", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "posed-"));
  const where = path.join(folder, "stream");
  let connections = 0;
  const server = net.createServer((socket) => {
    connections += 1;
    socket.write(read("hello.json"));
    socket.on("data", (bytes) => {
      for (const line of bytes.toString().trim().split("\n")) {
        const { cmd, id } = JSON.parse(line);
        const error = { what: "no", where: "cmd", remedy: "ask" };
        socket.write(JSON.stringify({ type: "reply", cmd, id, ok: cmd !== "reset", error }) + "\n");
        if (cmd === "subscribe") socket.write(read("frame.json"));
        if (cmd === "ping") socket.end(read("bye-stopping.json"));
      }
    });
  }).listen(where);
  const client = new Client({ rate_hz: 10 }, where);
  client.open();
  await new Promise((done) => client.once("frame", done));
  await assert.rejects(client.command({ cmd: "reset" }), /cmd: no; ask/);
  const lost = new Promise((done) => client.once("disconnected", done));
  assert.equal((await client.command({ cmd: "ping" })).ok, true);
  assert.equal(await lost, "stopping");
  await new Promise((done) => client.once("frame", done));
  assert.equal(connections, 2);
  client.close();
  server.close();
  fs.rmSync(folder, { recursive: true });
});

test("a refused subscription is tried less and less often", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "posed-"));
  const where = path.join(folder, "stream");
  const error = { what: "no such topic", where: "topics", remedy: "leave it out" };
  let connections = 0;
  const server = net.createServer((socket) => {
    connections += 1;
    const ok = connections > 4;
    socket.write(read("hello.json"));
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      const { cmd, id } = JSON.parse(bytes);
      socket.end(JSON.stringify({ type: "reply", cmd, id, ok, error }) + "\n");
    });
  }).listen(where);
  // The client's waits are counted and not waited for.
  const waits = [];
  const wait = globalThis.setTimeout;
  globalThis.setTimeout = (work, milliseconds) => {
    waits.push(milliseconds);
    return wait(work, 0);
  };
  const client = new Client({ topics: ["x"] }, where);
  try {
    await new Promise((done) => {
      client.on("disconnected", () => { if (waits.length === 6) done(); });
      client.open();
    });
  } finally {
    globalThis.setTimeout = wait;
  }
  client.close();
  server.close();
  fs.rmSync(folder, { recursive: true });
  // Four refusals, then two connections that were served.
  assert.deepEqual(waits, [100, 200, 400, 800, 100, 100]);
});

/** Serves `hello`, answers `subscribe` with two frames in one piece, and nothing else. */
function frameServer(where, onConnection) {
  return net.createServer((socket) => {
    onConnection();
    socket.write(read("hello.json"));
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      for (const line of bytes.toString().trim().split("\n")) {
        const { cmd, id } = JSON.parse(line);
        if (cmd !== "subscribe") continue;
        const reply = Buffer.from(JSON.stringify({ type: "reply", cmd, id, ok: true }) + "\n");
        socket.write(Buffer.concat([reply, read("frame.json"), read("frame.json")]));
      }
    });
  }).listen(where);
}

test("closed and opened again at once, it has one connection", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "posed-"));
  const where = path.join(folder, "stream");
  let connections = 0;
  let losses = 0;
  const server = frameServer(where, () => { connections += 1; });
  const client = new Client({}, where);
  client.on("disconnected", () => { losses += 1; });
  client.open();
  await new Promise((done) => client.once("frame", done));
  const unanswered = client.command({ cmd: "ping" });
  client.close();
  client.open();
  await assert.rejects(unanswered, /the client was closed/);
  await new Promise((done) => client.once("frame", done));
  assert.deepEqual([connections, losses], [2, 0]);
  client.close();
  server.close();
  fs.rmSync(folder, { recursive: true });
});

test("a client that was closed emits nothing more", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "posed-"));
  const where = path.join(folder, "stream");
  const server = frameServer(where, () => {});
  const client = new Client({}, where);
  let frames = 0;
  await new Promise((done) => {
    client.on("frame", () => {
      frames += 1;
      client.close();
      done();
    });
    client.open();
  });
  await new Promise((done) => server.close(done));
  assert.equal(frames, 1);
  fs.rmSync(folder, { recursive: true });
});
