"""A headless Chromium, driven over a pipe: Python's standard library is enough."""

import base64
import json
import os
import select
import signal
import subprocess
import tempfile
import time


class Problem(Exception):
    """The browser or the page did not do what was asked."""


# What is waited for comes within a second on an idle machine. This only keeps a broken page from blocking the tests.
LONGEST = 120


class Browser:
    """One browser with one page."""

    def __init__(self, chromium):
        self.folder = tempfile.TemporaryDirectory(prefix="posed-browser-", ignore_cleanup_errors=True)
        down_read, self.down = os.pipe()
        self.up, up_write = os.pipe()

        def pass_descriptors():
            # Chromium reads descriptor 3 and writes descriptor 4; both may be among the pipes' own numbers.
            read, write = os.dup(down_read), os.dup(up_write)
            os.dup2(read, 3)
            os.dup2(write, 4)

        # The program itself, not Debian's shell script: the script closes nothing, but may print.
        self.process = subprocess.Popen(
            [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--mute-audio",
             "--no-first-run", "--disable-extensions", "--disable-background-networking", "--hide-scrollbars",
             f"--user-data-dir={self.folder.name}/profile", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=pass_descriptors, close_fds=False, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(down_read)
        os.close(up_write)
        self.pending = b""
        self.number = 0
        self.events = []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self.session = None
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def close(self):
        """Ends the browser."""
        self.process.terminate()
        try:
            self.process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        try:
            # Its other processes still write to the profile.
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.close(self.down)
        os.close(self.up)
        self.folder.cleanup()

    def call(self, method, seconds=LONGEST, **parameters):
        """Sends a command and returns its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if getattr(self, "session", None):
            message["sessionId"] = self.session
        os.write(self.down, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            answer = self.receive(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Problem(f"{method}: {answer['error']}")
                return answer["result"]
        raise Problem(f"{method}: no answer within {seconds} s")

    def receive(self, until):
        """The next message, before that monotonic time; events are kept."""
        while b"\0" not in self.pending:
            if not select.select([self.up], [], [], max(until - time.monotonic(), 0))[0]:
                raise Problem("the browser says nothing")
            piece = os.read(self.up, 1 << 20)
            if not piece:
                raise Problem("the browser has ended")
            self.pending += piece
        line, self.pending = self.pending.split(b"\0", 1)
        message = json.loads(line)
        if "method" in message:
            self.events.append(message)
        return message

    def evaluate(self, expression):
        """The value of an expression of the page; a promise is waited for."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise Problem(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def wait(self, expression, seconds=LONGEST):
        """Waits until an expression of the page is true."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self.evaluate(expression):
                return
            time.sleep(0.05)
        raise Problem(f"not within {seconds} s: {expression}")

    def open(self, address):
        """Opens an address."""
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def size(self, width, height, scale=1, is_mobile=False):
        """Sets the size of the window."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                  mobile=is_mobile)

    def dark(self, is_dark):
        """Sets the colours that the system prefers."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def key(self, key, code=None, text=None):
        """Presses a key."""
        for kind in ("keyDown", "keyUp"):
            extra = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key, **extra)

    def screenshot(self, path, is_whole=False):
        """Stores a picture of the page."""
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=is_whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def trace(self, seconds, categories):
        """The events of Chromium's trace during some seconds."""
        session, self.session = self.session, None
        first = len(self.events)
        self.call("Tracing.start", transferMode="ReportEvents", traceConfig={"includedCategories": categories})
        time.sleep(seconds)
        self.call("Tracing.end")
        until = time.monotonic() + LONGEST
        while not any(event["method"] == "Tracing.tracingComplete" for event in self.events[first:]):
            self.receive(until)
        self.session = session
        return [entry for event in self.events[first:] if event["method"] == "Tracing.dataCollected"
                for entry in event["params"]["value"]]

    def problems(self):
        """What the browser complained about: errors of scripts, refused loads, violations of the policy."""
        found = []
        for event in self.events:
            parameters = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                found.append(details.get("exception", {}).get("description", details["text"]))
            elif "willReadFrequently" in str(parameters):
                continue  # the tests read the canvas, the page does not
            elif event["method"] == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append(parameters["entry"]["text"] + " " + parameters["entry"].get("url", ""))
        return found

    def requests(self):
        """The addresses that the page has asked for."""
        return [event["params"]["request"]["url"] for event in self.events
                if event["method"] == "Network.requestWillBeSent"]
