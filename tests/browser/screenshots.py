"""Pictures of a report, to be looked at: 1440, 768 and 360 pixels wide, dark, and printed on A4.

    tests/browser/screenshots.py REPORT.html FOLDER                     everything
    tests/browser/screenshots.py REPORT.html --documentation FOLDER     two parts: report.png (findings), maps.png

Those in docs/images are made of the demo: `build/atcav demo -o build/demo`, then this script with
`build/demo/report.html --documentation docs/images`. Needs chromium, chromium-driver, python3-selenium
and poppler-utils (Debian).
"""
import argparse
import base64
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from browser import SKIPPED, Browser

WIDTHS = [1440, 768, 360]
# By file: what it begins with, and what comes behind it.
PARTS = {"report.png": ("#findings", ".of-class:not(.other) .finding:nth-child(3)"),
         "maps.png": (".maps-switch", "#wrong-side")}


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
    parser.add_argument("--documentation", type=pathlib.Path)
    options = parser.parse_args()
    if SKIPPED:
        print(SKIPPED)
        return 77
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(pathlib.Path(profile))
        try:
            browser.resize(1100, 900)
            browser.open(options.report)
            settle(browser)
            if options.documentation:
                for name, (first, behind) in PARTS.items():
                    top, bottom = browser.run("return arguments[0].map(s => document.querySelector(s)"
                                              ".getBoundingClientRect().top + scrollY)", [first, behind])
                    browser.screenshot(options.documentation / name, top - 16, bottom - top - 8)
            if options.folder:
                all_pictures(browser, options.folder)
        finally:
            browser.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main())
