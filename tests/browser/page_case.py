"""A page of the report in a browser: what the tests of it share."""
import json
import pathlib
import re
import unittest

from browser import Browser

CHOSEN = "return [...document.querySelectorAll('#selector select')].map(s => s.value)"


class PageCase(unittest.TestCase):
    work: pathlib.Path
    screenshots = False

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser(cls.work / "profile")
        cls.results = json.loads((cls.work / "example/results.json").read_text(encoding="utf-8"))["results"]

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()

    def setUp(self):
        self.browser.devtools("Emulation.setScriptExecutionDisabled", value=False)
        self.browser.resize(1440, 900)
        self.browser.scheme("light")
        self.browser.log("browser")
        self.browser.log("performance")
        self.browser.open(self.work / "example/report.html")

    # Every test ends here: whatever it did, the console is empty and only the page itself was asked for.
    def tearDown(self):
        self.assertEqual([entry["message"] for entry in self.browser.log("browser")], [])
        messages = [json.loads(entry["message"])["message"] for entry in self.browser.log("performance")]
        asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        self.assertGreater(len(asked), 0)
        self.assertEqual([url for url in asked if not re.match(r"file:///.*/report\.html|data:", url)], [])
