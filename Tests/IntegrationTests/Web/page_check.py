"""Looks at the page of posed-web as a browser shows it, and prints what it found as one line of JSON.

usage: page_check.py CHROMIUM ADDRESS CHECK [FOLDER]
CHECK is load, sizes, keys, rules, speed, record, lost, date_line, clock, gone, gap, other, tiles, recorder or
hang:PROCESS; FOLDER gets pictures if it is given.
"""

import json
import os
import pathlib
import signal
import sys
import time

from browser import LONGEST, Browser

LIVE = "document.getElementById('connection').dataset.state === 'good'"
SIZES = {"phone": (360, 780), "tablet": (820, 1180), "desktop": (1440, 900)}


def text(browser, identifier):
    """The text of an element."""
    return browser.evaluate(f"document.getElementById('{identifier}').textContent")


def picture(browser, folder, name):
    """Stores a picture if a folder is given."""
    if folder:
        browser.screenshot(f"{folder}/{name}.png", is_whole=True)


def settle(browser, is_dark):
    """Waits until the page has taken on the colours of the system, and has been drawn with them."""
    browser.wait(f"matchMedia('(prefers-color-scheme: dark)').matches === {str(is_dark).lower()}")
    browser.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    browser.wait("document.getAnimations().length === 0")


def load(browser, folder):
    """Bytes of the page, what it asked for, what it shows, and what the browser complained about."""
    bodies = "performance.getEntries().filter(e => e.encodedBodySize !== undefined && !e.name.includes('/ws'))"
    size = browser.evaluate(f"{bodies}.filter(e => !e.name.includes('/roads/') && !e.name.endsWith('/recordings'))"
                            ".reduce((sum, e) => sum + e.encodedBodySize, 0)")
    browser.wait("document.getElementById('r-speed').textContent !== '–'")
    browser.wait("document.querySelectorAll('#sources tr').length > 0")
    for drawing, words in [("map", "vehicle at"), ("hud", "display: "), ("horizon", "degrees")]:
        browser.wait(f"document.getElementById('{drawing}').getAttribute('aria-label').includes('{words}')")
    delays = []
    while sum(delay <= 100 for delay in delays) < 10 and len(delays) < 1000:
        delays.append(int(text(browser, "connection-text").split(",")[1].split()[0]))
        time.sleep(0.1)
    return {
        "bytes": size, "requests": browser.requests(), "delays": delays, "speed": text(browser, "r-speed"),
        "turn": text(browser, "r-turn"), "advice": text(browser, "advice"), "sources": text(browser, "sources"),
        "map": browser.evaluate("document.getElementById('map').getAttribute('aria-label')"),
        "hud": browser.evaluate("document.getElementById('hud').getAttribute('aria-label')"),
        "horizon": browser.evaluate("document.getElementById('horizon').getAttribute('aria-label')"),
    }


def sizes(browser, folder):
    """For each size: how much wider than the window the page is, and the number of colours of each drawing."""
    found = {}
    for name, (width, height) in SIZES.items():
        for is_dark in (False, True):
            browser.size(width, height, is_mobile=width < 500)
            browser.dark(is_dark)
            settle(browser, is_dark)
            count = """(id => {
                const c = document.getElementById(id);
                const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
                const seen = new Set();
                for (let i = 0; i < d.length; i += 64) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);
                return seen.size; })"""
            drawings = ("map", "hud", "horizon")
            for drawing in drawings:
                browser.wait(f"{count}('{drawing}') >= 3")
            wide = browser.evaluate("document.documentElement.scrollWidth - innerWidth")
            colours = {id: browser.evaluate(f"{count}('{id}')") for id in drawings}
            found[f"{name}-{'dark' if is_dark else 'light'}"] = {
                "wide": wide, "colours": colours,
                "ground": browser.evaluate("getComputedStyle(document.body).backgroundColor")}
            picture(browser, folder, f"{name}-{'dark' if is_dark else 'light'}")
    return found


def keys(browser, folder):
    """What the keys do, and whether every control can be reached and has a name."""
    before = text(browser, "r-speed")
    browser.key("u", "KeyU", "u")
    browser.wait("document.getElementById('r-speed').textContent.endsWith('mph')")
    after = text(browser, "r-speed")
    theme = "document.documentElement.dataset.theme"
    first = browser.evaluate(theme)
    browser.key("d", "KeyD", "d")
    browser.key("d", "KeyD", "d")
    pressed = "document.getElementById('follow').getAttribute('aria-pressed')"
    browser.key("t", "KeyT", "t")
    browser.wait("document.getElementById('events').textContent.includes('target')")
    browser.key("f", "KeyF", "f")
    browser.wait(f"{pressed} === 'false'")
    follows = browser.evaluate(pressed)
    reached = []
    for _ in range(25):
        browser.key("Tab", "Tab")
        reached.append(browser.evaluate("document.activeElement.id || document.activeElement.className"))
    return {"before": before, "after": after, "themes": [first, browser.evaluate(theme)], "follows": follows,
            "reached": reached}


def rules(browser, folder):
    """The rules of axe that the page breaks, by size and colours."""
    import axe_core_python
    source = (pathlib.Path(axe_core_python.__file__).parent / "axe.min.js").read_text()
    found = {}
    checked = 0
    for name in ("phone", "desktop"):
        for is_dark in (False, True):
            width, height = SIZES[name]
            browser.size(width, height, is_mobile=width < 500)
            browser.dark(is_dark)
            settle(browser, is_dark)
            browser.evaluate(source + "; 0")
            result = browser.evaluate("axe.run(document, {resultTypes: ['violations', 'passes']})")
            checked += len(result["passes"])
            found[f"{name}-{'dark' if is_dark else 'light'}"] = [
                f"{rule['id']}: {node['target']} {node['failureSummary']}"
                for rule in result["violations"] for node in rule["nodes"]]
    return {"violations": found, "passed": checked}


def speed(browser, folder):
    """Milliseconds of script and layout per drawn frame, from Chromium's trace."""
    browser.size(1440, 900)
    time.sleep(2)
    # A busy machine draws fewer frames in the same time.
    events, until = [], time.monotonic() + LONGEST
    while sum(event["name"] == "FireAnimationFrame" for event in events) < 60 and time.monotonic() < until:
        events += browser.trace(4, ["devtools.timeline"])
    # The thread of the page: the one that runs the frames' scripts.
    frames = [event for event in events if event["name"] == "FireAnimationFrame" and event.get("dur") is not None]
    thread = max({event["tid"] for event in frames}, key=lambda tid: sum(e["tid"] == tid for e in frames))
    names = {"FireAnimationFrame", "Layout", "UpdateLayoutTree", "RecalculateStyles", "EventDispatch", "TimerFire",
             "WebSocketReceive", "FunctionCall", "PrePaint"}
    # Time of the processor: a busy machine interrupts the page. One event inside another counts once.
    total, end = 0, 0
    for event in sorted((e for e in events if e["name"] in names and e["tid"] == thread and "dur" in e),
                        key=lambda event: event["ts"]):
        if event["ts"] >= end:
            total += event.get("tdur", event["dur"])
            end = event["ts"] + event["dur"]
    drawn = [event.get("tdur", event["dur"]) / 1000 for event in frames if event["tid"] == thread]
    drawn = [duration for duration in drawn if duration > 0.3]
    drawn.sort()
    return {"frames": len(drawn), "mean": total / 1000 / max(len(drawn), 1), "median": drawn[len(drawn) // 2],
            "longest": drawn[int(len(drawn) * 0.99)]}


def record(browser, folder):
    """Starts and stops a recording with the page, and plays it."""
    browser.wait("!document.getElementById('record').disabled")
    begin = time.monotonic()
    browser.evaluate("document.getElementById('record').click()")
    browser.wait("!document.getElementById('recording-pill').hidden")
    time.sleep(4)
    browser.evaluate("document.getElementById('record').click()")
    browser.wait("document.getElementById('recording-pill').hidden")
    most = time.monotonic() - begin
    browser.wait("document.querySelectorAll('#files button').length > 0")
    browser.evaluate("document.querySelector('#files button').click()")
    browser.wait("document.getElementById('player-time').textContent !== '0:00'")
    length, during = text(browser, "player-length"), text(browser, "r-speed")
    picture(browser, folder, "playback")
    browser.evaluate("document.getElementById('play').click()")
    seek = "document.getElementById('seek')"
    browser.evaluate(f"{seek}.value = 2; {seek}.dispatchEvent(new Event('input'))")
    browser.wait("document.getElementById('player-time').textContent === '0:02'")
    paused = text(browser, "player-time")
    time.sleep(0.6)
    again = text(browser, "player-time")
    spoken = browser.evaluate(f"{seek}.getAttribute('aria-valuetext')")
    browser.evaluate("document.getElementById('player-close').click()")
    browser.wait(LIVE)
    return {"length": length, "most": most, "speed": during, "paused": [paused, again], "spoken": spoken}


def lost(browser, folder):
    """What the page says while the daemon does not run: the test stops it before."""
    browser.wait("document.getElementById('connection-text').textContent === 'no connection to posed'")
    return {"banner": text(browser, "banner"), "connection": text(browser, "connection-text")}


def hang(browser, folder, server):
    """What the page says while the process of the server is halted, which closes no connection."""
    shown = "document.getElementById('connection-text').textContent"
    banner = "document.getElementById('banner').textContent"
    os.kill(server, signal.SIGSTOP)
    try:
        browser.wait(f"{shown}.startsWith('no frame for ')")
        silent = browser.evaluate("document.getElementById('connection').dataset.state")
        browser.wait(f"{banner}.includes('no answer for 10 s')")
        lost = text(browser, "connection-text")
    finally:
        os.kill(server, signal.SIGCONT)
    browser.wait(LIVE)
    return {"silent": silent, "lost": lost}


def date_line(browser, folder):
    """What the parts of the page make of places on both sides of longitude 180."""
    return browser.evaluate("""(async () => {
        const [geometry, layers, ahead, motion, map] = await Promise.all(
            ["geometry", "map-layers", "way-ahead", "motion", "map"].map((name) => import(`/js/${name}.js`)));
        const way = [[0, 179.25, 0], [0, -179.75, 100]];
        const pose = (lon) => ({lat_deg: 0, lon_deg: lon, heading_deg: 0, roll_deg: 0, pitch_deg: 0, reset_count: 0});
        const steps = [];
        const context = {
            beginPath() {}, moveTo: (x) => steps.push(`move ${x}`), lineTo: (x) => steps.push(`line ${x}`)};
        const view = (x) => ({center: {x, y: 0.5}, screen: (point) => ({x: Math.round(point.x * 720), y: 0})});
        layers.line(context, view(0.999), [[0, 179.5], [0, -179.5]]);
        layers.line(context, view(0.5), [[0, 179.5], [0, -179.5]]);
        const shown = new map.MapView(document.createElement("canvas"));
        shown.fit([{lat: 0, lon: 179}, {lat: 0, lon: -179.5}]);
        const few = shown.zoom;
        shown.fit(Array.from({length: 300000}, (_, index) => ({lat: 0, lon: index % 2 ? -179.5 : 179})));
        return {
            ahead: ahead.wayAhead(way, 0, 100, 50).map((point) => point.lon),
            between: motion.between(pose(179.25), pose(-179.75), 0.25).lon_deg,
            unknown: motion.between(pose(179.25), pose(null), 0.25).lon_deg,
            split: layers.split(way, 25)[1][0][1], picked: geometry.positionOf({x: 1.0625, y: 0.5}).lon,
            steps, few, many: shown.zoom,
        };
    })()""")


def clock(browser, folder):
    """Which clock of the server the page uses: that of a connection, and then, of a connection to another start of the
    machine, that before its first answer and that after it, which is slower."""
    return browser.evaluate("""(async () => {
        const {Connection} = await import("/js/connection.js");
        const RealSocket = window.WebSocket;
        const sockets = [];
        let [offset, wait] = [36000, 0];
        window.WebSocket = class extends EventTarget {
            static OPEN = 1;
            readyState = 1;
            constructor() { super(); sockets.push(this); }
            close() {}
            send(text) {
                const answer = {type: "time", id: JSON.parse(text).id, t_s: performance.now() / 1000 + offset};
                const tell = () => this.dispatchEvent(new MessageEvent("message", {data: JSON.stringify(answer)}));
                if (wait) setTimeout(tell, wait); else tell();
            }
        };
        try {
            const connection = new Connection();
            connection.open();
            sockets.at(-1).dispatchEvent(new Event("open"));
            const first = connection.clockOffset;
            connection.close();
            [offset, wait] = [30, 20];
            connection.open();
            sockets.at(-1).dispatchEvent(new Event("open"));
            const between = connection.clockOffset;
            await new Promise((done) => setTimeout(done, 100));
            const second = connection.clockOffset;
            connection.close();
            return {first, between, second};
        } finally {
            window.WebSocket = RealSocket;
        }
    })()""")


def gone(browser, folder):
    """How often the page asks for the frames of a recording that is gone while it is drawn, and what it says."""
    return browser.evaluate("""(async () => {
        const {Player} = await import("/js/player.js");
        const realFetch = window.fetch;
        const [problems, summary] = [[], {state: "ready", seconds: 60, way: [], events: [], routes: [], notes: []}];
        let asked = 0;
        window.fetch = async (address) => {
            if (address === "/recordings/a.mcap") return new Response(JSON.stringify(summary));
            if (!address.startsWith("/recordings/a.mcap/frames?")) return realFetch(address);
            asked += 1;
            return new Response("/folder: has no recording 'a.mcap'", {status: 404});
        };
        try {
            const player = new Player();
            player.addEventListener("problem", ({data}) => problems.push(data));
            await player.open("a.mcap");
            for (let count = 0; count < 20; count += 1) {
                player.advance(performance.now());
                await new Promise((done) => setTimeout(done, 10));
            }
            player.close();
            return {asked, said: problems};
        } finally {
            window.fetch = realFetch;
        }
    })()""")


def gap(browser, folder):
    """Where the playing of a recording ends that has a frame at its start and one after 100 s, and which it shows."""
    return browser.evaluate("""(async () => {
        const {Player} = await import("/js/player.js");
        const realFetch = window.fetch;
        const summary = {state: "ready", seconds: 100, way: [], events: [], routes: [], notes: []};
        const line = (seconds) => JSON.stringify({type: "frame", t_s: 5 + seconds});
        window.fetch = async (address) => {
            if (address === "/recordings/a.mcap") return new Response(JSON.stringify(summary));
            const from = /^.recordings.a.mcap.frames.from=([0-9]+)&/.exec(address)?.[1];
            if (from === undefined) return realFetch(address);
            return new Response({0: line(0), 100: line(100)}[from] ?? "");
        };
        const rate = document.getElementById("rate");
        const choose = (value) => { rate.value = value; rate.dispatchEvent(new Event("change")); };
        try {
            const player = new Player();
            choose("30");
            await player.open("a.mcap");
            const shown = new Set();
            for (let count = 0; count < 500 && player.time < 100; count += 1) {
                shown.add(player.advance(performance.now() + 1000 * count)?.t_s ?? null);
                await new Promise((done) => setTimeout(done, 0));
            }
            const end = player.time;
            player.close();
            shown.delete(null);
            return {end, shown: [...shown]};
        } finally {
            choose("1");
            window.fetch = realFetch;
        }
    })()""")


def other(browser, folder):
    """Whether a recording that was opened while another one is being read stays open when that one fails."""
    return browser.evaluate("""(async () => {
        const {Player} = await import("/js/player.js");
        const realFetch = window.fetch;
        const problems = [];
        const ready = {state: "ready", seconds: 60, way: [], events: [], routes: [], notes: []};
        const answers = {"/recordings/a.mcap": [{state: "reading", part: 0.5}], "/recordings/b.mcap": [ready]};
        let failed = () => {};
        const failure = new Promise((done) => { failed = done; });
        window.fetch = async (address) => {
            if (!(address in answers)) return realFetch(address);
            const answer = answers[address].shift();
            if (answer) return new Response(JSON.stringify(answer));
            setTimeout(failed, 50);
            return new Response("it cannot be read", {status: 404});
        };
        try {
            const player = new Player();
            player.addEventListener("problem", ({data}) => problems.push(data));
            const first = player.open("a.mcap");
            const name = document.getElementById("player-name");
            while (!name.textContent.includes("50 %")) await new Promise((done) => setTimeout(done, 0));
            await player.open("b.mcap");
            await Promise.all([first, failure]);
            const isOpen = player.isOpen;
            player.close();
            return {isOpen, said: problems};
        } finally {
            window.fetch = realFetch;
        }
    })()""")


def tiles(browser, folder):
    """How many columns of tiles left and right of the middle are drawn on a large window at the smallest scale of a
    level."""
    return browser.evaluate("""(async () => {
        const {covering} = await import("/js/roads.js");
        const count = 2 ** 14;
        const found = covering(14, {x: 8000.5 / count, y: 8000.5 / count}, 6 / count);
        const columns = found.map(({x}) => x - 8000);
        return {first: Math.min(...columns), last: Math.max(...columns), nearest: found[0]};
    })()""")


def recorder(browser, folder):
    """What the card of the recorder shows in each state: whether the page says that it records, the button, the words;
    and the words after a request has failed, and after the recorder has changed since."""
    return browser.evaluate("""(async () => {
        const {Recorder} = await import("/js/recorder.js");
        const shown = (id) => document.getElementById(id);
        const refuses = {request: () => Promise.reject(new Error("the disk is full"))};
        const recorder = new Recorder(refuses);
        const found = {};
        const show = (name, state, file) => {
            const recording = {state, file, bytes: 2e6, seconds: 3, from_start: false, lost: 0, problem: null};
            recorder.show({recording}, {control: true});
            const words = [shown("record").textContent, shown("recorder-text").textContent];
            found[name] = [shown("recording-pill").hidden ? "" : "recording", ...words];
        };
        show("off", "off", null);
        show("waiting", "waiting", "/f/a.mcap");
        show("recording", "recording", "/f/a.mcap");
        shown("record").dispatchEvent(new Event("click"));
        await new Promise((done) => setTimeout(done, 0));
        show("refused", "recording", "/f/a.mcap");
        show("ended", "off", null);
        return found;
    })()""")


def main():
    chromium, address, check = sys.argv[1:4]
    folder = sys.argv[4] if len(sys.argv) > 4 else None
    browser = Browser(chromium)
    try:
        browser.size(*SIZES["desktop"])
        browser.dark(False)
        browser.open(address)
        if check != "lost":
            browser.wait(LIVE)
        name, _, server = check.partition(":")
        result = globals()[name](browser, folder, *([int(server)] if server else []))
        result["problems"] = browser.problems()
        print(json.dumps(result))
    finally:
        browser.close()


main()
