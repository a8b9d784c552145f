"""Pictures of a report, to be looked at: 1440, 768 and 360 pixels wide, dark, and printed on A4.

    tests/browser/screenshots.py REPORT.html FOLDER            everything
    tests/browser/screenshots.py REPORT.html --picture FILE    the top of the page alone: docs/images/report.png

docs/images/report.png is made of the demo: `build/atcav demo -o build/demo`, then this script with
`build/demo/report.html --picture docs/images/report.png`. Needs chromium, chromium-driver and poppler-utils (Debian).
"""
import argparse
import base64
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from webdriver import Browser

WIDTHS = [1440, 768, 360]


def settle(browser: Browser) -> None:
    """Charts take their size when the browser has time for it."""
    time.sleep(0.7)


def print_pages(browser: Browser, folder: pathlib.Path) -> None:
    data = browser.devtools("Page.printToPDF", printBackground=True, paperWidth=8.27, paperHeight=11.69,
                            preferCSSPageSize=True)["data"]
    (folder / "a4.pdf").write_bytes(base64.b64decode(data))
    if shutil.which("pdftoppm"):
        subprocess.run(["pdftoppm", "-r", "60", "-png", folder / "a4.pdf", folder / "a4"], check=True)
    else:
        print(f"{folder}/a4.pdf was not turned into pictures: pdftoppm is not installed (Debian: poppler-utils)")


def all_pictures(browser: Browser, folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for width in WIDTHS:
        browser.resize(width, 900, mobile=width < 768)
        settle(browser)
        browser.screenshot(folder / f"{width}.png")
    browser.resize(1440, 900)
    browser.scheme("dark")
    settle(browser)
    browser.screenshot(folder / "dark.png")
    browser.scheme("light")
    settle(browser)
    print_pages(browser, folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("report", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    parser.add_argument("--picture", type=pathlib.Path)
    options = parser.parse_args()
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not driver:
        print("skipped: chromium and chromedriver are not installed (Debian: chromium, chromium-driver)")
        return 77
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(chromium, driver, pathlib.Path(profile))
        try:
            browser.resize(1100, 900)
            browser.open(options.report)
            settle(browser)
            if options.picture:
                browser.screenshot(options.picture, height=900)
            if options.folder:
                all_pictures(browser, options.folder)
        finally:
            browser.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main())
