"""A headless Chromium driven by Selenium."""
import base64
import pathlib
import shutil

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
except ImportError:
    webdriver = None

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
SKIPPED = "" if webdriver and CHROMIUM and DRIVER else \
    "skipped: no browser to drive (Debian: chromium, chromium-driver, python3-selenium)"
# Nothing but the page: no background traffic, and no name resolves.
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND"]


class Browser:
    def __init__(self, profile: pathlib.Path):
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        options.ignore_local_proxy_environment_variables()
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        for flag in [*FLAGS, f"--user-data-dir={profile}"]:
            options.add_argument(flag)
        self.driver = webdriver.Chrome(service=Service(DRIVER), options=options)
        self.run = self.driver.execute_script
        self.log = self.driver.get_log
        self.quit = self.driver.quit

    def open(self, page: pathlib.Path, address: str = "") -> None:
        """The page; `address` is what follows it, from the # on."""
        self.driver.get(page.resolve().as_uri() + address)

    def devtools(self, command: str, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

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
