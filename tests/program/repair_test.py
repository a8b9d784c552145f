"""`atcav repair`: the file that it writes, what it says of it, and what it refuses."""
import json
import os
import stat
import subprocess

from harness import PROGRAM, without_progress
from onnx_bytes import floats, model, node
from run_harness import MODEL, RunTest, main, np


class Repair(RunTest):
    def repair(self, *options, model=MODEL, layer="block4", concepts=("striped=striped",), random="random", out="fixed.onnx"):
        command = [PROGRAM, "repair", model, "--layer", layer, "--random", random, "--preprocess", "none", "--scale",
                   "0.00392", *options]
        for concept in concepts:
            command += ["--concept", concept]
        if out:
            command += ["-o", out]
        done = subprocess.run(command, cwd=self.folder, text=True, capture_output=True)
        done.stderr = without_progress(done.stderr)
        return done

    def assert_fails(self, code, message, *options, **inputs):
        before = self.names(".")
        done = self.repair(*options, **inputs)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(message, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(self.names("."), before)

    def test_writes_a_network_without_the_concept(self):
        done = self.repair("--pooling", "mean", "--check", "zebra:0=zebra", "--report", "report", "--json", "again.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        results = json.loads(self.read("report/results.json"))
        self.assertEqual(self.read("again.json"), self.read("report/results.json"))
        self.assertEqual((results["command"], results["layer"], results["pool"]), ("repair", "block4", "mean"))
        group = results["groups"][0]
        self.assertEqual(group["inputs"], 8)
        self.assertEqual(group["top1_after"]["hits"] - group["top1_before"]["hits"], group["gained"] - group["lost"])
        self.assertLess(group["logit_change"]["high"], 0)  # the demo's network does use stripes
        self.assertIn("striped taken out of block4", done.stdout)
        self.assertIn(b"<svg", self.read("report/report.html"))

    def test_the_concept_is_not_found_in_it_any_more(self):
        self.assertEqual(self.repair("--pooling", "mean").returncode, 0)
        before, after = (json.loads(self.results("--pooling", "mean", model=name, layers=("block4",), out=out))
                         for name, out in ((MODEL, "before"), (self.path("fixed.onnx"), "after")))
        steps = [abs(next(one for one in found["results"] if one["concept"] == "striped")["effect"]["logits"])
                 for found in (before, after)]
        # Its mean is the random one's: what is left is float's rounding.
        self.assertLess(steps[1], 1e-4 * steps[0])

    def test_same_bytes_for_the_same_inputs_and_all_others_kept(self):
        for name in ("one.onnx", "two.onnx"):
            self.assertEqual(self.repair("--threads", "1" if name == "one.onnx" else "2", out=name).returncode, 0)
        self.assertEqual(self.read("one.onnx"), self.read("two.onnx"))
        with open(MODEL, "rb") as file:
            original = file.read()
        self.assertIn(original[-40:], self.read("one.onnx"))

    def test_several_concepts_and_every_cav(self):
        for cav in ("pattern", "fast", "ridge", "logistic", "svm"):
            done = self.repair("--cav", cav, "--pooling", "mean", concepts=("striped=striped", "dotted=dotted"))
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"striped and dotted erased from", self.read("fixed.onnx")[:200])
        done = self.repair(concepts=("a=striped", "b=striped"), out="other.onnx")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot be told from random examples and from each other", done.stderr)

    def test_may_be_repaired_again_but_nothing_else_is_replaced(self):
        self.assertEqual(self.repair().returncode, 0)
        self.assertEqual(self.repair().returncode, 0)  # its own file
        self.assertEqual(self.repair(model="fixed.onnx", concepts=("dotted=dotted",), out="twice.onnx").returncode, 0)
        for mine in (b"somebody's", b"#!/bin/sh\natcav repair m.onnx\n"):
            self.write("mine.onnx", mine)
            self.assert_fails(3, "was not written by atcav", out="mine.onnx")
        self.copy("fixed.onnx", "input.onnx")
        self.assert_fails(2, "input.onnx is an input", model="input.onnx", out="input.onnx")
        self.assert_fails(2, "would be written twice", "--json", "new.onnx", out="new.onnx")

    def test_refuses_what_is_not_there(self):
        self.assert_fails(2, "no layer", layer="nowhere")
        self.assert_fails(2, "layers, must be one", layer="block?")
        self.assert_fails(2, "random", random="")
        self.assert_fails(3, "nowhere: cannot open", concepts=("striped=nowhere",))
        self.assert_fails(2, "pool is max", "--pooling", "max")
        self.assert_fails(2, "must name one logit", "--check", "zebra:0-1=zebra")
        self.assert_fails(2, "number of examples of concept 'striped' is 1", concepts=("striped=one",))
        self.assert_fails(2, "the concept 'a' is given twice", concepts=("a=striped", "a=dotted"))
        self.assert_fails(2, "the group of --check 'z' is given twice", "--check", "z:0=zebra", "--check", "z:1=zebra")
        done = self.repair(out="")
        self.assertEqual(done.returncode, 2)
        self.assertIn("-o", done.stderr)

    def setUp(self):
        super().setUp()
        self.copy("striped/00.png", "one/00.png")

    def test_refuses_folders_that_cannot_be_written(self):
        os.mkdir(self.path("locked"))
        os.chmod(self.path("locked"), stat.S_IRUSR | stat.S_IXUSR)
        if os.access(self.path("locked"), os.W_OK):
            self.skipTest("root writes everywhere")
        self.assert_fails(3, "locked", out="locked/fixed.onnx")

    def test_refuses_a_name_below_a_file(self):
        self.write("file", b"x")
        self.assert_fails(3, "file/fixed.onnx", out="file/fixed.onnx")

    def test_logits_that_are_no_numbers(self):
        size = 3 * 48 * 48
        weights = np.random.default_rng(1).normal(size=(size, 4)).astype(np.float32) / 100
        parts = [node("Flatten", ["x"], ["f"]), node("MatMul", ["f", "A"], ["h"]), node("Sub", ["h", "h"], ["none"]),
                 node("Div", ["none", "none"], ["y"]), floats("A", (size, 4), weights.tobytes())]
        self.write("nan.onnx", model(parts, [("x", (1, 3, 48, 48))], [("y", (1, 4))]))
        self.assert_fails(2, "nan at row 0, column 0, must be finite", "--check", "zebra:0=zebra", model="nan.onnx", layer="h")

    def test_says_that_part_of_the_network_goes_round(self):
        size = 3 * 48 * 48
        weights = np.random.default_rng(1).normal(size=(size, 4)).astype(np.float32) / 100
        parts = [node("Flatten", ["x"], ["f"]), node("MatMul", ["f", "A"], ["h"]), node("MatMul", ["f", "B"], ["g"]),
                 node("Add", ["h", "g"], ["y"]), floats("A", (size, 4), weights.tobytes()),
                 floats("B", (size, 4), weights[::-1].tobytes())]
        self.write("round.onnx", model(parts, [("x", (1, 3, 48, 48))], [("y", (1, 4))]))
        done = self.repair(model="round.onnx", layer="h")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("part of the network goes round 'h'", " ".join(done.stdout.split()))


if __name__ == "__main__":
    main()
