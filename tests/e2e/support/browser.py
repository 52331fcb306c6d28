# SPDX-License-Identifier: BSD-3-Clause
"""A page in headless Chromium, asked over its DevTools protocol: JSON through a pair of pipes."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

from support import harness

PROGRAM = "chromium"
TIMEOUT = 60  # seconds, for one answer

# As root there is no sandbox to be had, and nothing of the browser's own is to use the network.
ARGUMENTS = ["--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--disable-default-apps", "--disable-extensions", "--disable-sync", "--hide-scrollbars",
             "--force-color-profile=srgb"]


def require():
    """Chromium, or the end of the program as a skipped test; where CI runs it has to be there."""
    if shutil.which(PROGRAM) is not None:
        return
    if os.environ.get("CI"):
        raise AssertionError(f"{PROGRAM} is not installed: scripts/setup does it")
    harness.skip(f"{PROGRAM} is not installed")


def high(descriptor):
    """The same, out of the way of 3 and 4, on which Chromium reads and writes."""
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD, 10)


class Browser:
    """One tab. Events are kept, in order."""

    def __init__(self):
        self.home = tempfile.TemporaryDirectory(prefix="ddp-browser-")
        child_in, self.to = map(high, os.pipe())
        self.come_from, child_out = map(high, os.pipe())

        def pipes():
            os.dup2(child_in, 3)
            os.dup2(child_out, 4)

        self.log = open(os.path.join(self.home.name, "log"), "w+", encoding="utf-8", errors="replace")
        self.process = subprocess.Popen(
            [PROGRAM, *ARGUMENTS, f"--user-data-dir={self.home.name}/profile", "about:blank"],
            env=os.environ | {"HOME": self.home.name}, preexec_fn=pipes, close_fds=False,
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        os.close(child_in)
        os.close(child_out)
        self.buffer = b""
        self.n_sent = 0
        self.events = []
        self.session = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def close(self):
        try:
            self.session = None
            self.ask("Browser.close")
            self.process.wait(TIMEOUT)
        finally:
            self.process.kill()
            self.process.wait()
            os.close(self.to)
            os.close(self.come_from)
            self.log.close()
            self.home.cleanup()

    def message(self):
        deadline = time.monotonic() + TIMEOUT
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.come_from], [], [], max(0, deadline - time.monotonic()))
            data = os.read(self.come_from, 1 << 20) if ready else b""
            if not data:
                self.log.seek(0)
                raise AssertionError(f"{PROGRAM} says nothing: {self.log.read()[-2000:]}")
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def ask(self, method, **params):
        """The result of a method of the protocol."""
        self.n_sent += 1
        request = {"id": self.n_sent, "method": method, "params": params}
        if self.session is not None:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        while (message := self.message()).get("id") != self.n_sent:
            self.events.append(message)
        if "error" in message:
            raise AssertionError(f"{method}: {message['error']}")
        return message["result"]

    def look(self, width, scheme="light", media="screen"):
        """How pages are shown from now on."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
                 mobile=False)
        self.ask("Emulation.setEmulatedMedia", media=media,
                 features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, path):
        """Show a file. What was said of the one before is forgotten."""
        self.events.clear()
        self.ask("Page.navigate", url=path.resolve().as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())

    def value(self, script):
        """What an expression of JavaScript is in the page."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def of(self, *methods):
        """The events of these names so far."""
        self.value("0")  # those before it have come
        return [event["params"] for event in self.events if event.get("method") in methods]

    def screenshot(self, path):
        shot = self.ask("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))

    def pdf(self):
        printed = self.ask("Page.printToPDF", preferCSSPageSize=True, printBackground=False,
                           paperWidth=8.27, paperHeight=11.69)
        return base64.b64decode(printed["data"])
