"""report.html in a real browser: the slider gives the scores of results.json, tables sort, nothing leaves the page,
it fits a phone and a desk, light and dark, and says what it must without a script.

report_test.py --program atcav --example example_report --work FOLDER [--screenshots]
Exit status 77: there is no Chromium here, skipped.
"""
import argparse
import json
import math
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time
import unittest

from browser import SKIPPED
from choice_cases import Choice
from page_case import CHOSEN, PageCase

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "docs"))
from arrays import write_arrays  # noqa: E402

ROWS = ("return [...document.querySelectorAll('#scores tbody tr')].map(row => [Number(row.dataset.i),"
        " Number(row.querySelector('.score').dataset.v), row.querySelector('.value').textContent]);")


def luminance(colour: str) -> float:
    channels = [float(x) / 255 for x in re.findall(r"[\d.]+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    low, high = sorted([luminance(a), luminance(b)])
    return (high + 0.05) / (low + 0.05)


class Report(PageCase):
    def check_scores(self, expected):
        rows = self.browser.run(ROWS)
        self.assertEqual(len(rows), len(self.results))
        for i, score, shown in rows:
            self.assertAlmostEqual(score, expected(self.results[i]), delta=1e-5)  # five digits
            self.assertAlmostEqual(float(shown), expected(self.results[i]), delta=0.51e-3)

    def test_slider_gives_the_scores_of_the_profile(self):
        move = ("const s = document.getElementById('alpha-slider'); s.value = arguments[0];"
                "s.dispatchEvent(new Event('input', {bubbles: true}));")
        for stop in range(31):
            self.browser.run(move, stop)
            self.check_scores(lambda result: result["profile"]["score"][stop])

    def test_other_negatives_are_a_line_to_where_the_interval_holds_zero(self):
        shown = [r for r in self.results if r.get("negatives", {}).get("line", {}).get("chi2")]
        self.assertTrue(shown)
        self.assertFalse(self.browser.run("return document.getElementById('negatives').hidden"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('#negatives tbody tr').length"), 13)
        self.assertIn("Other negatives", self.browser.run("return document.querySelector('.facts').textContent"))

    def test_slider_obeys_the_keyboard(self):
        self.browser.run("document.getElementById('alpha-slider').focus()")
        before = int(self.browser.run("return document.getElementById('alpha-slider').value"))
        self.browser.press("ArrowRight")
        self.check_scores(lambda result: result["profile"]["score"][before + 1])
        self.assertRegex(self.browser.run("return document.getElementById('alpha-slider').ariaValueText"), r"^\d")

    def test_buttons_give_the_scores_of_the_results(self):
        self.check_scores(lambda result: result["alpha_tcav"]["dagger"])  # the headline, before any click
        press = "document.querySelector(`[data-choice='${arguments[0]}']`).click()"
        for key in ["1", "3", "star", "dagger"]:
            self.browser.run(press, key)
            self.check_scores(lambda result: result["alpha_tcav"][key])
        self.browser.run(press, "tcav")
        self.check_scores(lambda result: result["tcav"])

    def test_columns_sort_by_click_and_by_key(self):
        click = "document.querySelector(`th[data-key='${arguments[0]}'] button`).click()"
        state = ("const head = [...document.querySelectorAll('#scores thead th')];"
                 "const at = head.findIndex(h => h.dataset.key === arguments[0]);"
                 "return [head.filter(h => h.ariaSort).length, head[at].ariaSort,"
                 " [...document.querySelectorAll('#scores tbody tr')].map(r => r.children[at].dataset.v"
                 " === undefined ? r.children[at].textContent : Number(r.children[at].dataset.v))]")
        for key in ["effect", "logits", "p", "score", "posterior", "tcav", "accuracy", "warnings"]:
            self.browser.run(click, key)
            sorted_columns, direction, values = self.browser.run(state, key)
            self.assertEqual((sorted_columns, direction), (1, "descending"))
            self.assertEqual(values, sorted(values, reverse=True))
            self.browser.run(click, key)
            self.assertEqual(self.browser.run(state, key)[2], sorted(values))
        self.browser.run("document.querySelector(\"th[data-key='layer'] button\").focus()")
        self.browser.press("Enter", "\r")
        self.assertEqual(self.browser.run(state, "layer")[1:], ["ascending", ["layer1"] * 8 + ["layer2"] * 8 + ["layer3"] * 8])

    def check_fits(self, name, widths):
        for width in widths:
            self.browser.resize(width, 900, mobile=width < 768)
            for scheme in ["light", "dark"]:
                self.browser.scheme(scheme)
                # Charts take their new size when the browser has time for it.
                for _ in range(50):
                    found = self.browser.run("return document.documentElement.scrollWidth")
                    if found <= width:
                        break
                    time.sleep(0.1)
                self.assertLessEqual(found, width)
                if self.screenshots:
                    self.browser.screenshot(self.work / f"{name}-{width}-{scheme}.png")

    def test_fits_narrow_and_wide_screens(self):
        self.check_fits("report", [320, 360, 390, 768, 1440])

    def test_colours_have_contrast_in_both_schemes(self):
        colours = ("const probe = document.body.appendChild(document.createElement('i'));"
                   "return arguments[0].map(name => { probe.style.color = `var(--${name})`;"
                   " return getComputedStyle(probe).color; })")
        names = ["paper", "wash", "ink", "muted", "for", "against"]
        for scheme in ["light", "dark"]:
            self.browser.scheme(scheme)
            paper, wash, *texts = self.browser.run(colours, names)
            self.assertEqual(luminance(paper) < 0.2, scheme == "dark")
            for text in texts:
                self.assertGreaterEqual(contrast(text, paper), 4.5)
                self.assertGreaterEqual(contrast(text, wash), 4.5)

    def test_charts_are_drawn_and_described(self):
        drawn = self.browser.run(
            "return [...document.querySelectorAll('figure canvas')].map(c => [c.closest('figure').id, c.getAttribute('aria-label'),"
            " c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(x => x > 0),"
            " c.closest('figure').querySelectorAll('details tbody tr').length])")
        self.assertEqual([d[0] for d in drawn], ["profile", "sensitivities", "held-out", "negatives", "layer-effects",
                                                   "layer-accuracy"])
        for _, label, painted, rows in drawn:
            self.assertGreater(len(label), 20)
            self.assertTrue(painted)
            self.assertGreater(rows, 3)

    # As in a build without Chart.js: the page with an empty script in its place.
    def test_without_the_library_tables_stand_for_charts(self):
        page = (self.work / "example/report.html").read_text(encoding="utf-8")
        bare = re.sub(r"<script>/\*!.*?</script>", "<script></script>", page, flags=re.DOTALL)
        self.assertLess(len(bare), len(page) - 100_000)
        (self.work / "bare").mkdir(exist_ok=True)
        (self.work / "bare/report.html").write_text(bare, encoding="utf-8")
        self.browser.open(self.work / "bare/report.html")
        self.assertEqual(self.browser.run(
            "return [document.querySelectorAll('figure canvas').length, document.querySelectorAll('figure details[open] td').length > 100]"),
            [0, True])
        self.check_scores(lambda result: result["alpha_tcav"]["dagger"])

    def test_everything_has_a_name_for_screen_readers(self):
        self.assertEqual(self.browser.run(
            "return [...document.querySelectorAll('img:not([alt]), table:not(:has(caption)), canvas:not([aria-label]),"
            " button:empty, [role=region]:not([aria-label])')].map(e => e.outerHTML)"), [])
        self.assertEqual(self.browser.run(
            "return [...document.querySelectorAll('input, select')].filter(e => !e.labels.length).length"), 0)
        ids = self.browser.run("return [...document.querySelectorAll('[id]')].map(e => e.id)")
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual(self.browser.run("return document.querySelectorAll('h1').length"), 1)

    def test_hostile_names_stay_text(self):
        name = self.results[3]["concept"]
        self.assertIn("</script>", name)
        self.assertEqual(self.browser.run("return document.querySelectorAll('#scores tbody th a')[3].textContent"), name)
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('b')].filter(b => b.textContent === 'noise').length"), 0)

    def test_a_row_opens_the_closer_look(self):
        self.browser.run("document.querySelector('#scores tr[data-i=\"20\"] a').click()")
        self.assertEqual(self.browser.run(CHOSEN),
                         [self.results[20][key] for key in ["concept", "class", "layer"]])
        values = self.browser.run("return [...document.querySelectorAll('#inputs b')].map(b => b.textContent.replace('−', '-'))")
        normalised = sorted((s / self.results[20]["gamma"] for s in self.results[20]["sensitivities"]), reverse=True)
        for shown, value in zip(values, normalised[:6] + normalised[:-7:-1], strict=True):
            self.assertAlmostEqual(float(shown), value, delta=0.005001)
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('#inputs img')].filter(i => i.complete && i.naturalWidth).length"), 12)

    # The example's maps have one cell that is not 0 (example_report.cpp): number input % 16 for the sensitivity, the
    # next one for the concept. Blue for what is positive, orange for what is not.
    def test_maps_lie_over_the_inputs_and_can_be_switched(self):
        self.browser.run("document.querySelector('#scores tr[data-i=\"20\"] a').click()")
        cells = ("return [...document.querySelectorAll('#inputs canvas')].map(c => { const pixels = c.getContext('2d')"
                 ".getImageData(0, 0, 4, 4).data; const at = [...Array(16).keys()].filter(i => pixels[4 * i + 3] > 0);"
                 " return [at, pixels[4 * at[0]] < pixels[4 * at[0] + 2]]; })")
        sensitivities = self.results[20]["sensitivities"]
        order = sorted(range(len(sensitivities)), key=lambda i: -sensitivities[i])
        shown = order[:6] + order[:-7:-1]
        self.assertEqual(self.browser.run(cells), [[[i % 16], sensitivities[i] > 0] for i in shown])
        self.assertIn("add up to the number", self.browser.run("return document.getElementById('map-note').innerText"))
        press = "document.querySelector(`[data-map='${arguments[0]}']`).click()"
        self.browser.run(press, "concept")
        self.assertEqual(self.browser.run(cells), [[[(i + 1) % 16], False] for i in shown])
        self.assertEqual(self.browser.run("return document.activeElement.dataset.map"), "concept")
        self.browser.run(press, "off")
        self.assertEqual(self.browser.run(cells), [])

    def test_words_are_coloured_where_inputs_are_texts(self):
        self.browser.open(self.work / "example/texts/report.html")
        spans = ("const list = document.querySelector('#inputs .tokens'); return [list.innerText.trim(),"
                 " [...list.children].map(s => getComputedStyle(s).backgroundColor)]")
        text, colours = self.browser.run(spans)
        self.assertEqual(text.split()[:2], ["<b>one</b>", "two"])
        self.assertEqual(len(colours), 16)
        self.assertEqual(len([c for c in colours if not c.endswith(", 0)")]), 1)

    def test_without_a_script_the_words_and_numbers_remain(self):
        self.browser.devtools("Emulation.setScriptExecutionDisabled", value=True)
        self.browser.open(self.work / "example/report.html")
        text = self.browser.devtools("Runtime.evaluate", expression="document.body.innerText")
        self.browser.devtools("Emulation.setScriptExecutionDisabled", value=False)
        shown = text["result"]["value"]
        self.assertIn("striped: the model uses it for zebra at layer3: +", shown)
        self.assertNotIn("A closer look", shown)

    def open_given(self):
        self.browser.open(self.work / "example/given/report.html")
        self.results = json.loads((self.work / "example/given/results.json").read_text(encoding="utf-8"))["results"]

    def test_given_directions_have_the_same_slider_and_choices(self):
        self.open_given()
        self.assertNotIn("accuracy", self.results[0])
        self.check_scores(lambda result: result["alpha_tcav"]["1"])
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('[data-choice]')].map(b => b.dataset.choice)"),
                         ["1", "3", "tcav"])
        self.browser.run("document.querySelector(\"[data-choice='tcav']\").click()")
        self.check_scores(lambda result: result["tcav"])
        self.browser.run("const s = document.getElementById('alpha-slider'); s.value = 7; s.dispatchEvent(new Event('input'))")
        self.check_scores(lambda result: result["profile"]["score"][7])
        # The interval at this stop, from the inputs: mean ± 1.96 sd/√m of the sigmoids.
        result = self.results[0]
        alpha = result["profile"]["alpha"][7]
        terms = [1 / (1 + math.exp(-alpha * s / result["gamma"])) for s in result["sensitivities"]]
        error = 1.959964 * statistics.stdev(terms) / math.sqrt(len(terms))
        shown = self.browser.run("return document.querySelector('#scores tr[data-i=\"0\"] .range').textContent")
        for text, bound in zip(shown.split("–"), [-error, error], strict=True):
            self.assertAlmostEqual(float(text), statistics.mean(terms) + bound, delta=0.00501)

    def test_given_directions_show_what_is_known_of_them(self):
        self.open_given()
        heads = self.browser.run("return [...document.querySelectorAll('#scores thead th')].map(h => h.dataset.key)")
        self.assertEqual(heads, ["concept", "class", "layer", "effect", "p", "score", "tcav", "inputs", "warnings"])
        drawn = self.browser.run("return [...document.querySelectorAll('figure canvas')].map(c => c.closest('figure').id)")
        self.assertEqual(drawn, ["profile", "sensitivities", "layer-effects"])
        text = self.browser.run("return document.body.innerText")
        for words in ["striped: along it the logit of zebra rises at layer3: +", "over inputs like these.", "having drawn these inputs"]:
            self.assertIn(words, text)
        for words in ["Test of use", "Accuracy", "Encoded", "Posterior", "undefined", "NaN"]:
            self.assertNotIn(words, text)
        self.browser.run("document.querySelector('#scores tr[data-i=\"9\"] a').click()")
        normalised = sorted((s / self.results[9]["gamma"] for s in self.results[9]["sensitivities"]), reverse=True)
        values = self.browser.run("return [...document.querySelectorAll('#inputs b')].map(b => b.textContent.replace('−', '-'))")
        for shown, value in zip(values, normalised[:6] + normalised[:-7:-1], strict=True):
            self.assertAlmostEqual(float(shown), value, delta=0.005001)
        self.check_fits("given", [320, 1440])

    def test_program_writes_the_report(self):
        self.browser.open(self.work / "score/out/report.html")
        self.results = json.loads((self.work / "score/out/results.json").read_text(encoding="utf-8"))["results"]
        self.check_scores(lambda result: result["alpha_tcav"]["dagger"])
        self.assertTrue(self.browser.run("return document.getElementById('by-layer').hidden"))


def main() -> int:
    parser = argparse.ArgumentParser()
    for name in ["program", "example", "work"]:
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    parser.add_argument("--screenshots", action="store_true")
    options = parser.parse_args()
    if SKIPPED:
        print(SKIPPED)
        return 77
    shutil.rmtree(options.work, ignore_errors=True)
    for folder in ["example", "score"]:
        (options.work / folder).mkdir(parents=True)
    subprocess.run([options.example, options.work / "example"], check=True)
    write_arrays(options.work / "score")
    arguments = ["--concept", "striped=striped.npy", "--concept", "dotted=dotted.npy", "--random", "random.npy"]
    printed = subprocess.run([options.program, "score", *arguments, "--gradients", "zebra=zebra.npy", "-o", "out"],
                             cwd=options.work / "score", check=True, stdout=subprocess.PIPE, text=True).stdout
    if printed.splitlines()[-1] != "report: out/report.html":
        print(f"the last line does not name the report: {printed}")
        return 1
    PageCase.work = options.work
    PageCase.screenshots = options.screenshots
    cases = [unittest.defaultTestLoader.loadTestsFromTestCase(case) for case in (Report, Choice)]
    found = unittest.TextTestRunner(verbosity=2).run(unittest.TestSuite(cases))
    return 0 if found.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
