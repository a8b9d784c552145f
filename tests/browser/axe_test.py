"""axe-core, which checks pages for people who do not see or do not use a mouse, finds nothing in the report.

axe_test.py --example example_report --axe axe.min.js --work FOLDER
Exit status 77: there is no browser here, skipped.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys

from browser import SKIPPED, Browser

RUN = ("axe.run(document, {resultTypes: ['violations']}).then(found => found.violations.map(v => v.id + ': ' + v.help"
       " + ' ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + ' ' + n.failureSummary).join(' | ')))")


def main() -> int:
    parser = argparse.ArgumentParser()
    for name in ["example", "axe", "work"]:
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    options = parser.parse_args()
    if SKIPPED:
        print(SKIPPED)
        return 77
    axe = options.axe.read_text(encoding="utf-8")
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    subprocess.run([options.example, options.work], check=True)
    found = []
    browser = Browser(options.work / "profile")
    try:
        for page in ["report.html", "given/report.html", "texts/report.html"]:
            for width, scheme in [(1440, "light"), (1440, "dark"), (360, "light")]:
                browser.resize(width, 900, mobile=width < 768)
                browser.scheme(scheme)
                browser.open(options.work / page)
                browser.devtools("Runtime.evaluate", expression=axe)
                result = browser.devtools("Runtime.evaluate", expression=RUN, awaitPromise=True, returnByValue=True)
                violations = result["result"]["value"]
                print(f"{page}, {width} pixels, {scheme}: {len(violations)} violations")
                found += violations
    finally:
        browser.quit()
    print(*sorted(set(found)), sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
