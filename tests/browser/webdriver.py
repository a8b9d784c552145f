"""A headless Chromium driven through chromedriver, with the standard library alone."""
import base64
import json
import pathlib
import re
import subprocess
import urllib.error
import urllib.request

# Nothing but the page: no background traffic, and no name resolves.
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND"]


class Browser:
    def __init__(self, chromium: str, chromedriver: str, profile: pathlib.Path):
        self.process = subprocess.Popen([chromedriver, "--port=0"], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            started = re.search(r"successfully on port (\d+)", line)
            if started:
                break
        else:
            raise RuntimeError("chromedriver did not start")
        self.address = f"http://127.0.0.1:{started[1]}/session"
        options = {"binary": chromium, "args": [*FLAGS, f"--user-data-dir={profile}"]}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options,
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        self.address += "/" + self.post("", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def post(self, path: str, body: dict):
        return self.send(urllib.request.Request(self.address + path, json.dumps(body).encode(),
                                                {"Content-Type": "application/json"}))

    @staticmethod
    def send(request: urllib.request.Request):
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def open(self, page: pathlib.Path, address: str = "") -> None:
        """The page; `address` is what follows it, from the # on."""
        self.post("/url", {"url": page.resolve().as_uri() + address})

    def run(self, script: str, *arguments):
        return self.post("/execute/sync", {"script": script, "args": list(arguments)})

    def log(self, kind: str) -> list[dict]:
        return self.post("/se/log", {"type": kind})

    def devtools(self, command: str, **parameters):
        return self.post("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def resize(self, width: int, height: int, mobile: bool = False) -> None:
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                      mobile=mobile)

    def medium(self, name: str) -> None:
        """"print", or "" for the screen."""
        self.devtools("Emulation.setEmulatedMedia", media=name)

    def scheme(self, name: str) -> None:
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def press(self, key: str, text: str = "") -> None:
        code = {"Enter": 13, "ArrowRight": 39, "ArrowLeft": 37, "ArrowDown": 40, "ArrowUp": 38, "Tab": 9}[key]
        common = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.devtools("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.devtools("Input.dispatchKeyEvent", type="keyUp", **common)

    def screenshot(self, path: pathlib.Path, top: float = 0, height: float | None = None) -> None:
        """The whole page, or `height` pixels from `top` on."""
        size = self.devtools("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": top, "width": size["width"], "height": height or size["height"], "scale": 1}
        image = self.devtools("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"]
        path.write_bytes(base64.b64decode(image))

    def quit(self) -> None:
        try:
            self.send(urllib.request.Request(self.address, method="DELETE"))
        finally:
            self.process.terminate()
            self.process.wait()
