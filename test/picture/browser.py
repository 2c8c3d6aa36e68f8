"""Headless Chromium by the DevTools protocol over a websocket, with the standard library only."""
import base64
import json
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import time


class WebSocket:
    """A client of one connection; text messages only."""

    def __init__(self, url):
        host, port, path = re.fullmatch(r"ws://([^:/]+):(\d+)(/.*)", url).groups()
        self.socket = socket.create_connection((host, int(port)), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\n"
                            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
                            .encode())
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.socket.recv(65536)
        self.buffer = self.buffer.split(b"\r\n\r\n", 1)[1]

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        length = (bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size) if size < 65536
                  else b"\xff" + struct.pack(">Q", size))
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(data))
        self.socket.sendall(b"\x81" + length + mask + masked)

    def read(self, count):
        while len(self.buffer) < count:
            received = self.socket.recv(1 << 20)
            if not received:
                raise ConnectionError("the browser closed the connection")
            self.buffer += received
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def receive(self):
        text = b""
        while True:
            first, second = self.read(2)
            size = second & 127
            if size > 125:
                size = struct.unpack(">H" if size == 126 else ">Q", self.read(2 if size == 126 else 8))[0]
            text += self.read(size)
            if first & 0x80:
                return text.decode()


class Browser:
    """A page in a browser of its own. `errors` are the messages of its console and uncaught exceptions."""

    def __init__(self, program, width=1400, height=900):
        self.profile = tempfile.mkdtemp(prefix="proa-browser-")
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
             f"--user-data-dir={self.profile}", f"--window-size={width},{height}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.errors, self.count = [], 0
        self.connection = WebSocket(self.address())
        target = next(target for target in self.call("Target.getTargets")["targetInfos"] if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def address(self):
        file = pathlib.Path(self.profile, "DevToolsActivePort")
        for _ in range(300):
            lines = file.read_text().splitlines() if file.exists() else []
            if len(lines) > 1:
                return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
            time.sleep(0.1)
        raise TimeoutError("the browser did not start")

    def call(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if hasattr(self, "session"):
            message["sessionId"] = self.session
        self.connection.send(json.dumps(message))
        while True:
            answer = json.loads(self.connection.receive())
            self.note(answer)
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def note(self, event):
        parameters = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            self.errors.append(parameters["exceptionDetails"].get("exception", {}).get("description", "exception"))
        elif event.get("method") == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
            self.errors.append(str(parameters["args"]))
        elif event.get("method") == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.errors.append(parameters["entry"]["text"])

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(expression + ": " + result["exceptionDetails"]["exception"]["description"])
        return result["result"].get("value")

    def open(self, path, fragment=""):
        """Opens a file and returns the seconds until it is drawn."""
        begin = time.monotonic()
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri() + fragment)
        for _ in range(600):
            if self.evaluate("document.documentElement?.dataset.openedIn || ''") or self.errors:
                break
            time.sleep(0.05)
        return time.monotonic() - begin

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def drag(self, begin, end):
        middle = [(a + b) / 2 for a, b in zip(begin, end)]
        moves = (("mousePressed", begin), ("mouseMoved", middle), ("mouseMoved", end), ("mouseReleased", end))
        for kind, (x, y) in moves:
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        self.process.kill()
        self.process.wait()
        self.connection.socket.close()
        shutil.rmtree(self.profile, ignore_errors=True)
