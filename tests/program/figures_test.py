"""--figures: every chart is XML, its marks lie where results.json says, and files of others stay."""
import glob
import json
import xml.etree.ElementTree as xml

import numpy as np

from harness import ProgramTest, main

SVG = "{http://www.w3.org/2000/svg}"


def number(text):
    return float(text.replace("−", "-"))


class Figures(ProgramTest):
    def make(self):
        done = self.run_program("--layer", "block <4>", "--figures", "figures", "-o", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("figures: figures\n", done.stdout)
        with open(self.path("out/results.json")) as file:
            return json.load(file)["results"][0]

    def test_marks_lie_where_the_numbers_are(self):
        result = self.make()
        effects, = glob.glob(self.path("figures/effects-*.svg"))
        root = xml.parse(effects).getroot()
        texts = root.findall(SVG + "text")
        ticks = [(float(t.get("x")), number(t.text)) for t in texts if t.get("font-size") == "11"]
        slope, start = np.polyfit(*zip(*ticks), 1)  # pixels to values, from what a reader reads
        dot, = root.findall(SVG + "circle")
        self.assertAlmostEqual(slope * float(dot.get("cx")) + start, result["effect"]["d"], delta=0.01)
        line, = (one for one in root.findall(SVG + "line") if one.get("stroke-width") == "2")
        for key, x in (("d_low", "x1"), ("d_high", "x2")):
            self.assertAlmostEqual(slope * float(line.get(x)) + start, result["effect"][key], delta=0.01)

    def test_bars_count_every_input(self):
        self.make()
        sensitivity, = glob.glob(self.path("figures/sensitivity-*.svg"))
        root = xml.parse(sensitivity).getroot()
        counts = [(float(t.get("y")) - 4, number(t.text)) for t in root.findall(SVG + "text")
                  if t.get("text-anchor") == "end" and float(t.get("x")) < 100]
        slope, _ = np.polyfit(*zip(*counts), 1)
        bars = [one for one in root.findall(SVG + "rect") if one.get("height") != "100%"]
        self.assertAlmostEqual(sum(-slope * float(bar.get("height")) for bar in bars), 8, delta=0.05)

    def test_nothing_to_see_is_drawn_too(self):
        done = self.run_program("--figures", "figures", gradients=self.save("zero", np.zeros((1, 6))))
        self.assertEqual(done.returncode, 0, done.stderr)
        for file in glob.glob(self.path("figures/*.svg")):
            xml.parse(file)
            with open(file) as text:
                self.assertNotRegex(text.read(), r"nan|inf\b")

    def test_files_of_others_stay_and_ours_are_replaced(self):
        self.make()
        self.make()
        self.write("figures/mine.svg", b"<svg/>")
        done = self.run_program("--figures", "figures")
        self.assertEqual(done.returncode, 3)
        self.assertIn("mine.svg: exists and was not written by atcav", done.stderr)
        done = self.run_program("--figures", "concept.npy")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    main()
